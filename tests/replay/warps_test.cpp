// Shuffles, votes, barriers that reduce, and atomics.
#include <algorithm>
#include <bit>
#include <numeric>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::numbers;
using testing::Trial;

Trial warps(const std::string& entry, std::uint32_t threads = 64, std::uint32_t blocks = 1) {
  return {testing::read_ptx("replay_warps.sm_75.ptx"), entry, {blocks}, {threads}};
}

TEST(Warps, Shuffles) {
  const std::vector<int> a = numbers(64);
  Trial run = warps("warp_sums");
  run.buffer(a).buffer(std::vector<int>(256)).record();
  const auto c = run.contents<int>(1);
  for (int warp = 0; warp < 2; ++warp) {
    const int sum = std::accumulate(a.begin() + 32 * warp, a.begin() + 32 * warp + 32, 0);
    EXPECT_EQ(c[32 * warp], sum);
    for (int l = 0; l < 32; ++l) {
      const int i = 32 * warp + l;
      EXPECT_EQ(c[64 + i], sum);
      EXPECT_EQ(c[128 + i], a[32 * warp + l / 8 * 8 + i / 3 % 8]) << i;
      EXPECT_EQ(c[192 + i], l % 16 >= 3 ? a[i - 3] : a[i]) << i;
    }
  }
}

TEST(Warps, Votes) {
  const std::vector<int> a = numbers(64);
  Trial run = warps("votes");
  run.buffer(a).buffer(std::vector<unsigned>(256)).record();
  const auto c = run.contents<unsigned>(1);
  for (int i = 0; i < 64; ++i) {
    unsigned odd = 0, alike = 0;
    bool five = false;
    for (int l = 0; l < 32; ++l) {
      const int other = a[i / 32 * 32 + l];
      odd |= static_cast<unsigned>(other & 1) << l;
      alike |= static_cast<unsigned>(other % 4 == a[i] % 4) << l;
      five |= other == 5;
    }
    EXPECT_EQ(c[i], odd);
    EXPECT_EQ(c[64 + i], (five ? 2u : 0u) + 1u);
    EXPECT_EQ(c[128 + i], (a[i] & 1) != 0 ? odd : 0u);
    EXPECT_EQ(c[192 + i], alike);
  }
}

// Two tiles of 16 lanes, each with a mask of its own in the same instruction; the upper one's result goes
// over its mask.
TEST(Warps, TilesVoteByThemselves) {
  const std::vector<int> a = numbers(32);
  Trial run{
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_a, .param .u64 "
      "k_c)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n"
      ".reg .b64 %rd<6>;\nld.param.u64 %rd1, [k_a];\nld.param.u64 %rd2, [k_c];\nmov.u32 %r1, "
      "%tid.x;\nmul.wide.u32 %rd3, %r1, 4;\n"
      "add.s64 %rd1, %rd1, %rd3;\nadd.s64 %rd2, %rd2, %rd3;\nld.global.u32 %r2, [%rd1];\nsetp.lt.u32 %p1, "
      "%r1, 16;\n"
      "selp.b32 %r3, 0xffff, 0xffff0000, %p1;\nand.b32 %r4, %r2, 1;\nsetp.ne.u32 %p2, %r4, 0;\nand.b32 %r5, "
      "%r2, 3;\n"
      "redux.sync.add.s32 %r6, %r2, %r3;\nst.global.u32 [%rd2], %r6;\nmatch.any.sync.b32 %r7, %r5, "
      "%r3;\nst.global.u32 [%rd2+128], %r7;\n"
      "setp.eq.s32 %p3, %r2, 5;\nvote.sync.any.pred %p3, %p3, %r3;\nselp.b32 %r8, 1, 0, %p3;\nst.global.u32 "
      "[%rd2+256], %r8;\n"
      "vote.sync.ballot.b32 %r3, %p2, %r3;\nst.global.u32 [%rd2+384], %r3;\nret;\n}\n",
      "k",
      {1},
      {32}};
  run.buffer(a).buffer(std::vector<int>(128)).record();
  const auto c = run.contents<int>(1);
  for (int l = 0; l < 32; ++l) {
    const int first = l / 16 * 16;
    unsigned odd = 0, alike = 0;
    for (int other = first; other < first + 16; ++other) {
      odd |= static_cast<unsigned>(a[other] & 1) << other;
      alike |= static_cast<unsigned>((a[other] & 3) == (a[l] & 3)) << other;
    }
    EXPECT_EQ(c[l], std::accumulate(a.begin() + first, a.begin() + first + 16, 0));
    EXPECT_EQ(static_cast<unsigned>(c[32 + l]), alike);
    EXPECT_EQ(c[64 + l], std::count(a.begin() + first, a.begin() + first + 16, 5) > 0 ? 1 : 0);
    EXPECT_EQ(static_cast<unsigned>(c[96 + l]), odd);
  }
}

// One lane after the other, one block after the other: what each lane gets back is settled.
TEST(Warps, AtomicsInOrder) {
  const std::vector<int> a = numbers(192);
  std::vector<int> expected(16 + 192);
  expected[2] = 1 << 30;
  unsigned inc = 0, dec = 0;
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    expected[0] += a[i];
    expected[1] = std::max(expected[1], a[i]);
    expected[2] = std::min(expected[2], a[i]);
    expected[3] ^= a[i];
    expected[16 + i] = a[i];
    inc = inc >= 4 ? 0 : inc + 1;
    dec = dec == 0 || dec > 9 ? 9 : dec - 1;
    if (expected[8] == 0) expected[8] = a[i];
    sum += 0.1f * static_cast<float>(a[i]);
  }
  expected[4] = 192;
  expected[5] = static_cast<int>(inc);
  expected[6] = static_cast<int>(dec);
  expected[7] = a.back();
  expected[9] = std::bit_cast<int>(sum);
  for (const unsigned threads : {1u, 4u}) {
    std::vector<int> before(16 + 192);
    before[2] = 1 << 30;
    Trial run = warps("atomics", 64, 3);
    run.options.threads = threads;
    run.buffer(a).buffer(before).record();
    EXPECT_EQ(run.contents<int>(1), expected);
  }
}

TEST(Warps, BarriersThatReduce) {
  const std::vector<int> a = numbers(96);
  Trial run = warps("counted", 96);
  run.buffer(a).buffer(std::vector<int>(96)).record();
  const auto odd = static_cast<int>(std::count_if(a.begin(), a.end(), [](int v) { return (v & 1) != 0; }));
  const bool all = std::all_of(a.begin(), a.end(), [](int v) { return v < 1000; }),
             any = std::find(a.begin(), a.end(), 3) != a.end();
  EXPECT_EQ(run.contents<int>(1), std::vector<int>(96, odd * 4 + (all ? 2 : 0) + (any ? 1 : 0)));
}

TEST(Warps, SumsInSharedMemory) {
  std::vector<float> a(1024);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 17);
  Trial run = warps("sum_in_shared", 256, 4);
  const Recording recording = run.buffer(a).buffer(std::vector<float>(4)).record();
  EXPECT_TRUE(recording.findings.empty());
  EXPECT_TRUE(recording.phases_are_barriers);
  EXPECT_EQ(recording.phases.size(), 10u);
  for (std::size_t b = 0; b < 4; ++b) {
    float sum = 0;
    for (std::size_t i = 0; i < 256; ++i) sum += a[256 * b + i];
    EXPECT_EQ(run.contents<float>(1)[b], sum);
  }
}

TEST(Warps, ThreadsHavePrivateLocalMemory) {
  const std::vector<int> a = numbers(64);
  const int n = 13;
  Trial run = warps("spilled");
  const Recording recording = run.buffer(a).buffer(std::vector<int>(64)).scalar(n).record();
  EXPECT_TRUE(std::any_of(recording.sites.begin(), recording.sites.end(),
                          [](const Site& site) { return site.space == Space::local; }));
  for (std::size_t i = 0; i < 64; ++i) {
    int local[8];
    unsigned sum = 0;  // wraps, as the kernel's does
    for (int k = 0; k < 8; ++k) local[k] = a[i] + k;
    for (int k = 0; k < n; ++k) local[(a[i] + k) & 7] += k;
    for (int k = 0; k < n; ++k) sum = sum * 3 + static_cast<unsigned>(local[(k * 5) & 7]);
    ASSERT_EQ(run.contents<int>(1)[i], static_cast<int>(sum)) << i;
  }
}

// Lanes that their own mask leaves out
// ---------------------------------------------------------------------------------------------------------------------------------------------

Recording crossing(const std::string& body, Dim3 block = {32}) {
  Trial run(kernel_of("mov.u32 %r1, %tid.x; and.b32 %r9, %r1, 31;\n.loc 1 4 0\n" + body +
                          "\nst.global.u32 [%rd0], 1;",
                      1) +
                ".file 1 \"k.cu\"\n",
            "k", {1}, block);
  return run.buffer(std::vector<int>(1)).record();
}

TEST(UndefinedLanes, LanesOutsideTheirOwnMaskAreReported) {
  for (const char* body :
       {"shfl.sync.down.b32 %r2, %r1, 1, 31, 0xffff;",
        "setp.ge.u32 %p1, %r1, 0; vote.sync.ballot.b32 %r2, %p1, 0xffff;",
        "setp.ge.u32 %p1, %r1, 0; vote.sync.any.pred %p2, %p1, 0xffff;",
        "match.any.sync.b32 %r2, %r1, 0xffff;", "redux.sync.add.u32 %r2, %r1, 0xffff;",
        "elect.sync _|%p2, 0xffff;", "mov.u32 %r3, 0xffff; shfl.sync.idx.b32 %r2|%p3, %r1, 0, 31, %r3;"}) {
    const Recording recording = crossing(body);
    ASSERT_EQ(recording.findings.size(), 1u) << body;
    EXPECT_EQ(recording.findings[0].kind, FindingKind::undefined_lanes) << body;
    EXPECT_EQ(recording.findings[0].line, 4u);
    EXPECT_EQ(recording.findings[0].lanes, 0xffff0000u) << body;
    EXPECT_NE(recording.findings[0].text.find("by lanes 16-31, which their mask 0xffff leaves out"),
              std::string::npos)
        << recording.findings[0].text;
  }
}

TEST(UndefinedLanes, CompleteMaskIsNotReported) {
  for (const char* body :
       {"shfl.sync.down.b32 %r2, %r1, 1, 31, -1;", "redux.sync.add.u32 %r2, %r1, 0xffffffff;",
        "activemask.b32 %r3; shfl.sync.idx.b32 %r2, %r1, 0, 31, %r3;",
        // Those that have a mask of their own, in one instruction
        "setp.lt.u32 %p1, %r9, 8; selp.b32 %r3, 0xff, 0xffffff00, %p1; redux.sync.add.u32 %r2, %r1, %r3;",
        // Half of the warp
        "setp.lt.u32 %p1, %r9, 16; @%p1 shfl.sync.down.b32 %r2, %r1, 1, 31, 0xffff;",
        "setp.lt.u32 %p1, %r9, 20; vote.sync.ballot.b32 %r3, %p1, -1; @!%p1 bra L; shfl.sync.down.b32 %r2, "
        "%r1, 8, 31, %r3; L:",
        "shfl.down.b32 %r2, %r1, 1, 31;"}) {
    const Recording recording = crossing(body, {40});
    EXPECT_TRUE(recording.findings.empty()) << body << ": " << recording.findings[0].text;
  }
}

// Lanes that a mask names and that do not come
// ---------------------------------------------------------------------------------------------------------------------------------------------

const std::string kBranch = "setp.lt.u32 %p1, %r9, 20; @!%p1 bra L; ";

TEST(AbsentLanes, LanesThatSkipTheInstructionAreReported) {
  for (const char* body : {"shfl.sync.down.b32 %r2, %r1, 1, 31, -1;", "vote.sync.ballot.b32 %r2, %p1, -1;",
                           "vote.sync.any.pred %p2, %p1, -1;", "match.any.sync.b32 %r2, %r1, -1;",
                           "redux.sync.add.u32 %r2, %r1, -1;", "elect.sync _|%p2, -1;", "bar.warp.sync -1;",
                           "mov.u32 %r3, -1; bar.warp.sync %r3;"}) {
    const Recording recording = crossing(kBranch + body + " L:");
    ASSERT_EQ(recording.findings.size(), 1u) << body;
    EXPECT_EQ(recording.findings[0].kind, FindingKind::absent_lanes) << body;
    EXPECT_EQ(recording.findings[0].line, 4u);
    EXPECT_EQ(recording.findings[0].lanes, 0xfff00000u) << body;
    EXPECT_NE(recording.findings[0].text.find(
                  "by lanes 0-19 of warp 0: lanes 20-31 are in the mask but do not arrive"),
              std::string::npos)
        << recording.findings[0].text;
  }
  const Recording guarded = crossing("setp.lt.u32 %p1, %r9, 20; @%p1 bar.warp.sync -1;");
  ASSERT_EQ(guarded.findings.size(), 1u);
  EXPECT_EQ(guarded.findings[0].lanes, 0xfff00000u);
  // They come to the next one together with those that had waited
  const Recording later = crossing(kBranch + "bar.warp.sync -1; L:\n.loc 1 5 0\nbar.warp.sync -1;");
  ASSERT_EQ(later.findings.size(), 1u);
  EXPECT_EQ(later.findings[0].line, 4u);
  // A loop that some lanes have left
  const Recording loop = crossing(
      "mov.u32 %r5, %r9; L: vote.sync.any.pred %p2, %p1, -1; add.u32 %r5, %r5, 8; setp.lt.u32 %p1, %r5, 64; "
      "@%p1 bra L;");
  ASSERT_EQ(loop.findings.size(), 1u);
  EXPECT_EQ(loop.findings[0].kind, FindingKind::absent_lanes);
}

TEST(AbsentLanes, LanesThatArriveElsewhereOrExitedAreNotReported) {
  for (const std::string& body :
       {kBranch + "bar.warp.sync -1; bra M; L: bar.warp.sync -1; M:",
        kBranch + "vote.sync.any.pred %p2, %p1, -1; bra M; L: vote.sync.any.pred %p2, %p1, -1; M:",
        kBranch + "bar.warp.sync 0xfffff; L:", kBranch + "activemask.b32 %r3; bar.warp.sync %r3; L:",
        std::string(
            "setp.ge.u32 %p1, %r9, 20; @%p1 ret; bar.warp.sync -1; vote.sync.ballot.b32 %r2, %p1, -1;"),
        std::string(
            "setp.ge.u32 %p1, %r9, 20; @%p1 bra L; bar.warp.sync -1; st.global.u32 [%rd0], 2; L: ret;"),
        // One side in one pass of a loop, the other in the next
        std::string("mov.u32 %r5, 0; N: and.b32 %r6, %r9, 1; setp.ne.u32 %p1, %r6, %r5; @%p1 bra L; "
                    "bar.warp.sync -1; L: add.u32 %r5, %r5, 1;\n"
                    "setp.lt.u32 %p2, %r5, 2; @%p2 bra N;"),
        std::string("shfl.down.b32 %r2, %r1, 1, 31;"),
        kBranch + "shfl.down.b32 %r2, %r1, 1, 31; vote.any.pred %p2, %p1; L:"}) {
    const Recording recording = crossing(body, {40});
    EXPECT_TRUE(recording.findings.empty()) << body << ": " << recording.findings[0].text;
  }
}

Recording shuffled(const std::string& body, Dim3 block) {
  Trial run(kernel_of("mov.u32 %r1, %tid.x; and.b32 %r9, %r1, 31; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, "
                      "%rd0, %rd1;\n.loc 1 4 0\n" +
                      body) +
                ".file 1 \"k.cu\"\n",
            "k", {1}, block);
  const Recording recording = run.buffer(std::vector<int>(64)).record();
  return recording;
}

TEST(AbsentLanes, ShuffleFromAbsentLaneIsReported) {
  const std::string store = " st.global.u32 [%rd1], %r2;";
  const std::pair<std::string, Dim3> kShuffles[] = {
      {"shfl.sync.down.b32 %r2, %r1, 16, 31, -1;" + store, {20}},  // A short warp
      {"shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;" + store, {52}},  // The last warp is
      {"setp.ge.u32 %p1, %r9, 20; @%p1 ret; shfl.sync.down.b32 %r2, %r1, 16, 31, -1;" + store,
       {32}},  // They have exited
      {kBranch + "activemask.b32 %r3; shfl.sync.down.b32 %r2, %r1, 16, 31, %r3;" + store + " L:",
       {32}},                                                               // The mask leaves them out
      {kBranch + "shfl.down.b32 %r2, %r1, 16, 31;" + store + " L:", {32}},  // Without a mask
      {"shfl.sync.down.b32 %r2, %r1, 16, 31, -1; setp.lt.u32 %p1, %r9, 16; @%p1 st.global.u32 [%rd1], %r2;",
       {20}}};
  for (const auto& [body, block] : kShuffles) {
    const Recording recording = shuffled(body, block);
    ASSERT_EQ(recording.findings.size(), 1u) << body;
    EXPECT_EQ(recording.findings[0].kind, FindingKind::absent_lanes) << body;
    EXPECT_EQ(recording.findings[0].lanes, 0xfff0u) << body;
    EXPECT_NE(recording.findings[0].text.find("reads from lanes 20-31, which do not take part"),
              std::string::npos)
        << recording.findings[0].text;
  }
}

TEST(AbsentLanes, UnusedShuffleValueIsNotReported) {
  for (const std::string use :
       {"setp.lt.u32 %p1, %r9, 4; selp.u32 %r2, %r2, 0, %p1; st.global.u32 [%rd1], %r2;",
        "setp.lt.u32 %p1, %r9, 4; @%p1 st.global.u32 [%rd1], %r2;",
        "and.b32 %r2, %r2, 0; st.global.u32 [%rd1], %r2;"}) {
    const Recording recording = shuffled("shfl.sync.down.b32 %r2, %r1, 16, 31, -1;" + use, {20});
    EXPECT_TRUE(recording.findings.empty()) << use << ": " << recording.findings[0].text;
  }
}

TEST(AbsentLanes, SecondRunsLeaveMemoryUnchanged) {
  Trial run(kernel_of("mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1; "
                      "ld.global.u32 %r2, [%rd1];\n"
                      "shfl.sync.down.b32 %r3, %r2, 16, 31, -1; add.u32 %r2, %r2, 1; st.global.u32 [%rd1], "
                      "%r2; st.global.u32 [%rd1+128], %r3;"),
            "k", {1}, {20});
  EXPECT_EQ(run.buffer(std::vector<int>(64)).record().findings.size(), 1u);
  for (int l = 0; l < 20; ++l) EXPECT_EQ(run.contents<int>(0)[static_cast<std::size_t>(l)], 1);
}

}  // namespace
}  // namespace warplens
