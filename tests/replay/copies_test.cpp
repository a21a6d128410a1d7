// Asynchronous copies: what they copy, when it lands, and what is wrong about accesses in between. PTX ISA,
// "cp.async".
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

/// %r1 the thread, %r4 its 16 bytes of shared memory, %rd1 its 16 bytes of the first buffer, %rd2 its word of
/// the second.
std::string copying(const std::string& body) {
  return kernel_of(R"(
mov.u32 %r1, %tid.x; mov.u32 %r3, s; shl.b32 %r4, %r1, 4; add.s32 %r4, %r3, %r4;
mul.wide.u32 %rd3, %r1, 16; add.s64 %rd1, %rd0, %rd3; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd1, 0;
ld.param.u64 %rd2, [p1]; add.s64 %rd2, %rd2, %rd3;
)" + body,
                   2, ".shared .align 16 .b8 s[4096];") +
         ".file 1 \"k.cu\"\n";
}

struct Ran {
  Recording recording;
  std::vector<std::uint32_t> words;  ///< Of the second buffer
  [[nodiscard]] std::vector<std::string> findings() const {
    std::vector<std::string> found;
    for (const Finding& finding : recording.findings) {
      found.push_back(fmt::format("{} {} {}", name_of(finding.kind), finding.line, finding.other_line));
    }
    return found;
  }
};

Ran run(const std::string& body, Dim3 block = {32}) {
  std::vector<std::uint32_t> source(1024);
  std::iota(source.begin(), source.end(), 1000u);
  Trial trial(copying(body), "k", {1}, block);
  trial.options.event_blocks = {{0, 0, 0}};
  Ran ran;
  ran.recording = trial.buffer(source).buffer(std::vector<std::uint32_t>(256)).record();
  ran.words = trial.contents<std::uint32_t>(1);
  return ran;
}

using Texts = std::vector<std::string>;

TEST(AsyncCopies, LandWhenTheirGroupIsWaitedFor) {
  const Ran ran = run(R"(
cp.async.cg.shared.global.L2::128B [%r4], [%rd1], 16;
cp.async.commit_group;
cp.async.wait_group 0;
ld.shared.u32 %r5, [%r4+8]; st.global.u32 [%rd2], %r5;
)");
  EXPECT_EQ(ran.findings(), Texts{});
  for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(ran.words[l], 1000 + 4 * l + 2) << l;
}

TEST(AsyncCopies, OfEachFormCopyTheirBytes) {
  const std::pair<const char*, std::uint32_t> kForms[] = {
      {"cp.async.ca.shared.global [%r4], [%rd1], 4;", 1},
      {"cp.async.ca.shared::cta.global [%r4], [%rd1], 8;", 2},
      {"cp.async.ca.shared.global.L2::64B [%r4], [%rd1], 16;", 4},
      {"cp.async.cg.shared.global [%r4], [%rd1], 16, 16;", 4},
      {"mov.u32 %r9, 4; cp.async.cg.shared.global [%r4], [%rd1], 16, %r9;", 1},
      {"cp.async.cg.shared.global [%r4], [%rd1], 16, 0;", 0},
      {"setp.eq.u32 %p1, %r1, 77; cp.async.cg.shared.global [%r4], [%rd1], 16, %p1;", 4},
      {"setp.ne.u32 %p1, %r1, 77; cp.async.cg.shared.global [%r4], [%rd1], 16, %p1;", 0},
      {"cp.async.cg.shared.global.L2::cache_hint [%r4], [%rd1], 16, %rd3;", 4},
      {"cp.async.cg.shared.global.L2::cache_hint [%r4], [%rd1], 16, 8, %rd3;", 2}};
  for (const auto& [copy, words] : kForms) {
    const Ran ran =
        run(std::string("mov.u32 %r5, 7; st.shared.v4.u32 [%r4], {%r5, %r5, %r5, %r5};\n") + copy +
            R"(
cp.async.wait_all;
ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r4];
mul.lo.u32 %r10, %r10, 1; mad.lo.u32 %r10, %r11, 3, %r10; mad.lo.u32 %r10, %r12, 5, %r10;
mad.lo.u32 %r10, %r13, 7, %r10; st.global.u32 [%rd2], %r10;
)");
    EXPECT_EQ(ran.findings(), Texts{}) << copy;
    const std::uint32_t bytes = std::string(copy).find(", 4;") != std::string::npos &&
                                        std::string(copy).find("16") == std::string::npos
                                    ? 4
                                : std::string(copy).find(", 8;") != std::string::npos ? 8
                                                                                      : 16;
    for (std::uint32_t l = 0; l < 32; ++l) {
      std::uint32_t expected = 0;
      for (std::uint32_t w = 0; w < 4; ++w) {
        const std::uint32_t value = w < words ? 1000 + 4 * l + w : w < bytes / 4 ? 0 : 7;
        expected += value * (w == 0 ? 1 : 2 * w + 1);
      }
      EXPECT_EQ(ran.words[l], expected) << copy << " " << l;
    }
  }
}

TEST(AsyncCopies, HaveASiteInEachSpace) {
  const Ran ran = run(R"(
setp.ge.u32 %p1, %r1, 16; mov.u32 %r9, 16; @%p1 mov.u32 %r9, 0;
cp.async.cg.shared.global [%r4], [%rd1], 16, %r9;
cp.async.wait_all;
)");
  EXPECT_EQ(ran.findings(), Texts{});
  const Recording& recording = ran.recording;
  ASSERT_EQ(recording.sites.size(), 2u);
  EXPECT_EQ(recording.sites[0].space, Space::global);
  EXPECT_EQ(recording.sites[1].space, Space::shared);
  EXPECT_EQ(recording.sites[1].value_from, 0);
  for (const Site& site : recording.sites) {
    EXPECT_EQ(site.op, AccessOp::cp_async);
    EXPECT_EQ(site.bytes, 16);
  }
  // Lanes that read nothing write zeros.
  EXPECT_EQ(recording.totals[0].thread_accesses, 16u);
  EXPECT_EQ(recording.totals[1].thread_accesses, 32u);
  ASSERT_EQ(recording.events.size(), 2u);
  EXPECT_EQ(recording.events.mask[0], 0xffffu);
  EXPECT_EQ(recording.events.mask[1], 0xffffffffu);
  ASSERT_FALSE(recording.phases.empty());
  EXPECT_EQ(recording.phases[0].global_loads, 1u);
  EXPECT_EQ(recording.phases[0].fills, 1u);
}

TEST(AsyncCopies, LandingsSayInWhichPhase) {
  const Ran ran = run(R"(
cp.async.cg.shared.global [%r4], [%rd1], 16;
cp.async.commit_group;
cp.async.cg.shared.global [%r4+1024], [%rd1], 16;
cp.async.commit_group;
bar.sync 0;
cp.async.wait_group 1;
ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd2], %r5;
bar.sync 0;
cp.async.wait_group 0;
)");
  EXPECT_EQ(ran.findings(), Texts{});
  EXPECT_EQ(
      ran.recording.landings,
      (std::vector<CopyLanding>{{.block = 0, .warp = 0, .order = 1, .landed_phase = 1, .landed_order = 4},
                                {.block = 0, .warp = 0, .order = 3, .landed_phase = 2, .landed_order = 6}}));
}

TEST(AsyncCopies, ReadOnlyTheBytesThatAreAskedFor) {
  // The last thread's 16 bytes end behind the buffer, of which it reads 4.
  const std::string body = R"(
add.s64 %rd1, %rd1, 3584; setp.eq.u32 %p1, %r1, 31; mov.u32 %r9, 16; @%p1 mov.u32 %r9, {};
cp.async.cg.shared.global [%r4], [%rd1], 16, %r9;
cp.async.wait_all;
)";
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), 16)).findings(), Texts{});
  const std::string beyond = R"(
add.s64 %rd1, %rd1, 3600; setp.eq.u32 %p1, %r1, 31; mov.u32 %r9, 16; @%p1 mov.u32 %r9, {};
cp.async.cg.shared.global [%r4], [%rd1], 16, %r9;
cp.async.wait_all;
)";
  EXPECT_EQ(run(fmt::format(fmt::runtime(beyond), 16)).findings(), Texts{"out_of_bounds 0 0"});
  EXPECT_EQ(run(fmt::format(fmt::runtime(beyond), 0)).findings(), Texts{});
}

TEST(AsyncCopies, DestinationReadBeforeTheWaitIsReported) {
  const Ran ran = run(R"(
.loc 1 3 0
cp.async.cg.shared.global [%r4], [%rd1], 16;
cp.async.commit_group;
.loc 1 5 0
ld.shared.u32 %r5, [%r4];
cp.async.wait_group 0;
st.global.u32 [%rd2], %r5;
)");
  EXPECT_EQ(ran.findings(), Texts{"async_copy 5 3"});
  EXPECT_EQ(ran.words[0], 0u);
  EXPECT_EQ(
      ran.recording.findings.back().text,
      "load of 4 bytes at shared address 0x0 by lane 0 of warp 0, while the asynchronous copy of line 3 "
      "to it is in flight: nothing has waited for it");
}

TEST(AsyncCopies, OnlyTheGroupsWaitedForHaveLanded) {
  const std::string body = R"(
.loc 1 2 0
cp.async.cg.shared.global [%r4], [%rd1], 16;
cp.async.commit_group;
.loc 1 3 0
cp.async.cg.shared.global [%r4+1024], [%rd1+512], 16;
cp.async.commit_group;
.loc 1 4 0
cp.async.wait_group {};
.loc 1 5 0
ld.shared.u32 %r5, [%r4]; ld.shared.u32 %r6, [%r4+{}];
add.u32 %r5, %r5, %r6; st.global.u32 [%rd2], %r5;
)";
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), 1, 4)).findings(), Texts{});
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), 0, 1024)).findings(), Texts{});
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), 1, 1024)).findings(), Texts{"async_copy 5 3"});
}

TEST(AsyncCopies, WithoutABarrierOtherWarpsRace) {
  const std::string body = R"(
.loc 1 3 0
cp.async.cg.shared.global [%r4], [%rd1], 16;
cp.async.commit_group;
cp.async.wait_group 0;
{}
.loc 1 6 0
xor.b32 %r5, %r1, {}; shl.b32 %r5, %r5, 4; add.u32 %r5, %r5, %r3;
ld.shared.u32 %r5, [%r5]; st.global.u32 [%rd2], %r5;
)";
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), "bar.sync 0;", 32), {64}).findings(), Texts{});
  const Ran races = run(fmt::format(fmt::runtime(body), "", 32), {64});
  const Texts found = races.findings();
  EXPECT_TRUE(std::ranges::find(found, "race 6 3") != found.end()) << found.size();
  // Within the warp lanes are ordered by __syncwarp.
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), "bar.warp.sync -1;", 1)).findings(), Texts{});
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), "", 1)).findings(), Texts{"lane_race 6 3"});
}

TEST(AsyncCopies, CopiesInFlightRaceAcrossBarriers) {
  const std::string body = R"(
.loc 1 3 0
cp.async.cg.shared.global [%r4], [%rd1], 16;
cp.async.commit_group;
{}
bar.sync 0;
.loc 1 6 0
xor.b32 %r5, %r1, 32; shl.b32 %r5, %r5, 4; add.u32 %r5, %r5, %r3;
ld.shared.u32 %r5, [%r5]; st.global.u32 [%rd2], %r5;
.loc 1 8 0
bar.sync 0;
cp.async.wait_group 0;
)";
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), "cp.async.wait_group 0;"), {64}).findings(), Texts{});
  const Ran ran = run(fmt::format(fmt::runtime(body), ""), {64});
  const Texts found = ran.findings();
  EXPECT_TRUE(std::ranges::find(found, "race 6 3") != found.end()) << found.size();
}

TEST(AsyncCopies, TwoInFlightToOnePlaceAreReported) {
  const std::string body = R"(
.loc 1 3 0
cp.async.cg.shared.global [%r4], [%rd1], 16;
cp.async.commit_group;
{}
.loc 1 5 0
cp.async.ca.shared.global [%r4+8], [%rd1], 4;
cp.async.wait_all;
)";
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), "")).findings(), Texts{"async_copy 5 3"});
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), "cp.async.wait_group 0;")).findings(), Texts{});
}

TEST(AsyncCopies, AChangedSourceIsReported) {
  const std::string body = R"(
.loc 1 3 0
cp.async.ca.shared.global [%r4], [%rd2], 4;
cp.async.commit_group;
{}
.loc 1 5 0
st.global.u32 [%rd2], %r1;
.loc 1 6 0
cp.async.wait_group 0;
)";
  // Lane 0 stores what is there already.
  const Ran ran = run(fmt::format(fmt::runtime(body), ""));
  EXPECT_EQ(ran.findings(), Texts{"async_copy 3 6"});
  EXPECT_EQ(ran.recording.findings[0].lanes, 0xfffffffeu);
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), "cp.async.wait_group 0;")).findings(), Texts{});
}

/// A loop over tiles of 512 bytes with `stages` buffers: `stages - 1` copies in flight.
std::string pipeline(int stages, int buffers, bool barrier = true) {
  return fmt::format(R"(
mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, 0; mov.u64 %rd10, %rd1;
PROLOGUE:
mad.lo.u32 %r23, %r20, 1024, %r4;
.loc 1 3 0
cp.async.cg.shared.global [%r23], [%rd10], 16;
cp.async.commit_group;
add.s64 %rd10, %rd10, 1024; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, {0}; @%p1 bra PROLOGUE;
mov.u32 %r24, 0;
LOOP:
cp.async.wait_group {2};
{3}
rem.u32 %r25, %r24, {1}; xor.b32 %r26, %r1, 32; shl.b32 %r26, %r26, 4; mad.lo.u32 %r26, %r25, 1024, %r26; add.u32 %r26, %r26, %r3;
.loc 1 6 0
ld.shared.u32 %r27, [%r26]; add.u32 %r21, %r21, %r27;
add.u32 %r28, %r24, {0}; setp.ge.u32 %p2, %r28, 4; @%p2 bra NONE;
rem.u32 %r28, %r28, {1}; mad.lo.u32 %r28, %r28, 1024, %r4;
.loc 1 8 0
cp.async.cg.shared.global [%r28], [%rd10], 16;
add.s64 %rd10, %rd10, 1024;
NONE:
cp.async.commit_group;
add.u32 %r24, %r24, 1; setp.lt.u32 %p1, %r24, 4; @%p1 bra LOOP;
st.global.u32 [%rd2], %r21;
)",
                     stages - 1, buffers, stages - 2, barrier ? "bar.sync 0;" : "");
}

TEST(AsyncCopies, CorrectPipelinesHaveNoFinding) {
  for (const int stages : {2, 3, 4}) {
    const Ran ran = run(pipeline(stages, stages), {64});
    EXPECT_EQ(ran.findings(), Texts{}) << stages;
    for (std::uint32_t t = 0; t < 64; ++t) {
      std::uint32_t sum = 0;
      for (std::uint32_t tile = 0; tile < 4; ++tile) sum += 1000 + 256 * tile + 4 * (t ^ 32);
      EXPECT_EQ(ran.words[t], sum) << stages << " " << t;
    }
  }
}

TEST(AsyncCopies, MoreStagesInFlightThanBuffersAreReported) {
  EXPECT_NE(run(pipeline(4, 2), {64}).findings(), Texts{});
  EXPECT_NE(run(pipeline(3, 3, false), {64}).findings(), Texts{});
}

}  // namespace
}  // namespace warplens
