// Races within a warp: what lanes exchange through shared memory without waiting for each other.
#include <fmt/core.h>

#include <set>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

using Lines = std::set<std::pair<std::uint32_t, std::uint32_t>>;

Recording record_lanes(const std::string& body, Dim3 block = {32}, const std::string& cc = "9.0") {
  const std::string begin = R"(
mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.s32 %r4, %r3, %r4;
mul.wide.u32 %rd1, %r1, 4; add.s64 %rd1, %rd0, %rd1;
)";
  Trial run(kernel_of(begin + body, 1, ".shared .align 16 .b8 s[1024];") + ".file 1 \"k.cu\"\n", "k", {1},
            block);
  run.options.unkept_cc = cc;
  return run.buffer(std::vector<int>(256)).record();
}

Lines lane_races_of(const std::string& body, Dim3 block = {32}, const std::string& cc = "9.0") {
  const Recording recording = record_lanes(body, block, cc);
  Lines lines;
  for (const Finding& finding : recording.findings) {
    EXPECT_EQ(finding.kind, FindingKind::lane_race) << finding.text;
    lines.insert({finding.line, finding.other_line});
  }
  return lines;
}

/// Each lane stores, then loads what the lane behind it has stored: %r4 is its own word.
std::string lane_exchange(const std::string& between) {
  return ".loc 1 3 0\nst.shared.u32 [%r4], %r1; st.shared.u32 [%r4+128], %r1;\n" + between +
         "\n.loc 1 5 0\nld.shared.u32 %r5, [%r4+4];\nst.global.u32 [%rd1], %r5;";
}

TEST(LaneRaces, NameBothLinesAndLanes) {
  const Recording recording = record_lanes(lane_exchange(""));
  ASSERT_EQ(recording.findings.size(), 1u);
  const Finding& finding = recording.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::lane_race);
  EXPECT_EQ(finding.line, 5u);
  EXPECT_EQ(finding.other_line, 3u);
  EXPECT_EQ(finding.lanes, 0xffffffffu);
  EXPECT_EQ(finding.text,
            "load of 4 bytes at shared address 0x4 by lane 0 of warp 0 and store of line 3 by lane 1, with "
            "no __syncwarp between them: since compute "
            "capability 7.0 lanes of a warp run in any order");
}

TEST(LaneRaces, NotReportedBeforeVolta) {
  EXPECT_EQ(lane_races_of(lane_exchange(""), {32}, "6.1"), (Lines{}));
  EXPECT_EQ(lane_races_of(lane_exchange(""), {32}, "7.0"), (Lines{{5, 3}}));
  EXPECT_EQ(lane_races_of(lane_exchange(""), {32}, "10.0"), (Lines{{5, 3}}));
}

TEST(LaneRaces, WarpSynchronisationOrdersLanes) {
  EXPECT_EQ(lane_races_of(lane_exchange("bar.warp.sync 0xffffffff;")), (Lines{}));
  EXPECT_EQ(lane_races_of(lane_exchange("mov.u32 %r9, -1; bar.warp.sync %r9;")), (Lines{}));
  EXPECT_EQ(lane_races_of(lane_exchange("bar.sync 0;")), (Lines{}));
}

TEST(LaneRaces, SynchronisationsOfSomeLanesAreTransitive) {
  // Lane 0 stores, lanes 0 and 1 synchronise, then 1 and 2, and lane 2 loads.
  const auto handed_on = [](const std::string& second) {
    return lane_races_of(
        "setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 2; setp.eq.u32 %p4, %r1, 2;\n"
        "sub.u32 %r6, %r1, 1; setp.lt.u32 %p3, %r6, 2; mov.u32 %r7, 1; shl.b32 %r7, %r7, %r1;\n"
        "selp.b32 %r8, 3, %r7, %p2; selp.b32 %r9, 6, %r7, %p3;\n.loc 1 3 0\n@%p1 st.shared.u32 [s], 7;\n"
        "bar.warp.sync %r8;\n" +
        second + "\n.loc 1 5 0\n@%p4 ld.shared.u32 %r5, [s];\nst.global.u32 [%rd1], %r5;");
  };
  EXPECT_EQ(handed_on("bar.warp.sync %r9;"), (Lines{}));
  EXPECT_EQ(handed_on(""), (Lines{{5, 3}}));
}

TEST(LaneRaces, ShufflesAndVotesDoNotOrderMemory) {
  EXPECT_EQ(lane_races_of(lane_exchange("shfl.sync.idx.b32 %r9, %r1, 0, 31, -1;")), (Lines{{5, 3}}));
  EXPECT_EQ(lane_races_of(lane_exchange("setp.eq.u32 %p1, %r1, 0; vote.sync.any.pred %p2, %p1, -1;")),
            (Lines{{5, 3}}));
  EXPECT_EQ(lane_races_of(lane_exchange("membar.cta;")), (Lines{{5, 3}})) << "a fence waits for nobody";
}

/// Each lane loads the word of the lane behind it, which that lane stores to afterwards.
Lines stored_after_load(const std::string& between, const std::string& store = "st.shared.u32 [%r4], %r9;") {
  return lane_races_of(
      "st.shared.u32 [%r4], %r1; st.shared.u32 [%r4+128], %r1; bar.warp.sync -1;\n.loc 1 3 0\nld.shared.u32 "
      "%r5, [%r4+4];\n" +
      between + "\n.loc 1 5 0\n" + store + "\nL: st.global.u32 [%rd1], %r5;");
}

TEST(LaneRaces, StoreDependentOnShuffleIsNotReported) {
  EXPECT_EQ(stored_after_load("mov.u32 %r9, 1;"), (Lines{{5, 3}}));
  EXPECT_EQ(stored_after_load("shfl.sync.bfly.b32 %r9, %r5, 31, 31, -1;"), (Lines{}));
  EXPECT_EQ(
      stored_after_load("add.u32 %r6, %r5, 1; shfl.sync.bfly.b32 %r7, %r6, 31, 31, -1; shl.b32 %r9, %r7, 1;"),
      (Lines{}));
  EXPECT_EQ(stored_after_load("redux.sync.add.u32 %r9, %r5, -1;"), (Lines{}));
  EXPECT_EQ(stored_after_load("setp.gt.u32 %p1, %r5, 3; vote.sync.ballot.b32 %r9, %p1, -1;"), (Lines{}));
  EXPECT_EQ(stored_after_load("setp.gt.u32 %p1, %r5, 3; vote.sync.any.pred %p2, %p1, -1;",
                              "@%p2 st.shared.u32 [%r4], %r1;"),
            (Lines{}));
  EXPECT_EQ(stored_after_load("setp.gt.u32 %p1, %r5, 3; vote.sync.any.pred %p2, %p1, -1; @!%p2 bra L;",
                              "st.shared.u32 [%r4], %r1;"),
            (Lines{}));
}

TEST(LaneRaces, StoreIndependentOfShuffleIsReported) {
  const Lines race{{5, 3}};
  EXPECT_EQ(stored_after_load("shfl.sync.bfly.b32 %r8, %r5, 31, 31, -1; mov.u32 %r9, 1;"), race)
      << "the store needs nothing of it";
  EXPECT_EQ(stored_after_load("shfl.sync.bfly.b32 %r9, %r1, 31, 31, -1;"), race)
      << "nothing of the load is exchanged";
  EXPECT_EQ(stored_after_load("setp.lt.u32 %p1, %r2, 16; selp.u32 %r8, 0xffff, 0xffff0000, %p1; "
                              "shfl.sync.idx.b32 %r9, %r5, %r2, 31, %r8;"),
            race)
      << "lane 16 stores what lane 15 loads, and they exchange nothing";
  EXPECT_EQ(lane_races_of(lane_exchange("shfl.sync.bfly.b32 %r9, %r1, 31, 31, -1;")), race)
      << "a load after a store";
}

TEST(LaneRaces, LanesOutsideTheMemberMaskAreReported) {
  // Lanes 0-15 and 16-31 wait apart: lane 15 loads what lane 16 has stored.
  const std::string halves =
      "mov.u32 %r9, 0xffff; setp.ge.u32 %p1, %r2, 16; @%p1 shl.b32 %r9, %r9, 16; bar.warp.sync %r9;";
  const Recording recording = record_lanes(lane_exchange(halves));
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].lanes, 1u << 15 | 1u << 31)
      << "lane 31 loads what lane 0 has stored, in the second array";
}

TEST(LaneRaces, StoreAfterLoadIsReported) {
  const std::string shift =
      ".loc 1 3 0\nst.shared.u32 [%r4], %r1; st.shared.u32 [%r4+4], %r1;\nbar.warp.sync -1;\n"
      ".loc 1 5 0\nld.shared.u32 %r5, [%r4+4];\n.loc 1 6 0\nst.shared.u32 [%r4], %r5;";
  EXPECT_EQ(lane_races_of(shift), (Lines{{6, 5}}));
}

TEST(LaneRaces, OwnAccessesOfALaneAreNotReported) {
  EXPECT_EQ(lane_races_of("st.shared.u32 [%r4], %r1; ld.shared.u32 %r5, [%r4]; st.shared.u32 [%r4], %r5;"),
            (Lines{}));
  // The same by part of the warp, and with rows of four words
  EXPECT_EQ(lane_races_of("st.shared.u32 [%r4], %r1; setp.gt.u32 %p1, %r1, 9; @%p1 bra END; ld.shared.u32 "
                          "%r5, [%r4]; st.shared.u32 [%r4], %r5;\nEND:"),
            (Lines{}));
  EXPECT_EQ(lane_races_of("shl.b32 %r6, %r1, 4; add.s32 %r6, %r6, %r3; st.shared.v4.u32 [%r6], {%r1, %r1, "
                          "%r1, %r1}; ld.shared.u32 %r5, [%r6+8];"),
            (Lines{}));
  EXPECT_EQ(lane_races_of("mov.u32 %r6, 3; st.shared.u32 [%r3], %r6; ld.shared.u32 %r5, [%r3];"), (Lines{}))
      << "all have stored it";
}

TEST(LaneRaces, WarpReductionWithoutSyncwarpIsReported) {
  const auto sum = [](const std::string& op, const std::string& wait) {
    std::string body = "st.shared.u32 [%r4], %r1; st.shared.u32 [%r4+128], %r1;\nbar.sync 0;\n";
    int line = 10;
    for (const int step : {64, 32, 16}) {
      body += fmt::format(
                  ".loc 1 {} 0\nld{}.shared.u32 %r5, [%r4+{}]; ld{}.shared.u32 %r6, [%r4]; add.s32 %r6, %r6, "
                  "%r5;\n",
                  line, op, step, op) +
              wait + fmt::format("\nst{}.shared.u32 [%r4], %r6;\n", op) + wait + "\n";
      ++line;
    }
    return body;
  };
  const Lines racing = lane_races_of(sum("", ""));
  EXPECT_TRUE(racing.contains({11, 10})) << "loads what another lane has stored";
  EXPECT_TRUE(racing.contains({10, 10})) << "stores what another lane has loaded";
  EXPECT_TRUE(lane_races_of(sum(".volatile", "")).contains({11, 10})) << "volatile orders no lanes";
  EXPECT_EQ(lane_races_of(sum("", "bar.warp.sync -1;")), (Lines{}));
}

TEST(LaneRaces, LockOrdersLanes) {
  const std::string body = R"(
setp.ne.u32 %p2, %r1, 0; @%p2 bra SET;
st.shared.u32 [%r3], 0; st.shared.u32 [%r3+4], 0;
SET: bar.sync 0;
TRY: atom.shared.cas.b32 %r5, [%r3], 0, 1;
setp.ne.u32 %p1, %r5, 0; @%p1 bra NEXT;
ld.shared.u32 %r6, [%r3+4]; add.s32 %r6, %r6, 1; st.shared.u32 [%r3+4], %r6;
membar.cta;
atom.shared.exch.b32 %r7, [%r3], 0;
NEXT: @%p1 bra TRY;
)";
  EXPECT_EQ(lane_races_of(body), (Lines{}));
}

TEST(LaneRaces, OnlyAtomicsWithPlainAccessesAreReported) {
  EXPECT_EQ(lane_races_of(".loc 1 3 0\nst.shared.u32 [%r4], 0;\nbar.warp.sync -1; red.shared.add.u32 [%r3], "
                          "1; red.shared.add.u32 [%r3], 1;"),
            (Lines{}));
  EXPECT_EQ(lane_races_of(".loc 1 3 0\nst.shared.u32 [%r4], 0;\n.loc 1 4 0\nred.shared.add.u32 [%r3+4], 1;"),
            (Lines{{4, 3}}));
}

// Both sides of a branch wait at a barrier of their own, and for each other.
TEST(LaneRaces, SeparateSyncwarpsOfABranchAreNotReported) {
  const std::string body = R"(
setp.ge.u32 %p1, %r2, 16; @%p1 bra UPPER;
.loc 1 4 0
st.shared.u32 [%r4], 1;
bar.warp.sync -1;
ld.shared.u32 %r5, [%r4+64];
bra MET;
UPPER:
.loc 1 8 0
st.shared.u32 [%r4], 1;
bar.warp.sync -1;
MET: st.global.u32 [%rd1], %r5;
)";
  EXPECT_EQ(lane_races_of("st.shared.u32 [%r4], 0; bar.warp.sync -1;" + body), (Lines{}));
}

TEST(LaneRaces, AreReportedInExtrapolatedGrids) {
  Trial run(
      kernel_of("mov.u32 %r1, %tid.x; mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.s32 %r4, %r3, %r4;\n.loc 1 3 "
                "0\nst.shared.u32 [%r4], %r1; "
                "st.shared.u32 [%r4+128], %r1;\n"
                "bar.warp.sync -1;\nld.shared.u32 %r5, [%r4+8];\n.loc 1 5 0\nst.shared.u32 [%r4+4], %r5;",
                1, ".shared .align 16 .b8 s[1024];") +
          ".file 1 \"k.cu\"\n",
      "k", {50}, {32});
  const auto extrapolation = run.buffer(std::vector<int>(4)).follow();
  ASSERT_TRUE(extrapolation.ok() && extrapolation->recording)
      << (extrapolation.ok() ? extrapolation->obstacle : "");
  const Recording whole = run.record();
  EXPECT_EQ(extrapolation->recording->findings, whole.findings);
  ASSERT_EQ(whole.findings.size(), 1u);
  EXPECT_EQ(whole.findings[0].count, 50u);
}

}  // namespace
}  // namespace warplens
