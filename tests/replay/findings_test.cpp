// Each kind of finding with a kernel made for it (tests/data/cu/replay_findings.cu), and kernels that must
// give none.
#include <fmt/format.h>

#include <set>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::Trial;

Trial made_for(const std::string& entry, std::uint32_t threads = 64, std::uint32_t blocks = 1) {
  return {testing::read_ptx("replay_findings.sm_75.ptx"), entry, {blocks}, {threads}};
}

TEST(Findings, OutOfBoundsNamesTheBufferAndHowFarPastItsEnd) {
  Trial run = made_for("past_the_end_of");
  const Recording recording = run.buffer(std::vector<float>(48)).scalar(16).record();
  ASSERT_EQ(recording.findings.size(), 1u);
  const Finding& finding = recording.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::out_of_bounds);
  EXPECT_EQ(finding.line, 5u);
  EXPECT_EQ(finding.count, 1u);
  EXPECT_EQ(finding.warp, 1u);
  EXPECT_EQ(finding.lanes, 0xffffffffu);
  EXPECT_EQ(finding.text, "store of 4 bytes to 0x100000c0, 0 bytes past the end of buffer A (192 bytes)");
  EXPECT_EQ(run.contents<float>(0)[47], 1.0f);
}

TEST(Findings, OutOfBoundsNamesTheNearestBufferAndTheSide) {
  const auto text_at = [](const std::string& address) {
    Trial run(testing::kernel_of("st.global.u32 [" + address + "], 1;", 2), "k", {1}, {1});
    const Recording recording = run.buffer(std::vector<int>(4)).buffer(std::vector<int>(8)).record();
    return recording.findings.empty()
               ? std::string()
               : recording.findings[0].text.substr(recording.findings[0].text.find(','));
  };
  EXPECT_EQ(text_at("%rd0+-4"), ", 4 bytes before buffer A (16 bytes)");
  EXPECT_EQ(text_at("%rd0+24"), ", 8 bytes past the end of buffer A (16 bytes)");
  EXPECT_EQ(text_at("%rd1+-16"), ", 16 bytes before buffer B (32 bytes)");
  EXPECT_EQ(text_at("%rd1+32"), ", 0 bytes past the end of buffer B (32 bytes)");
}

TEST(Findings, InInlinedCodeStandAtTheInnermostLineOfTheKernelsFile) {
  Trial run(testing::kernel_of(".loc 1 9 1\nmov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7; @!%p1 bra L;\n"
                               ".loc 1 3 1, function_name $N, inlined_at 1 9 1\n.loc 2 5 3, function_name "
                               "$N, inlined_at 1 3 1\nbar.warp.sync -1;\n"
                               ".loc 1 10 1\nL: st.global.u32 [%rd0], 7;") +
                ".file 1 \"k.cu\"\n.file 2 \"sync.h\"\n.section .debug_str\n{\n$N:\n.b8 97,0\n}\n",
            "k", {1}, {32});
  const Recording recording = run.buffer(std::vector<int>(4)).record();
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].file, 1u);
  EXPECT_EQ(recording.findings[0].line, 3u);
}

/// What a finding says of its access.
std::string tried_by(const Finding& finding) {
  if (!finding.access) return "nothing";
  const FoundAccess& access = *finding.access;
  std::string text = fmt::format("{} {} of {} at", name_of(access.space), name_of(access.op), access.bytes);
  for (const std::uint64_t address : access.addresses) text += fmt::format(" {:x}", address);
  return text + fmt::format(", of {:x}", access.tried);
}

TEST(Findings, KeepTheAddressesOfSuppressedLanes) {
  Trial past = made_for("past_the_end_of", 32);
  past.options.event_blocks = {{0, 0, 0}};
  const Recording recording = past.buffer(std::vector<float>(45)).scalar(16).record();
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(tried_by(recording.findings[0]), "global store of 4 at 100000b4 100000b8 100000bc, of ffffffff");
  EXPECT_EQ(recording.events.mask.at(0), 0x1fffffffu) << "the event lacks them";
  Trial odd = made_for("misaligned", 32);
  const Recording one =
      odd.buffer(std::vector<float>(40, 3.0f)).buffer(std::vector<float>(32, -1.0f)).record();
  EXPECT_EQ(tried_by(one.findings.at(0)), "global load of 4 at 1000000e, of ffffffff");
  Trial unwritten = made_for("uninitialised");
  const Recording read = unwritten.buffer(std::vector<float>(64)).record();
  EXPECT_EQ(tried_by(read.findings.at(0)), "shared load of 4 at 1c, of ffffffff");
}

TEST(Findings, LanesWithinBoundsStillStore) {
  Trial run = made_for("past_the_end_of", 64, 3);
  const Recording recording = run.buffer(std::vector<float>(40)).scalar(16).record();
  ASSERT_EQ(recording.findings.size(), 2u - 1u);
  EXPECT_EQ(recording.findings[0].lanes, 0xff000000u);  // lanes 24..31 of warp 0
  EXPECT_EQ(recording.findings[0].count, 6u);           // both warps of three blocks
  EXPECT_EQ(run.contents<float>(0)[39], 1.0f);
}

TEST(Findings, MisalignedAccessIsNotMade) {
  Trial run = made_for("misaligned", 32);
  const Recording recording =
      run.buffer(std::vector<float>(40, 3.0f)).buffer(std::vector<float>(32, -1.0f)).record();
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].kind, FindingKind::misaligned);
  EXPECT_EQ(recording.findings[0].line, 9u);
  EXPECT_EQ(recording.findings[0].lanes, 1u << 3);
  EXPECT_EQ(run.contents<float>(1)[3], 0.0f);
  EXPECT_EQ(run.contents<float>(1)[4], 3.0f);
}

TEST(Findings, UninitialisedSharedReadIsReported) {
  Trial run = made_for("uninitialised");
  const Recording recording = run.buffer(std::vector<float>(64)).record();
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].kind, FindingKind::uninitialised);
  EXPECT_EQ(recording.findings[0].line, 16u);
  EXPECT_EQ(recording.findings[0].lanes, 1u << 7);
}

TEST(Findings, RaceNamesBothLines) {
  Trial run = made_for("race_without_barrier");
  const Recording recording = run.buffer(std::vector<float>(64)).record();
  // The second warp's store meets the first one's load, and its load the first one's store.
  std::set<std::pair<std::uint32_t, std::uint32_t>> lines;
  for (const Finding& finding : recording.findings) {
    if (finding.kind != FindingKind::race) continue;
    lines.insert({finding.line, finding.other_line});
    EXPECT_EQ(finding.warp, 1u);
    EXPECT_EQ(finding.lanes, 0xffffffffu);
    ASSERT_TRUE(finding.other);
    EXPECT_EQ(finding.other->block, (Dim3{0, 0, 0}));
    EXPECT_EQ(finding.other->warp, 0u);
    // Lane 0 is thread 32: it stores s[32], which thread 31 loads, and loads s[31], which that stores.
    EXPECT_EQ(finding.other->lane, 31u);
    EXPECT_EQ(finding.other->address, finding.line == 21 ? 128u : 124u);
    EXPECT_EQ(finding.other->op, finding.line == 21 ? AccessOp::load : AccessOp::store);
  }
  EXPECT_EQ(lines, (std::set<std::pair<std::uint32_t, std::uint32_t>>{{21, 22}, {22, 21}}));
}

TEST(Findings, LanesOfOneStoreRace) {
  Trial run = made_for("race_of_one_store", 32);
  const Recording recording = run.buffer(std::vector<int>(32)).record();
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].kind, FindingKind::race);
  EXPECT_EQ(recording.findings[0].line, 27u);
  EXPECT_EQ(recording.findings[0].other_line, 27u);
}

TEST(Findings, BarrierInABranchNamesTheMissingLanes) {
  Trial run = made_for("barrier_in_a_branch");
  const Recording recording = run.buffer(std::vector<float>(64)).record();
  ASSERT_EQ(recording.findings.size(), 1u);
  const Finding& finding = recording.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::barrier_divergence);
  EXPECT_EQ(finding.line, 43u);
  EXPECT_EQ(finding.warp, 1u);
  EXPECT_EQ(finding.lanes, 0xffffff00u);
  EXPECT_EQ(finding.text, "barrier reached by lanes 0-7 of warp 1 only: lanes 8-31 are missing");
}

TEST(Findings, WarpsMeetingAtDifferentBarriersAreNotReported) {
  Trial run = made_for("two_barriers");
  EXPECT_TRUE(run.buffer(std::vector<float>(64)).record().findings.empty());
  EXPECT_EQ(run.contents<float>(0)[0], 2.0f);
  EXPECT_EQ(run.contents<float>(0)[63], 1.0f);
}

// The lanes that are missing when the others arrive leave the kernel: then nobody is missing.
TEST(Findings, BarrierWithExitedLanesIsNotReported) {
  const std::string body =
      "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 40;\n@%p1 bra BODY;\nret;\nBODY: bar.sync 0; st.global.u32 "
      "[%rd0], 3;";
  Trial run(testing::kernel_of(body), "k", {1}, {64});
  const Recording recording = run.buffer(std::vector<int>(1)).record();
  EXPECT_TRUE(recording.findings.empty());
  EXPECT_EQ(run.contents<int>(0)[0], 3);
  EXPECT_EQ(recording.warp_instructions, 7u + 8u);
  EXPECT_EQ(recording.thread_instructions, 64u * 3u + 40u + 24u + 40u * 3u);
}

TEST(Findings, CorrectKernelsHaveNone) {
  Trial early = made_for("early_exit");
  EXPECT_TRUE(early.buffer(std::vector<float>(64)).scalar(40).record().findings.empty());
  Trial histogram = made_for("histogram");
  EXPECT_TRUE(histogram.buffer(testing::numbers(64)).buffer(std::vector<int>(8)).record().findings.empty());
  Trial same = made_for("one_value_by_many");
  EXPECT_TRUE(same.buffer(std::vector<int>(64)).scalar(5).record().findings.empty());
  EXPECT_EQ(same.contents<int>(0), std::vector<int>(64, 5));
}

TEST(Findings, OtherSynchronisationIsRecognised) {
  std::vector<float> values(64);
  for (std::size_t i = 0; i < 64; ++i) values[i] = static_cast<float>(i);
  Trial handed = made_for("handed_over");
  EXPECT_TRUE(handed.buffer(values).record().findings.empty());
  EXPECT_EQ(handed.contents<float>(0)[40], 63.0f - 40.0f);
  Trial spin = made_for("spin_on_a_flag");
  EXPECT_TRUE(spin.buffer(std::vector<int>(64)).record().findings.empty());
  EXPECT_EQ(spin.contents<int>(0)[31], 7);
}

TEST(Findings, AreTheFirstInBlockOrderWhateverTheNumberOfThreads) {
  std::vector<std::vector<Finding>> all;
  for (const unsigned threads : {1u, 3u, 5u}) {
    Trial run = made_for("uninitialised", 64, 40);
    run.options.threads = threads;
    all.push_back(run.buffer(std::vector<float>(64)).record().findings);
  }
  ASSERT_EQ(all[0].size(), 1u);
  EXPECT_EQ(all[0][0].count, 40u);
  EXPECT_EQ(all[0][0].block, (Dim3{0, 0, 0}));
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[0], all[2]);
}

}  // namespace
}  // namespace warplens
