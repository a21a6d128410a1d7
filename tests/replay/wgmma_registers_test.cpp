// Registers of wgmma: accesses before the wait, and missing fences. Each error has a correct twin without a
// finding, and what compilers make of correct programs has none.
#include <fmt/core.h>

#include "replay/run_kernel.h"

namespace warplens::wgmma_registers {
namespace {

using testing::Trial;
using Found = std::vector<std::string>;

/// A kernel of a warpgroup: %f0 to %f3 and %f4 to %f7 are zero, %r20 to %r23 hold A, %rd5 describes matrices
/// in shared memory, %rd1 is where the thread stores.
std::string kernel_of(const std::string& body, const std::string& functions = "") {
  std::string text = R"(.version 8.6
.target sm_90a
.address_size 64
)" + functions + R"(
.visible .entry k(.param .u64 A)
{
.reg .pred %p<8>; .reg .b32 %r<32>; .reg .f32 %f<20>; .reg .b64 %rd<32>;
.shared .align 1024 .b8 s[4096];
ld.param.u64 %rd0, [A];
mov.u32 %r1, %tid.x; mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4;
mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd0; add.u32 %r7, %r3, 4096;
FILL: st.shared.u32 [%r5], %r1; add.u32 %r5, %r5, 512; setp.lt.u32 %p2, %r5, %r7; @%p2 bra FILL;
fence.proxy.async.shared::cta; bar.sync 0;
shr.u32 %r9, %r3, 4; cvt.u64.u32 %rd4, %r9; or.b64 %rd5, %rd4, 0x1000800000; setp.eq.u32 %p1, %r1, 1000;
mov.u32 %r20, 1; mov.u32 %r21, 2; mov.u32 %r22, 3; mov.u32 %r23, 4;
)";
  for (int f = 0; f < 8; ++f) text += fmt::format("mov.f32 %f{}, 0f00000000;\n", f);
  return text + body + "\nret;\n}\n.file 1 \"k.cu\"\n";
}

Recording recording_of(const std::string& body, const std::string& functions = "") {
  Trial trial(kernel_of(body, functions), "k", {1}, {128});
  trial.buffer(std::vector<std::uint32_t>(1024));
  return trial.record();
}

Found findings_of(const std::string& body, const std::string& functions = "") {
  Found found;
  for (const Finding& finding : recording_of(body, functions).findings)
    found.push_back(fmt::format("{} {} of {}", name_of(finding.kind), finding.line, finding.other_line));
  return found;
}

std::string at_line(int line, const std::string& text) {
  return fmt::format(".loc 1 {} 0\n{}\n", line, text);
}
/// Accumulates in four registers, from `first` on. A is in shared memory, or in %r20 to %r23.
std::string multiply(int line, int first, bool a_in_registers = false) {
  return at_line(
      line, fmt::format("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f{}, %f{}, %f{}, "
                        "%f{}}}, {}, %rd5, 1, 1, 1, {};",
                        first, first + 1, first + 2, first + 3,
                        a_in_registers ? "{%r20, %r21, %r22, %r23}" : "%rd5", a_in_registers ? "0" : "0, 0"));
}
std::string wait(int groups) {
  return fmt::format("wgmma.wait_group.sync.aligned {};\n", groups);
}
std::string store(int line, int f) {
  return at_line(line, fmt::format("st.global.f32 [%rd1], %f{};", f));
}
const std::string kFence = "wgmma.fence.sync.aligned;\n", kCommit = "wgmma.commit_group.sync.aligned;\n";

TEST(WgmmaRegisters, ReadAfterTheWaitIsCorrect) {
  EXPECT_EQ(findings_of(kFence + multiply(1, 0) + multiply(2, 0) + kCommit + wait(0) + store(3, 0)), Found{});
}

TEST(WgmmaRegisters, ReadBeforeTheWaitIsReported) {
  const Recording recording =
      recording_of(kFence + multiply(1, 0) + kCommit + store(2, 3) + wait(0) + store(3, 3));
  ASSERT_EQ(recording.findings.size(), 1u);
  const Finding& finding = recording.findings.front();
  EXPECT_EQ(finding.kind, FindingKind::wgmma_registers);
  EXPECT_EQ(finding.text,
            "st.global.f32 by warp 0 reads register %f3, the result of the wgmma of line 1, before a "
            "wgmma.wait_group has waited for it: its value is undefined");
  EXPECT_EQ(finding.count, 4u) << "once for each warp";
}

TEST(WgmmaRegisters, WaitEndsOnlyTheGroupsThatItWaitsFor) {
  const std::string two_groups = kFence + multiply(1, 0) + kCommit + multiply(2, 4) + kCommit;
  EXPECT_EQ(findings_of(two_groups + wait(1) + store(3, 0) + wait(0) + store(4, 4)), Found{});
  EXPECT_EQ(findings_of(two_groups + wait(1) + store(3, 4) + wait(0)), Found{"wgmma_registers 3 of 2"});
}

TEST(WgmmaRegisters, WaitWithoutACommitEndsNothing) {
  EXPECT_EQ(findings_of(kFence + multiply(1, 0) + wait(0) + store(2, 0)), Found{"wgmma_registers 2 of 1"});
}

TEST(WgmmaRegisters, WriteBeforeTheWaitIsReported) {
  const std::string product = kFence + multiply(1, 0) + kCommit,
                    more = kFence + multiply(3, 0) + kCommit + wait(0);
  const std::string zero = at_line(2, "mov.f32 %f0, 0f00000000;"),
                    load = at_line(2, "ld.global.f32 %f0, [%rd1];");
  EXPECT_EQ(findings_of(product + wait(0) + zero + more), Found{});
  EXPECT_EQ(findings_of(product + zero + wait(0) + more), Found{"wgmma_registers 2 of 1"});
  EXPECT_EQ(findings_of(product + load + wait(0) + more), Found{"wgmma_registers 2 of 1"});
}

TEST(WgmmaRegisters, WriteToAInRegistersBeforeTheWaitIsReported) {
  const std::string product = kFence + multiply(1, 0, true) + kCommit,
                    load = at_line(2, "ld.global.u32 %r20, [%rd1];"),
                    more = kFence + multiply(3, 0, true) + kCommit + wait(0);
  EXPECT_EQ(findings_of(product + wait(0) + load + more), Found{});
  EXPECT_EQ(findings_of(product + load + wait(0) + more), Found{"wgmma_registers 2 of 1"});
  EXPECT_EQ(findings_of(product + at_line(2, "st.global.u32 [%rd1], %r20;") + wait(0)), Found{})
      << "What reads A does not change it.";
}

TEST(WgmmaRegisters, PredicatedOffAccessIsNotReported) {
  const std::string product = kFence + multiply(1, 0) + kCommit;
  EXPECT_EQ(findings_of(product + at_line(2, "@%p1 st.global.f32 [%rd1], %f0;") + wait(0)), Found{});
  EXPECT_EQ(findings_of(product + at_line(2, "@!%p1 st.global.f32 [%rd1], %f0;") + wait(0)),
            Found{"wgmma_registers 2 of 1"});
}

TEST(WgmmaRegisters, ResultUsedAsAWithoutAWaitIsReported) {
  const std::string half =
      at_line(1,
              "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r20, %r21}, %rd5, %rd5, 1, 1, 1, 0, 0;") +
      kCommit;
  EXPECT_EQ(findings_of(kFence + half + wait(0) + kFence + multiply(2, 0, true) + kCommit + wait(0)),
            Found{});
  EXPECT_EQ(findings_of(kFence + half + kFence + multiply(2, 0, true) + kCommit + wait(0)),
            Found{"wgmma_registers 2 of 1"});
}

TEST(WgmmaRegisters, AccumulatingInAnotherShapeWithoutAWaitIsReported) {
  const std::string wide = at_line(2,
                                   "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f0, %f1, %f2, %f3, "
                                   "%f4, %f5, %f6, %f7}, %rd5, %rd5, 1, 1, 1, 0, 0;") +
                           kCommit;
  EXPECT_EQ(findings_of(kFence + multiply(1, 0) + kCommit + wait(0) + wide + wait(0)), Found{});
  EXPECT_EQ(findings_of(kFence + multiply(1, 0) + kCommit + wide + wait(0)), Found{"wgmma_registers 2 of 1"});
}

TEST(WgmmaRegisters, FirstWgmmaNeedsAFence) {
  EXPECT_EQ(findings_of(multiply(1, 0) + kCommit + wait(0)), Found{"wgmma_registers 1 of 0"});
}

TEST(WgmmaRegisters, ComputedOperandNeedsAFence) {
  const std::string product = kFence + multiply(1, 0) + kCommit + wait(0),
                    scale = at_line(2, "mul.f32 %f0, %f0, 0f40000000;"),
                    more = multiply(3, 0) + kCommit + wait(0);
  EXPECT_EQ(findings_of(product + more), Found{}) << "Nothing has written to the registers.";
  EXPECT_EQ(findings_of(product + scale + kFence + more), Found{});
  EXPECT_EQ(findings_of(product + scale + more), Found{"wgmma_registers 3 of 2"});
  EXPECT_EQ(findings_of(product + at_line(2, "mul.f32 %f9, %f0, 0f40000000;") +
                        at_line(4, "mov.f32 %f0, %f9;") + more),
            Found{"wgmma_registers 3 of 2"});
}

/// Compilers move computations and constants behind the fence that the program has behind them.
TEST(WgmmaRegisters, ComputationBehindTheFenceIsCorrect) {
  EXPECT_EQ(findings_of(kFence + "ld.global.f32 %f0, [%rd1];\n" + multiply(1, 0) +
                        "mov.f32 %f4, 0f00000000;\n" + multiply(2, 4) + kCommit + wait(0)),
            Found{});
}

/// Two accumulators that take turns: nvcc copies the one, and makes the other zero, before the wait.
TEST(WgmmaRegisters, CopyThatIsReadAfterTheWaitIsCorrect) {
  const std::string turn = multiply(1, 0) + kCommit + "mov.f32 %f10, %f0;\n";
  EXPECT_EQ(findings_of(kFence + turn + "mov.f32 %f0, 0f00000000;\n" + multiply(2, 0) + kCommit + wait(1) +
                        store(3, 10) + wait(0) + store(4, 0)),
            Found{});
  EXPECT_EQ(findings_of(kFence + turn + store(3, 10) + wait(0)), Found{"wgmma_registers 3 of 1"});
  EXPECT_EQ(findings_of(kFence + turn + "mov.b64 %rd9, {%f10, %f0}; mad.wide.u32 %rd8, %r1, 8, %rd0;\n" +
                        at_line(3, "st.global.b64 [%rd8], %rd9;") + wait(0)),
            Found{"wgmma_registers 3 of 1"});
}

/// As nvcc -G has it: each wgmma in a function, its accumulators in local memory.
TEST(WgmmaRegisters, AccumulatorsInLocalMemoryAreCorrect) {
  const std::string function = R"(.func multiply(.param .b64 d, .param .b64 m)
{
.reg .f32 %f<4>; .reg .b64 %rd<4>;
ld.param.u64 %rd0, [d]; ld.param.u64 %rd1, [m];
ld.f32 %f0, [%rd0]; ld.f32 %f1, [%rd0+4]; ld.f32 %f2, [%rd0+8]; ld.f32 %f3, [%rd0+12];
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd1, 1, 1, 1, 0, 0;
st.f32 [%rd0], %f0; st.f32 [%rd0+4], %f1; st.f32 [%rd0+8], %f2; st.f32 [%rd0+12], %f3;
ret;
})";
  const std::string call =
      "{ .param .b64 p0; .param .b64 p1; st.param.b64 [p0], %rd10; st.param.b64 [p1], %rd5; call multiply, "
      "(p0, p1); }\n";
  EXPECT_EQ(
      findings_of(".local .align 16 .b8 d[16]; mov.u64 %rd11, d; cvta.local.u64 %rd10, %rd11;\n"
                  "st.local.v4.f32 [d], {%f0, %f1, %f2, %f3};\n" +
                      kFence + call + call + kCommit + wait(0) + "ld.local.f32 %f0, [d];\n" + store(1, 0),
                  function),
      Found{});
}

TEST(WgmmaRegisters, LoopThatWaitsInItsNextIterationIsCorrect) {
  const auto loop = [](const std::string& wait_in_loop) {
    return "mov.u32 %r10, 0;\nLOOP:\n" + kFence + multiply(1, 0) + kCommit + wait_in_loop +
           "add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 5; @%p3 bra LOOP;\n";
  };
  EXPECT_EQ(findings_of(loop(wait(1)) + wait(0) + store(2, 0)), Found{});
  EXPECT_EQ(findings_of(loop(wait(1)) + store(2, 0)), Found{"wgmma_registers 2 of 1"});
}

}  // namespace
}  // namespace warplens::wgmma_registers
