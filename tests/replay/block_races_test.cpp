// Races between blocks: with nothing that orders them each is told with both places; whatever orders them is
// honoured.
#include <set>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

using Lines = std::set<std::pair<std::uint32_t, std::uint32_t>>;

Lines raced(const Recording& recording) {
  Lines lines;
  for (const Finding& finding : recording.findings) {
    EXPECT_EQ(finding.kind, FindingKind::block_race) << finding.text;
    if (finding.kind == FindingKind::block_race) lines.insert({finding.line, finding.other_line});
  }
  return lines;
}

Trial block_trial(const std::string& body, Dim3 grid = {4}, Dim3 block = {32},
                  const std::string& declarations = "") {
  return {kernel_of(body, 1, declarations) + ".file 1 \"k.cu\"\n", "k", grid, block};
}

Lines block_races_of(const std::string& body, Dim3 grid = {4}, Dim3 block = {32},
                     const std::string& declarations = "") {
  Trial run = block_trial(body, grid, block, declarations);
  return raced(run.buffer(std::vector<int>(4096)).record());
}

/// %rd8: A + blockIdx * blockDim + threadIdx; %r1: threadIdx, %r2: blockIdx
const std::string kOwn = R"(
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd7, %r4, 4; add.s64 %rd8, %rd0, %rd7;
)";

TEST(BlockRaces, SumWithoutAtomicsNamesBothAccesses) {
  Trial run = block_trial(kOwn + R"(
setp.ne.u32 %p1, %r1, 5; @%p1 bra END;
.loc 1 4 0
ld.global.u32 %r5, [%rd0+8];
add.s32 %r5, %r5, 1;
.loc 1 5 0
st.global.u32 [%rd0+8], %r5;
END:)");
  const Recording recording = run.buffer(std::vector<int>(8)).record();
  ASSERT_EQ(raced(recording), (Lines{{4, 5}, {5, 4}, {5, 5}}));
  const Finding& finding = recording.findings[0];
  EXPECT_EQ(finding.line, 4u);
  EXPECT_EQ(finding.block, (Dim3{1, 0, 0}));
  EXPECT_EQ(finding.lanes, 1u << 5);
  EXPECT_EQ(finding.count, 3u);
  EXPECT_EQ(finding.text,
            "load of 4 bytes at A[2] by block 1,0,0, thread 5, and store of line 5 by block 0,0,0, thread 5: "
            "nothing orders the two blocks");
}

TEST(BlockRaces, LoadsOfAProductSumAreReported) {
  const std::string sum =
      "ld.global.f32 %f1, [%rd0]; ld.global.f32 %f2, [%rd8+8192]; fma.rn.f32 %f3, %f1, %f2, %f0; "
      "ld.global.f32 %f4, [%rd0+4]; ld.global.f32 %f5, "
      "[%rd8+8196]; fma.rn.f32 %f6, %f4, %f5, %f3;";
  EXPECT_EQ(block_races_of(kOwn + "mov.f32 %f0, 0f00000000;\n.loc 1 4 0\n" + sum +
                           "\n.loc 1 5 0\nst.global.f32 [%rd8+4096], %f6; st.global.u32 [%rd8], 7;"),
            (Lines{{4, 5}}));
}

TEST(BlockRaces, InPlaceStencilIsReported) {
  const std::string forward =
      kOwn + ".loc 1 4 0\nld.global.u32 %r5, [%rd8+4];\n.loc 1 5 0\nst.global.u32 [%rd8], %r5;";
  EXPECT_EQ(block_races_of(forward), (Lines{{5, 4}}));
  const std::string own_too = kOwn +
                              ".loc 1 3 0\nld.global.u32 %r6, [%rd8];\n.loc 1 4 0\nld.global.u32 %r5, "
                              "[%rd8+4];\n.loc 1 5 0\nst.global.u32 [%rd8], %r5;";
  EXPECT_EQ(block_races_of(own_too), (Lines{{5, 4}}));
  EXPECT_EQ(block_races_of(own_too, {1}, {32}), (Lines{})) << "one warp";
}

TEST(BlockRaces, StoresToOneElementAreReported) {
  EXPECT_EQ(block_races_of(kOwn + ".loc 1 4 0\nst.global.u32 [%rd0], %r2;"), (Lines{{4, 4}}));
  EXPECT_EQ(block_races_of(kOwn + "mov.u32 %r5, 7;\n.loc 1 4 0\nst.global.u32 [%rd0], %r5;"), (Lines{}))
      << "all store the same";
  EXPECT_EQ(block_races_of(kOwn + "st.global.u32 [%rd8], %r2; st.global.u32 [%rd8], %r1;"), (Lines{}))
      << "each to its own, twice";
}

TEST(BlockRaces, AdjacentBytesAreNotReported) {
  const std::string bytes =
      kOwn +
      "cvt.u64.u32 %rd9, %r4; add.s64 %rd9, %rd0, %rd9; cvt.u16.u32 %rs1, %r2; st.global.u8 [%rd9], %rs1;";
  EXPECT_EQ(block_races_of(bytes, {7}, {3}), (Lines{}));
}

TEST(BlockRaces, DoNotDependOnThreadsNorChangeResults) {
  for (const unsigned threads : {1u, 2u, 5u}) {
    Trial run = block_trial(kOwn +
                                ".loc 1 4 0\nst.global.u32 [%rd8], %r4; st.global.u32 [%rd8+4], %r4;\n.loc 1 "
                                "5 0\nred.global.add.u32 [%rd0+4000], 1;",
                            {20});
    run.options.threads = threads;
    const Recording recording = run.buffer(std::vector<int>(4096)).record();
    EXPECT_EQ(raced(recording), (Lines{{4, 4}})) << threads;
    EXPECT_EQ(recording.findings[0].count, 19u);
    EXPECT_EQ(recording.findings[0].block, (Dim3{1, 0, 0}));
    EXPECT_EQ(recording.findings[0].lanes, 1u);
    EXPECT_EQ(run.contents<int>(0)[1000], 640) << "blocks that ran once more have added nothing";
  }
}

TEST(BlockRaces, AtomicsAreNotReported) {
  EXPECT_EQ(block_races_of("red.global.add.u32 [%rd0], 1; atom.global.add.u32 %r1, [%rd0], 1; "
                           "atom.global.max.u32 %r2, [%rd0+4], %r1;"),
            (Lines{}));
}

TEST(BlockRaces, AtomicAndPlainAccessIsReported) {
  EXPECT_EQ(block_races_of(kOwn + ".loc 1 4 0\nred.global.add.u32 [%rd0], 1;\n.loc 1 5 0\nld.global.u32 %r5, "
                                  "[%rd0]; st.global.u32 [%rd8+400], %r5;"),
            (Lines{}))
      << "a first guess, perhaps";
  // Block 0 sets to zero what the others may have added to.
  EXPECT_EQ(
      block_races_of(
          kOwn +
          "setp.ne.u32 %p1, %r2, 0; @%p1 bra ADD;\n.loc 1 4 0\nst.global.u32 [%rd0], 0;\nADD:\n.loc 1 5 0\n"
          "red.global.add.u32 [%rd0], 1;"),
      (Lines{{5, 4}}));
}

TEST(BlockRaces, ModuleVariablesAreWatched) {
  const std::string sum =
      "mov.u64 %rd1, total;\n.loc 1 4 0\nld.global.u32 %r1, [%rd1+4];\n.loc 1 5 0\nst.global.u32 [%rd1+4], "
      "%r2;";
  Trial run(".version 9.0\n.target sm_90\n.address_size 64\n.global .align 4 .b32 total[2];\n" +
                kernel_of("mov.u32 %r2, %ctaid.x;\n" + sum)
                    .substr(std::string(".version 9.0\n.target sm_90\n.address_size 64\n").size()) +
                ".file 1 \"k.cu\"\n",
            "k", {2}, {1});
  const Recording recording = run.buffer(std::vector<int>(1)).record();
  EXPECT_EQ(raced(recording), (Lines{{4, 5}, {5, 4}, {5, 5}}));
  EXPECT_EQ(recording.findings[0].text.find(
                "load of 4 bytes at total[1] by block 1,0,0, thread 0, and store of line 5 by block 0,0,0"),
            0u)
      << recording.findings[0].text;
}

// threadFenceReduction: the last block of all adds up what all have left.
const std::string kPartials = kOwn + R"(
setp.ne.u32 %p1, %r1, 0; @%p1 bra END;
mul.wide.u32 %rd5, %r2, 4; add.s64 %rd5, %rd0, %rd5;
.loc 1 4 0
st.global.u32 [%rd5+64], 1;
membar.gl;
.loc 1 5 0
atom.global.inc.u32 %r6, [%rd0], 3;
mov.u32 %r7, 0;
)";
const std::string kAddUp = R"(
.loc 1 6 0
ld.global.u32 %r8, [%rd0+64]; ld.global.u32 %r9, [%rd0+68]; ld.global.u32 %r10, [%rd0+72];
add.s32 %r8, %r8, %r9; add.s32 %r8, %r8, %r10;
st.global.u32 [%rd0+128], %r8;
END:)";
TEST(BlockRaces, LastBlockReductionIsNotReported) {
  EXPECT_EQ(block_races_of(kPartials + "setp.ne.u32 %p2, %r6, 3; @%p2 bra END;" + kAddUp), (Lines{}));
  EXPECT_EQ(block_races_of(kPartials + "setp.ne.u32 %p2, %r6, 0; @%p2 bra END;" + kAddUp), (Lines{{4, 6}}))
      << "the first one has heard of nobody";
}

TEST(BlockRaces, LockOrdersBlocks) {
  const std::string guarded = R"(
.loc 1 5 0
ld.global.u32 %r6, [%rd0+4]; add.s32 %r6, %r6, 1; st.global.u32 [%rd0+4], %r6;
)";
  const std::string first_lane = "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra END;\n";
  const std::string take =
      "TAKE: atom.global.cas.b32 %r2, [%rd0], 0, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra TAKE;\n";
  EXPECT_EQ(
      block_races_of(first_lane + take + guarded + "membar.gl; atom.global.exch.b32 %r3, [%rd0], 0;\nEND:"),
      (Lines{}));
  EXPECT_EQ(
      block_races_of(first_lane + take + guarded + "membar.gl; st.volatile.global.u32 [%rd0], 0;\nEND:"),
      (Lines{}));
  EXPECT_EQ(block_races_of(first_lane + "red.global.add.u32 [%rd0], 1;\n" + guarded + "END:"),
            (Lines{{5, 5}}))
      << "what is only added to tells nothing";
}

// Each block stores, all wait for all, and each loads what the next one has stored.
std::string exchange(const std::string& wait) {
  return kOwn + R"(
.loc 1 4 0
st.global.u32 [%rd8+128], %r4;
bar.sync 0;
setp.ne.u32 %p1, %r1, 0; @%p1 bra MET;
)" + wait +
         R"(
MET: bar.sync 0;
.loc 1 6 0
ld.global.u32 %r9, [%rd8+256];
st.global.u32 [%rd8+2048], %r9;
)";
}
TEST(BlockRaces, StoresOfTheSameFragmentAreNone) {
  const std::string f = "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}";
  EXPECT_EQ(block_races_of("mov.f32 %f1, 0f3F800000;\n.loc 1 4 0\n"
                           "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd0], " +
                           f + ";"),
            Lines{});
}

TEST(BlockRaces, GridBarrierOrdersBlocks) {
  const std::string arrive = "membar.gl; red.global.add.u32 [%rd0], 1;\n";
  const std::string wait =
      "WAIT: ld.volatile.global.u32 %r5, [%rd0]; setp.lt.u32 %p2, %r5, 4; @%p2 bra WAIT;";
  EXPECT_EQ(block_races_of(exchange(arrive + wait)), (Lines{}));
  EXPECT_EQ(
      block_races_of(exchange(
          arrive + "WAIT: ld.acquire.gpu.global.u32 %r5, [%rd0]; setp.lt.u32 %p2, %r5, 4; @%p2 bra WAIT;")),
      (Lines{}));
  EXPECT_EQ(block_races_of(exchange(
                arrive + "WAIT: atom.global.or.b32 %r5, [%rd0], 0; setp.lt.u32 %p2, %r5, 4; @%p2 bra WAIT;")),
            (Lines{}));
  EXPECT_EQ(block_races_of(exchange(arrive)), (Lines{{4, 6}}));
  EXPECT_EQ(block_races_of(exchange("")), (Lines{{4, 6}}));
}

// A chain: each block waits for the flag of the one before it, takes its sum, and sets its own.
TEST(BlockRaces, ChainOfFlagsOrdersBlocks) {
  const auto chain = [](const std::string& set) {
    return kOwn + R"(
setp.ne.u32 %p1, %r1, 0; @%p1 bra END;
mul.wide.u32 %rd5, %r2, 4; add.s64 %rd5, %rd0, %rd5;
mov.u32 %r6, 0;
setp.eq.u32 %p2, %r2, 0; @%p2 bra FIRST;
WAIT: ld.volatile.global.u32 %r5, [%rd5+60]; setp.eq.u32 %p3, %r5, 0; @%p3 bra WAIT;
.loc 1 5 0
ld.global.u32 %r6, [%rd5+252];
FIRST: add.s32 %r6, %r6, 1;
.loc 1 6 0
st.global.u32 [%rd5+256], %r6;
membar.gl;
.loc 1 7 0
)" + set + "\nEND:";
  };
  EXPECT_EQ(block_races_of(chain("st.volatile.global.u32 [%rd5+64], 1;")), (Lines{}));
  EXPECT_EQ(block_races_of(chain("st.release.gpu.global.u32 [%rd5+64], 1;")), (Lines{}));
  EXPECT_EQ(block_races_of(chain("st.global.u32 [%rd5+64], 1;")), (Lines{}))
      << "a plain flag, which a strong load waits for";
}

TEST(BlockRaces, AreReportedInExtrapolatedGrids) {
  const auto obstacle = [](const std::string& body) {
    Trial run = block_trial(body, {40});
    const auto extrapolation = run.buffer(std::vector<int>(4096)).follow();
    return extrapolation.ok() ? extrapolation->obstacle : extrapolation.error().message();
  };
  const std::string meet = "blocks store to one place, or load what others store";
  EXPECT_EQ(obstacle(kOwn + "st.global.u32 [%rd8], %r1;"), "");
  EXPECT_EQ(obstacle(kOwn + "st.global.u32 [%rd8], %r1; st.global.u32 [%rd8], %r2;"), "");
  EXPECT_EQ(obstacle(kOwn + "ld.global.u32 %r5, [%rd8]; st.global.u32 [%rd8], %r5;"), "") << "in place";
  EXPECT_EQ(obstacle(kOwn + "ld.global.u32 %r5, [%rd8+8192]; st.global.u32 [%rd8], %r5;"), "")
      << "from the other half";
  EXPECT_EQ(obstacle(kOwn + "red.global.add.u32 [%rd0], %r1; st.global.u32 [%rd8+256], %r1;"), "");
  EXPECT_EQ(obstacle(kOwn + "st.global.u32 [%rd8], %r1; st.global.u32 [%rd8+4], %r2;"), meet);
  EXPECT_EQ(obstacle(kOwn + "ld.global.u32 %r5, [%rd8+4]; st.global.u32 [%rd8], %r5;"), meet);
  EXPECT_EQ(obstacle(kOwn + "ld.global.u32 %r5, [%rd0]; st.global.u32 [%rd8], %r5;"), meet);
  EXPECT_EQ(obstacle(kOwn + "red.global.add.u32 [%rd0+256], %r1; st.global.u32 [%rd8], %r1;"), meet);
  EXPECT_EQ(
      obstacle(kOwn +
               "red.global.add.u32 [%rd8], %r1; ld.global.u32 %r5, [%rd0]; st.global.u32 [%rd8+8192], %r5;"),
      meet);
}

}  // namespace
}  // namespace warplens
