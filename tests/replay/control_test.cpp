// Divergence, loops and exits: results equal the host's, and counts follow from the code.
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::numbers;
using testing::Trial;

constexpr std::uint32_t kCount = 192;

Trial control(const std::string& entry) {
  return {testing::read_ptx("replay_control.sm_75.ptx"), entry, {2}, {kCount / 2}};
}

TEST(Control, NestedBranches) {
  const std::vector<int> a = numbers(kCount), before = numbers(kCount, 9);
  Trial run = control("nested");
  run.buffer(a).buffer(before).record();
  const auto c = run.contents<int>(1);
  for (std::size_t i = 0; i < kCount; ++i) {
    const int v = a[i];
    int r = 0;
    if (v & 1) {
      r += 10;
      if (v & 2) {
        r += before[i];
        if (v & 4) r *= 3;
      } else {
        r -= v;
      }
    } else {
      r += v & 8 ? 5 : 7;
    }
    ASSERT_EQ(c[i], r + v) << i;
  }
}

TEST(Control, LoopsWithBreakAndContinue) {
  const std::vector<int> a = numbers(kCount);
  Trial run = control("collatz");
  run.buffer(a).buffer(std::vector<int>(kCount)).record();
  const auto c = run.contents<int>(1);
  for (std::size_t i = 0; i < kCount; ++i) {
    auto v = static_cast<unsigned>(a[i] + 1);
    int steps = 0;
    while (v != 1) {
      v = v & 1 ? 3 * v + 1 : v / 2;
      if (++steps == 100) break;
      if (v % 5 == 0) continue;
      steps += v & 16 ? 1 : 0;
    }
    ASSERT_EQ(c[i], steps) << i;
  }
}

TEST(Control, EarlyReturns) {
  const std::vector<int> a = numbers(kCount), before = numbers(kCount, 5);
  const int n = 150;
  Trial run = control("early_return");
  run.buffer(a).buffer(before).scalar(n).record();
  const auto c = run.contents<int>(1);
  for (int i = 0; i < static_cast<int>(kCount); ++i) {
    int r = before[i];
    bool returned = i >= n;
    for (int k = 0; !returned && k < a[i] % 7; ++k) {
      if (k == 4) {
        returned = true;
        break;
      }
      r += k;
    }
    ASSERT_EQ(c[i], returned ? r : r * 2) << i;
  }
}

TEST(Control, Switch) {
  const std::vector<int> a = numbers(kCount), before = numbers(kCount, 5);
  Trial run = control("chosen");
  run.buffer(a).buffer(before).record();
  const auto c = run.contents<int>(1);
  for (std::size_t i = 0; i < kCount; ++i) {
    int v = a[i], r = before[i];
    switch (v % 11) {
      case 0: v += 3; break;
      case 1: v *= 5; break;
      case 2: v ^= 0x55; break;
      case 3: v -= 9, r = 1; break;
      case 4: v <<= 2; break;
      case 5: v = -v | 64; break;
      case 6: v |= 64; break;
      case 7: v /= 3; break;
      default: v = 1;
    }
    ASSERT_EQ(c[i], r + v) << i;
  }
}

TEST(Control, IndexedBranches) {
  Trial run(kernel_of(R"(
mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd0, %rd1;
and.b32 %r2, %r1, 3;
targets: .branchtargets L0, L1, L2, L3;
brx.idx %r2, targets;
L0: mov.u32 %r3, 100; bra DONE;
L1: mov.u32 %r3, 200; bra DONE;
L2: mov.u32 %r3, 300; bra DONE;
L3: mov.u32 %r3, 400;
DONE: st.global.u32 [%rd2], %r3;)"),
            "k", {1}, {32});
  const Recording recording = run.buffer(std::vector<int>(32)).record();
  for (int i = 0; i < 32; ++i) ASSERT_EQ(run.contents<int>(0)[i], 100 * (1 + i % 4));
  ASSERT_EQ(recording.totals.size(), 1u);
  EXPECT_EQ(recording.totals[0].requests, 1u) << "the lanes have met again";
}

TEST(Control, BranchToTheNextInstructionMeetsThere) {
  Trial run(kernel_of("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 7;\n@%p1 bra L;\nL:\nbar.sync 0;"), "k",
            {1}, {32});
  EXPECT_TRUE(run.buffer(std::vector<int>(32)).record().findings.empty());
}

// Five instructions with the load of the parameter, which all count once a warp; lanes count where their
// guard holds.
TEST(Control, InstructionsAreCountedByWarpAndByLane) {
  Trial run(kernel_of("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 7;\n@%p1 mov.u32 %r2, 3;"), "k", {1},
            {48});
  const Recording recording = run.buffer(std::vector<int>(32)).record();
  EXPECT_EQ(recording.warp_instructions, 2u * 5u);
  EXPECT_EQ(recording.thread_instructions, 4u * 48u + 7u);
}

TEST(Control, GuardedBarrierCountsItsLanesOnce) {
  Trial run(kernel_of("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 1;\n@%p1 bar.sync 0;"), "k", {1}, {32});
  const Recording recording = run.buffer(std::vector<int>(32)).record();
  EXPECT_EQ(recording.thread_instructions, 3u * 32u + 1u);
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].lanes, 0xfffffffeu);
}

TEST(Control, PhasesAreIterationsWhereThereIsNoBarrier) {
  Trial run(kernel_of(R"(
mov.u32 %r1, 0;
LOOP:
ld.global.u32 %r2, [%rd0];
add.s32 %r1, %r1, 1;
setp.lt.s32 %p1, %r1, 5;
@%p1 bra LOOP;)"),
            "k", {1}, {32});
  const Recording recording = run.buffer(std::vector<int>(32)).record();
  EXPECT_FALSE(recording.phases_are_barriers);
  ASSERT_EQ(recording.phases.size(), 5u);
  for (const PhaseTotals& phase : recording.phases) EXPECT_EQ(phase.global_loads, 1u);
}

TEST(Control, TheClockRunsOn) {
  Trial run(kernel_of(R"(
mov.u64 %rd1, %clock64;
LOOP:
bar.sync 0;
mov.u64 %rd2, %clock64;
sub.s64 %rd3, %rd2, %rd1;
setp.lt.s64 %p1, %rd3, 1000;
@%p1 bra LOOP;)"),
            "k", {1}, {64});
  run.options.max_warp_instructions = 100000;
  run.buffer(std::vector<int>(32)).record();
}

}  // namespace
}  // namespace warplens
