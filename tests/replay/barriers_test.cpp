// Barriers count arrivals at a number, wherever in the code they are made.
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

const std::string kWord = ".shared .align 4 .b8 word[256];";

// A warp that produces and one that consumes, each with barriers of its own: all of number 0.
TEST(Barriers, WarpsMayArriveAtDifferentInstructions) {
  const std::string body =
      "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mul.lo.u32 %r3, %r2, 4; mov.u32 %r4, word; add.u32 %r4, "
      "%r4, %r3; mov.u32 %r5, 0;\n"
      "mov.u32 %r7, 0; setp.ge.u32 %p1, %r1, 32; @%p1 bra CONSUME;\n"
      "PRODUCE: mad.lo.u32 %r6, %r5, 100, %r2; st.shared.u32 [%r4], %r6;\nbar.sync 0;\nbar.sync 0;\n"
      "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra PRODUCE;\nbra.uni END;\n"
      "CONSUME: bar.sync 0;\nld.shared.u32 %r6, [%r4]; add.u32 %r7, %r7, %r6;\nbar.sync 0;\n"
      "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra CONSUME;\n"
      "cvt.u64.u32 %rd1, %r3; add.u64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r7;\nEND:";
  Trial run(kernel_of(body, 1, kWord), "k", {1}, {64});
  run.options.event_blocks = {{0, 0, 0}};
  const Recording recording = run.buffer(std::vector<int>(32)).record();
  EXPECT_TRUE(recording.findings.empty());
  const auto sums = run.contents<int>(0);
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(sums[static_cast<std::size_t>(lane)], 300 + 3 * lane);
  // Stores in phases 0, 2, 4 and loads in 1, 3, 5.
  ASSERT_EQ(recording.phases.size(), 7u);
  for (std::size_t phase = 0; phase < 6; ++phase) {
    EXPECT_EQ(recording.phases[phase].shared_stores, phase % 2 == 0 ? 1u : 0u) << phase;
    EXPECT_EQ(recording.phases[phase].shared_loads, phase % 2 == 1 ? 1u : 0u) << phase;
  }
}

// The first warp only arrives, and exits: it has come all the same, and the third is still to be waited for.
TEST(Barriers, AnArrivalCountsOnceItsWarpHasExited) {
  const std::string body =
      "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @%p1 bra OTHERS;\nbar.arrive 1, 96;\nret;\n"
      "OTHERS: setp.ge.u32 %p1, %r1, 64; @%p1 bra LATE;\nbar.sync 1, 96;\nld.shared.u32 %r2, [word]; "
      "st.global.u32 [%rd0], %r2;\nret;\n"
      "LATE: bar.sync 2, 32;\nst.shared.u32 [word], 7;\nbar.sync 1, 96;";
  Trial run(kernel_of(body, 1, kWord), "k", {1}, {96});
  EXPECT_TRUE(run.buffer(std::vector<int>(1)).record().findings.empty());
  EXPECT_EQ(run.contents<int>(0)[0], 7);
}

// Two of three warps are as many as the barrier was told to wait for, and a third comes too late to meet
// anyone.
TEST(Barriers, WarpLeftAloneAtBarrierIsReported) {
  const std::string body = "bar.sync 1, 64;\nst.global.u32 [%rd0], 1;";
  Trial run(kernel_of(body), "k", {1}, {96});
  const Recording recording = run.buffer(std::vector<int>(1)).record();
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].kind, FindingKind::barrier_divergence);
  EXPECT_EQ(recording.findings[0].warp, 2u);
  EXPECT_EQ(run.contents<int>(0)[0], 1);
}

TEST(Barriers, DifferentBarrierNumbersDoNotRelease) {
  const std::string body =
      "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @%p1 bra OTHER;\nbar.sync 0;\nret;\nOTHER: bar.sync 1;";
  Trial run(kernel_of(body, 0), "k", {1}, {64});
  const Recording recording = run.record();
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].kind, FindingKind::barrier_divergence);
}

// A reduction over the block, in which the warps take part from different places.
TEST(Barriers, ReducingBarriersReleaseToo) {
  const std::string body =
      "mov.u32 %r1, %tid.x; setp.lt.u32 %p2, %r1, 40; setp.ge.u32 %p1, %r1, 32; @%p1 bra OTHER;\n"
      "bar.red.popc.u32 %r2, 0, %p2;\nst.global.u32 [%rd0], %r2;\nret;\n"
      "OTHER: bar.red.popc.u32 %r2, 0, %p2;\nst.global.u32 [%rd0+4], %r2;";
  Trial run(kernel_of(body), "k", {1}, {64});
  EXPECT_TRUE(run.buffer(std::vector<int>(2)).record().findings.empty());
  EXPECT_EQ(run.contents<int>(0), (std::vector<int>{40, 40}));
}

}  // namespace
}  // namespace warplens
