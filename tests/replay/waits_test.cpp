// Loops that wait: for lanes of their own warp, for what nothing in the block does, for other blocks; and
// those that get on, however slowly.
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

/// At 100 million a second and less, within 2 seconds.
constexpr std::uint64_t kSoon = 20'000'000;

Recording run_of(const std::string& body, Dim3 grid, Dim3 block, std::vector<int>* left = nullptr,
                 const std::string& declarations = "") {
  Trial run(kernel_of(body, 1, declarations) + ".file 1 \"k.cu\"\n", "k", grid, block);
  Recording recording = run.buffer(std::vector<int>(64)).record();
  if (left != nullptr) *left = run.contents<int>(0);
  return recording;
}

// A lock that each lane takes for itself, without any care for the others.
const char* const kLock = R"(
.loc 1 4 0
TAKE: atom.global.cas.b32 %r1, [%rd0], 0, 1;
setp.ne.s32 %p1, %r1, 0;
@%p1 bra TAKE;
.loc 1 5 0
ld.global.u32 %r2, [%rd0+4];
add.s32 %r2, %r2, 1;
st.global.u32 [%rd0+4], %r2;
.loc 1 6 0
atom.global.exch.b32 %r3, [%rd0], 0;
)";

std::uint64_t requests_in_line(const Recording& recording, std::uint32_t line) {
  std::uint64_t requests = 0;
  for (std::size_t s = 0; s < recording.sites.size(); ++s) {
    if (recording.sites[s].line == line) requests += recording.totals[s].requests;
  }
  return requests;
}

// Warp 0 waits for warp 1, which first runs for a while.
std::string flag_loop(const std::string& in_loop, const std::string& behind = "") {
  return R"(
mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; mov.u32 %r2, 0;
@%p1 bra SET;
WAIT:
)" + in_loop +
         R"(
.loc 1 7 0
ld.volatile.global.u32 %r3, [%rd0];
setp.eq.s32 %p2, %r3, 0;
@%p2 bra WAIT;
)" + behind +
         R"(
bra.uni END;
SET:
.loc 1 9 0
mov.u32 %r4, 0;
WORK: add.s32 %r4, %r4, 1; setp.lt.s32 %p3, %r4, 3000000; @%p3 bra WORK;
st.volatile.global.u32 [%rd0], 1;
END:)";
}

TEST(Waits, PollsOfALoopThatOnlyWaitsAreCountedApart) {
  const Recording recording = run_of(flag_loop(""), {1}, {64});
  ASSERT_EQ(recording.waiting_loops.size(), 1u);
  EXPECT_EQ(recording.waiting_loops[0].line, 7u);
  EXPECT_GT(recording.waiting_loops[0].polls, 0u);
  EXPECT_EQ(requests_in_line(recording, 7), 2u) << "the first poll and the last";
  std::uint64_t of_phases = 0;
  for (const PhaseTotals& phase : recording.phases) of_phases += phase.requests();
  EXPECT_EQ(of_phases, 3u);
}

TEST(Waits, PollsLeaveNoEvents) {
  Trial run(kernel_of(flag_loop(""), 1) + ".file 1 \"k.cu\"\n", "k", {1}, {64});
  run.options.event_blocks = {{0, 0, 0}};
  const Recording recording = run.buffer(std::vector<int>(64)).record();
  ASSERT_EQ(recording.waiting_loops.size(), 1u);
  EXPECT_EQ(events_of_warp(recording, 0, 0).size(), 2u);
}

TEST(Waits, ABackoffCounterDoesNotHideThatALoopOnlyWaits) {
  const Recording recording = run_of(flag_loop("add.s32 %r2, %r2, 1; nanosleep.u32 %r2;"), {1}, {64});
  ASSERT_EQ(recording.waiting_loops.size(), 1u);
  EXPECT_EQ(requests_in_line(recording, 7), 2u);
}

TEST(Waits, IterationsCountWhereTheirNumberIsUsed) {
  const Recording recording =
      run_of(flag_loop("add.s32 %r2, %r2, 1;", "st.global.u32 [%rd0+8], %r2;"), {1}, {64});
  EXPECT_TRUE(recording.waiting_loops.empty());
  EXPECT_GT(requests_in_line(recording, 7), 2u);
}

TEST(Waits, LoopsThatWorkAreCountedInFull) {
  const Recording recording = run_of(R"(
mov.u32 %r1, 0;
NEXT:
.loc 1 7 0
atom.global.add.u32 %r2, [%rd0], 1;
setp.lt.u32 %p1, %r2, 640;
@%p1 bra NEXT;
)",
                                     {1}, {32});
  EXPECT_TRUE(recording.waiting_loops.empty());
  EXPECT_EQ(requests_in_line(recording, 7), 21u);
}

TEST(Waits, WaitForALaneOfTheSameWarpIsADeadlock) {
  const Recording recording = run_of(kLock, {1}, {32});
  ASSERT_EQ(recording.findings.size(), 1u);
  const Finding& finding = recording.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::deadlock);
  EXPECT_EQ(finding.line, 4u);
  EXPECT_EQ(finding.other_line, 5u);
  EXPECT_EQ(finding.lanes, 0xfffffffeu);
  EXPECT_EQ(finding.text.find("lanes 1-31 of warp 0 loop until memory changes, and lanes 0, whose way on may "
                              "change it, wait for them in line 5"),
            0u)
      << finding.text;
  EXPECT_LT(recording.warp_instructions, kSoon);
}

TEST(Waits, LockTakenByOneLanePerWarpIsNoDeadlock) {
  std::vector<int> left;
  const std::string one_lane =
      std::string("mov.u32 %r9, %tid.x; and.b32 %r9, %r9, 31; setp.ne.s32 %p3, %r9, 0; @%p3 bra END;\n") +
      kLock + "END:";
  const Recording recording = run_of(one_lane, {3}, {96}, &left);
  EXPECT_TRUE(recording.findings.empty()) << recording.findings[0].text;
  EXPECT_EQ(left[1], 9);
}

// One lane takes the lock, and the others wait for it; it is another block's, which waits for a block still
// to come.
TEST(Waits, LanesWaitingForTheLockHolderAreNoDeadlock) {
  std::vector<int> left;
  const Recording recording = run_of(R"(
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
setp.ne.s32 %p1, %r1, 0; @%p1 bra GO;
TAKE: atom.global.cas.b32 %r3, [%rd0], 0, 1;
setp.ne.s32 %p2, %r3, 0; @%p2 bra TAKE;
setp.ne.s32 %p3, %r2, 0; @%p3 bra GO;
WAIT: ld.volatile.global.u32 %r4, [%rd0+4];
setp.eq.s32 %p4, %r4, 0; @%p4 bra WAIT;
GO:
setp.ne.s32 %p1, %r1, 0; @%p1 bra END;
atom.global.exch.b32 %r5, [%rd0], 0;
red.global.add.u32 [%rd0+8], 1;
END:
setp.ne.s32 %p5, %r2, 3; @%p5 bra OUT;
st.volatile.global.u32 [%rd0+4], 1;
OUT:)",
                                     {3}, {32}, &left);
  EXPECT_FALSE(recording.findings.empty()) << "there is no block 3";
  const Recording released = run_of(R"(
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
setp.eq.u32 %p6, %r2, 2; @%p6 bra LAST;
setp.ne.s32 %p1, %r1, 0; @%p1 bra GO;
TAKE: atom.global.cas.b32 %r3, [%rd0], 0, 1;
setp.ne.s32 %p2, %r3, 0; @%p2 bra TAKE;
setp.ne.s32 %p3, %r2, 0; @%p3 bra GO;
WAIT: ld.volatile.global.u32 %r4, [%rd0+4];
setp.eq.s32 %p4, %r4, 0; @%p4 bra WAIT;
GO:
setp.ne.s32 %p1, %r1, 0; @%p1 bra END;
atom.global.exch.b32 %r5, [%rd0], 0;
red.global.add.u32 [%rd0+8], 1;
END: bra OUT;
LAST: st.volatile.global.u32 [%rd0+4], 1;
OUT:)",
                                    {3}, {32}, &left);
  EXPECT_TRUE(released.findings.empty()) << released.findings[0].text;
  EXPECT_EQ(left[2], 2);
}

// What it reads there is in no register when an iteration ends.
TEST(Waits, LoopThatReadsAClockIsNoDeadlock) {
  const Recording recording = run_of(R"(
mov.u64 %rd1, %clock64; add.s64 %rd1, %rd1, 5000000;
L: mov.u64 %rd2, %clock64;
setp.lt.u64 %p1, %rd2, %rd1;
mov.u64 %rd2, 0;
@%p1 bra L;
st.global.u32 [%rd0], 1;)",
                                     {1}, {32});
  EXPECT_TRUE(recording.findings.empty());
}

// Counts in, and waits until all blocks have.
const char* const kGridBarrier = R"(
mov.u32 %r1, %tid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ctaid.x;
setp.ne.s32 %p1, %r1, 0; @%p1 bra MEET;
.loc 1 4 0
atom.global.add.u32 %r4, [%rd0], 1;
.loc 1 5 0
WAIT: ld.volatile.global.u32 %r5, [%rd0];
setp.lt.u32 %p2, %r5, %r2;
@%p2 bra WAIT;
.loc 1 7 0
MEET: bar.sync 0;
ld.volatile.global.u32 %r6, [%rd0];
mul.wide.u32 %rd1, %r3, 4; add.s64 %rd2, %rd0, %rd1;
st.global.u32 [%rd2+4], %r6;
)";

TEST(Waits, BlocksThatWaitForLaterBlocksGoOnWhenThoseHaveRun) {
  std::vector<int> left;
  const Recording recording = run_of(kGridBarrier, {8}, {64}, &left);
  EXPECT_TRUE(recording.findings.empty()) << recording.findings[0].text;
  EXPECT_EQ(left[0], 8);
  for (std::size_t block = 0; block < 8; ++block) EXPECT_EQ(left[1 + block], 8) << block;
  EXPECT_EQ(recording.blocks_counted, 8u);
  EXPECT_LT(recording.warp_instructions, kSoon);
}

TEST(Waits, WaitingBlocksKeepTheirEvents) {
  Trial run(kernel_of(kGridBarrier, 1), "k", {4}, {64});
  run.options.event_blocks = {{0, 0, 0}};
  const Recording recording = run.buffer(std::vector<int>(64)).record();
  ASSERT_GT(recording.events.size(), 0u);
  EXPECT_EQ(recording.sites[recording.events.site.back()].op, AccessOp::store);
}

TEST(Waits, WaitThatNoBlockEndsIsADeadlock) {
  const Recording recording = run_of(
      ".loc 1 3 0\nWAIT: ld.volatile.global.u32 %r1, [%rd0];\nsetp.eq.s32 %p1, %r1, 0; @%p1 bra WAIT;\n.loc "
      "1 4 0\nst.global.u32 [%rd0+4], 1;",
      {3}, {64});
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].kind, FindingKind::deadlock);
  EXPECT_EQ(recording.findings[0].line, 3u);
  EXPECT_EQ(recording.findings[0].other_line, 0u);
  EXPECT_EQ(recording.findings[0].count, 6u) << "two warps in each of three blocks";
  EXPECT_EQ(recording.findings[0].lanes, 0xffffffffu);
  EXPECT_EQ(
      recording.findings[0].text,
      "lanes 0-31 of warp 0 loop until memory changes, and no other block that is run changes it any more");
}

TEST(Waits, WaitForUnchangedSharedMemoryIsADeadlock) {
  const Recording recording = run_of(R"(
mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r5, 0;
st.shared.u32 [%r2], %r5;
bar.sync 0;
setp.lt.u32 %p1, %r1, 32; @%p1 bra END;
.loc 1 6 0
WAIT: ld.volatile.shared.u32 %r3, [%r2];
setp.eq.s32 %p2, %r3, 0; @%p2 bra WAIT;
END:)",
                                     {2}, {64}, nullptr, ".shared .align 4 .b8 s[16];");
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].kind, FindingKind::deadlock);
  EXPECT_EQ(recording.findings[0].line, 6u);
  EXPECT_EQ(recording.findings[0].warp, 1u);
  EXPECT_EQ(recording.findings[0].count, 2u);
  EXPECT_NE(recording.findings[0].text.find("nothing in the block changes it"), std::string::npos)
      << recording.findings[0].text;
}

TEST(Waits, APlainEndlessLoopIsNone) {
  for (const char* body : {"L: bra L;", "L: st.global.u32 [%rd0], 7; bra L;",
                           "mov.u32 %r1, 1; L: setp.eq.s32 %p1, %r1, 1; @%p1 bra L;"}) {
    Trial run(kernel_of(body, 1), "k", {1}, {64});
    const auto result = run.buffer(std::vector<int>(64)).go();
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().what.find("is stuck in a loop that nothing ends"), std::string::npos)
        << result.error().message();
  }
}

// Its registers are the same at each iteration; what it counts in memory is not.
TEST(Waits, ALoopThatGetsOnInMemoryAloneIsNone) {
  std::vector<int> left;
  const Recording recording = run_of(R"(
mov.u32 %r2, %tid.x; setp.ne.s32 %p2, %r2, 0; @%p2 bra END;
L: red.global.add.u32 [%rd0], 1;
ld.volatile.global.u32 %r1, [%rd0];
shr.u32 %r1, %r1, 22;
setp.eq.s32 %p1, %r1, 0; @%p1 bra L;
END:)",
                                     {1}, {32}, &left);
  EXPECT_TRUE(recording.findings.empty()) << recording.findings[0].text;
  EXPECT_EQ(left[0], 1 << 22);
}

TEST(Waits, WaitForASlowWarpIsNoDeadlock) {
  std::vector<int> left;
  const Recording recording = run_of(R"(
mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra WAIT;
mov.u32 %r2, 0;
COUNT: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 3000000; @%p2 bra COUNT;
st.volatile.global.u32 [%rd0], %r2;
bra END;
WAIT: ld.volatile.global.u32 %r3, [%rd0]; setp.eq.s32 %p3, %r3, 0; @%p3 bra WAIT;
st.global.u32 [%rd0+4], %r3;
END:)",
                                     {1}, {64}, &left);
  EXPECT_TRUE(recording.findings.empty()) << recording.findings[0].text;
  EXPECT_EQ(left[1], 3000000);
}

}  // namespace
}  // namespace warplens
