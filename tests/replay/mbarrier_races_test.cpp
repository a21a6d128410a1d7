// Races in shared memory where mbarriers order warps: of bulk copies, of what wgmma reads, and of plain
// accesses. Each error has a correct twin without a finding.
#include <fmt/core.h>

#include <numeric>

#include "replay/run_kernel.h"

namespace warplens::mbarrier_races {
namespace {

using testing::Trial;
using Found = std::vector<std::string>;

/// A kernel of two warps, or of so many. %r1 the thread, %r2 the first of four mbarriers, of so many arrivals
/// each, %r3 shared memory, %p6 and %p7: it is thread 32, thread 0.
std::string kernel_of(const std::string& body, int arrivals) {
  std::string text = R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 A, .param .u64 B)
{
.reg .pred %p<8>; .reg .b32 %r<32>, %d<4>; .reg .b64 %rd<32>;
.shared .align 1024 .b8 s[8192]; .shared .align 8 .b64 bar[4];
ld.param.u64 %rd0, [A]; ld.param.u64 %rd1, [B];
mov.u32 %r1, %tid.x; mov.u32 %r2, bar; mov.u32 %r3, s;
setp.eq.u32 %p7, %r1, 0; setp.eq.u32 %p6, %r1, 32; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4;
)";
  for (int k = 0; k < 4; ++k)
    text += fmt::format("@%p7 mbarrier.init.shared::cta.b64 [%r2+{}], {};\n", 8 * k, arrivals);
  return text + "bar.sync 0;\n" + body + "\nret;\n}\n.file 1 \"k.cu\"\n";
}

Recording recording_of(const std::string& body, std::uint32_t threads = 64, int arrivals = 1) {
  Trial trial(kernel_of(body, arrivals), "k", {1}, {threads});
  std::vector<std::uint32_t> a(2048);
  std::iota(a.begin(), a.end(), 1);
  trial.buffer(a).buffer(std::vector<std::uint32_t>(2048));
  return trial.record();
}

Found findings_of(const std::string& body, std::uint32_t threads = 64, int arrivals = 1) {
  Found found;
  for (const Finding& finding : recording_of(body, threads, arrivals).findings)
    found.push_back(fmt::format("{} {} of {}", name_of(finding.kind), finding.line, finding.other_line));
  return found;
}

std::string at_line(int line, const std::string& text) {
  return fmt::format(".loc 1 {} 0\n{}\n", line, text);
}
/// Waits for the phase of that parity of the mbarrier of that number.
std::string wait(int mbarrier, int parity) {
  static int label = 0;
  return fmt::format("W{0}: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2+{1}], {2};\n@!%p1 bra W{0};\n",
                     label++, 8 * mbarrier, parity);
}
std::string arrive(const std::string& guard, int mbarrier) {
  return fmt::format("{} mbarrier.arrive.shared::cta.b64 _, [%r2+{}];\n", guard, 8 * mbarrier);
}
/// Thread 0 copies 4096 bytes to the beginning of shared memory.
std::string load(int line, int mbarrier) {
  return fmt::format("@%p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2+{}], 4096;\n", 8 * mbarrier) +
         at_line(line, fmt::format("@%p7 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                                   "[%r3], [%rd0], 4096, [%r2+{}];",
                                   8 * mbarrier));
}
const char* const kReadWord = "ld.shared.u32 %r10, [%r5];";
const char* const kStoreWord = "st.shared.u32 [%r5], %r1;";
const char* const kSkipFirstWarp = "setp.lt.u32 %p2, %r1, 32; @%p2 bra DONE;\n";
const char* const kSkipSecondWarp = "setp.ge.u32 %p2, %r1, 32; @%p2 bra DONE;\n";
const char* const kDone = "\nDONE:\n";

TEST(MbarrierRaces, WaitOrdersReadsAfterTheCopy) {
  EXPECT_EQ(findings_of(load(1, 0) + wait(0, 0) + at_line(2, kReadWord)), Found{});
}

TEST(MbarrierRaces, BarrierAfterTheWaitOrdersReadsAfterTheCopy) {
  EXPECT_EQ(findings_of(load(1, 0) + "setp.ge.u32 %p2, %r1, 32; @%p2 bra MEET;\n" + wait(0, 0) +
                        "MEET: bar.sync 0;\n" + at_line(2, kReadWord)),
            Found{});
}

TEST(MbarrierRaces, ReadWithoutAWaitIsReported) {
  EXPECT_EQ(findings_of(load(1, 0) + "setp.ge.u32 %p2, %r1, 32; @%p2 bra READ;\n" + wait(0, 0) + "READ:\n" +
                        at_line(2, kReadWord)),
            Found{"race 2 of 1"});
}

/// The second warp reads, and the first one copies again into the same stage.
std::string refill(const std::string& consumer) {
  return load(1, 0) + "setp.ge.u32 %p2, %r1, 32; @%p2 bra READ;\n" + wait(1, 0) + load(4, 2) +
         "bra DONE;\nREAD:\n" + wait(0, 0) + consumer + kDone;
}

TEST(MbarrierRaces, ArrivalAfterTheReadsOrdersTheNextCopy) {
  EXPECT_EQ(findings_of(refill(at_line(2, kReadWord) + arrive("@%p6", 1))), Found{});
}

TEST(MbarrierRaces, CopyAfterAnEarlyArrivalIsReported) {
  const Found found = findings_of(refill(arrive("@%p6", 1) + at_line(2, kReadWord)));
  EXPECT_EQ(found, Found{"race 4 of 2"});
}

TEST(MbarrierRaces, MbarrierOrdersPlainStoresBeforeReads) {
  const std::string handed_over =
      std::string(kSkipSecondWarp) + at_line(1, kStoreWord) + arrive("@%p7", 0) + kDone;
  EXPECT_EQ(findings_of("add.u32 %r6, %r5, -128;\n" + handed_over + "setp.lt.u32 %p2, %r1, 32; @%p2 ret;\n" +
                        wait(0, 0) + at_line(2, "ld.shared.u32 %r10, [%r6];")),
            Found{});
}

TEST(MbarrierRaces, StoreAfterTheArrivalIsReported) {
  const std::string too_late =
      std::string(kSkipSecondWarp) + arrive("@%p7", 0) + at_line(1, kStoreWord) + kDone;
  EXPECT_EQ(findings_of("add.u32 %r6, %r5, -128;\n" + too_late + "setp.lt.u32 %p2, %r1, 32; @%p2 ret;\n" +
                        wait(0, 0) + at_line(2, "ld.shared.u32 %r10, [%r6];")),
            Found{"race 2 of 1"});
}

TEST(MbarrierRaces, SourceOverwrittenBeforeTheGroupWaitIsReported) {
  const std::string store =
                        at_line(1, "@%p7 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 4096;"),
                    commit = "@%p7 cp.async.bulk.commit_group;\n",
                    wait_for_it = "@%p7 cp.async.bulk.wait_group.read 0;\n";
  const std::string prologue = "FILL: " + std::string(kStoreWord) +
                               " add.u32 %r5, %r5, 256; add.u32 %r7, %r3, 4096; setp.lt.u32 %p2, %r5, %r7; "
                               "@%p2 bra FILL;\nfence.proxy.async.shared::cta; bar.sync 0;\n"
                               "add.u32 %r5, %r3, %r4;\n";
  EXPECT_EQ(findings_of(prologue + store + commit + wait_for_it + "bar.sync 0;\n" + at_line(2, kStoreWord)),
            Found{});
  EXPECT_EQ(findings_of(prologue + store + commit + "bar.sync 0;\n" + at_line(2, kStoreWord) + wait_for_it),
            Found{"async_copy 2 of 1"});
  EXPECT_EQ(findings_of(prologue + store + commit + wait_for_it + at_line(2, kStoreWord)),
            Found{"async_copy 2 of 1"})
      << "The second warp stores without a barrier after the first one's wait.";
  const Recording early = recording_of(prologue + store + commit + at_line(2, kStoreWord), 32);
  ASSERT_EQ(early.findings.size(), 1u);
  EXPECT_EQ(early.findings.front().lanes, 0xffffffffu) << "Each of four lanes of a piece conflicts.";
}

/// Warps 0 to 3 multiply; thread 128 copies again into the stage that they read.
std::string multiply(const std::string& behind) {
  return "setp.eq.u32 %p5, %r1, 128;\nsetp.ge.u32 %p2, %r1, 128; @%p2 bra COPY;\n"
         "mov.u32 %r8, 0; shr.u32 %r9, %r3, 4; cvt.u64.u32 %rd4, %r9; or.b64 %rd5, %rd4, 0x1000800000;\n"
         "mov.b32 %d0, 0; mov.b32 %d1, 0; mov.b32 %d2, 0; mov.b32 %d3, 0;\n" +
         wait(0, 0) + "wgmma.fence.sync.aligned;\n" +
         at_line(2,
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd5, %rd5, 1, "
                 "1, 1, 0, 0;") +
         "wgmma.commit_group.sync.aligned;\n" + behind + "bra DONE;\nCOPY:\n" +
         "@%p5 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 4096;\n" +
         at_line(1,
                 "@%p5 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd0], "
                 "4096, [%r2];") +
         wait(1, 0) + "@%p5 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2+16], 4096;\n" +
         at_line(3,
                 "@%p5 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd0], "
                 "4096, [%r2+16];") +
         wait(2, 0) + kDone;
}
const std::string kWaitForProducts = "wgmma.wait_group.sync.aligned 0;\n";

TEST(MbarrierRaces, ReplacingATileAfterTheWgmmaWaitIsNoRace) {
  EXPECT_EQ(findings_of(multiply(kWaitForProducts + arrive("@%p7", 1)), 160), Found{});
}

TEST(MbarrierRaces, ReplacingATileBeforeTheWgmmaWaitIsReported) {
  EXPECT_EQ(findings_of(multiply(arrive("@%p7", 1) + kWaitForProducts), 160), Found{"async_copy 3 of 2"});
}

TEST(MbarrierRaces, WaitThatLeavesTheGroupPendingIsReported) {
  EXPECT_EQ(findings_of(multiply("wgmma.wait_group.sync.aligned 1;\n" + arrive("@%p7", 1)), 160),
            Found{"async_copy 3 of 2"});
}

}  // namespace
}  // namespace warplens::mbarrier_races
