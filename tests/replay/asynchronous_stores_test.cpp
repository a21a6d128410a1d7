// st.async and red.async: what they store in another block of the cluster, and what completes at its
// mbarrier. PTX ISA, "st.async", "red.async".
#include <fmt/core.h>

#include "replay/run_kernel.h"

namespace warplens::asynchronous_stores {
namespace {

using testing::Trial;

/// A cluster of two blocks of 32 threads, whose mbarriers expect `bytes`. %r10 is the other block's word of
/// the thread, %r11 its mbarrier, %r1 the thread, %r5 the block's rank. Each block's words go to A.
std::string kernel_of(int bytes, const std::string& body) {
  return R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 A) .reqnctapercluster 2, 1, 1
{
.reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .f32 %f<4>;
.shared .align 16 .b8 s[1024]; .shared .align 8 .b64 bar;
ld.param.u64 %rd0, [A];
mov.u32 %r1, %tid.x; mov.u32 %r2, bar; mov.u32 %r3, s; setp.eq.u32 %p7, %r1, 0;
mov.u32 %r5, %cluster_ctarank; xor.b32 %r6, %r5, 1;
shl.b32 %r8, %r1, 2; add.u32 %r9, %r8, %r3; add.u32 %r7, %r1, 1000; st.shared.u32 [%r9], %r7;
@%p7 mbarrier.init.shared::cta.b64 [%r2], 1;
bar.sync 0;
@%p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], )" +
         fmt::format("{};\n", bytes) + R"(
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
mapa.shared::cluster.u32 %r10, %r9, %r6; mapa.shared::cluster.u32 %r11, %r2, %r6;
.loc 1 9 0
)" + body +
         R"(
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
ld.shared.u32 %r12, [%r9]; mad.lo.u32 %r13, %r5, 128, %r8; cvt.u64.u32 %rd1, %r13; add.s64 %rd2, %rd0, %rd1;
st.global.u32 [%rd2], %r12;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
ret;
}
.file 1 "k.cu"
)";
}

struct Ran {
  Recording recording;
  std::vector<std::uint32_t> words;
  std::vector<std::string> found;
};

Ran run(int bytes, const std::string& body) {
  Trial trial(kernel_of(bytes, body), "k", {2}, {32});
  trial.buffer(std::vector<std::uint32_t>(64));
  Ran ran;
  ran.recording = trial.record();
  ran.words = trial.contents<std::uint32_t>(0);
  for (const Finding& finding : ran.recording.findings)
    ran.found.push_back(fmt::format("{} {}", name_of(finding.kind), finding.line));
  return ran;
}
using Found = std::vector<std::string>;

const std::string kStore = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes";
const std::string kReduce = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes";

TEST(AsynchronousStores, AreVisibleAfterTheMbarrierWait) {
  const Ran ran = run(128, "mad.lo.u32 %r14, %r5, 100, %r1;\n" + kStore + ".b32 [%r10], %r14, [%r11];");
  EXPECT_EQ(ran.found, Found{});
  for (std::uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(ran.words[t], 100 + t) << "of block 1";
    EXPECT_EQ(ran.words[32 + t], t);
  }
}

TEST(AsynchronousStores, VectorStoresCompleteAllTheirBytes) {
  const Ran ran = run(128,
                      "setp.lt.u32 %p2, %r1, 8; shl.b32 %r14, %r1, 4; add.u32 %r14, %r14, %r3;\n"
                      "mapa.shared::cluster.u32 %r15, %r14, %r6; add.u32 %r16, %r1, 50;\n@%p2 " +
                          kStore + ".v4.u32 [%r15], {%r1, %r16, %r5, 9}, [%r11];");
  EXPECT_EQ(ran.found, Found{});
  EXPECT_EQ(ran.words[4 * 7], 7u);
  EXPECT_EQ(ran.words[4 * 7 + 1], 57u);
  EXPECT_EQ(ran.words[4 * 7 + 2], 1u);
  EXPECT_EQ(ran.words[4 * 7 + 3], 9u);
}

TEST(AsynchronousStores, AreRecordedAsStoresToSharedMemory) {
  const Recording recording = run(128, kStore + ".b32 [%r10], %r1, [%r11];").recording;
  const auto site =
      std::ranges::find_if(recording.sites, [](const Site& one) { return one.text.starts_with("st.async"); });
  ASSERT_NE(site, recording.sites.end());
  EXPECT_EQ(site->space, Space::shared);
  EXPECT_EQ(site->op, AccessOp::store);
  EXPECT_EQ(recording.totals[static_cast<std::size_t>(site - recording.sites.begin())].thread_accesses, 64u);
}

TEST(AsynchronousReductions, ChangeTheOtherBlocksSharedMemory) {
  const auto word = [](const std::string& op, std::uint32_t lane) {
    const Ran ran = run(128, "add.u32 %r14, %r1, 1010;\n" + kReduce + "." + op + " [%r10], %r14, [%r11];");
    EXPECT_EQ(ran.found, Found{}) << op;
    return ran.words[lane];
  };
  EXPECT_EQ(word("add.u32", 3), 1003u + 1013u);
  EXPECT_EQ(word("min.s32", 3), 1003u);
  EXPECT_EQ(word("max.u32", 3), 1013u);
  EXPECT_EQ(word("xor.b32", 3), 1003u ^ 1013u);
  EXPECT_EQ(word("inc.u32", 3), 1004u);
  EXPECT_EQ(word("dec.u32", 3), 1002u);
}

TEST(AsynchronousReductions, ReduceOneWordByAllLanes) {
  const Ran ran =
      run(128, "mapa.shared::cluster.u32 %r15, %r3, %r6;\n" + kReduce + ".add.u32 [%r15], %r1, [%r11];");
  EXPECT_EQ(ran.words[0], 1000u + 31 * 32 / 2);
}

TEST(AsynchronousStores, BytesThatNeverCompleteAreReportedAsAWaitWithoutEnd) {
  EXPECT_FALSE(run(132, kStore + ".b32 [%r10], %r1, [%r11];").found.empty());
}

}  // namespace
}  // namespace warplens::asynchronous_stores
