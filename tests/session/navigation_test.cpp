#include "app/session/navigation.h"

#include <gtest/gtest.h>

#include "recording/sample.h"
#include "viz/analysis/line_figures.h"
#include "viz/picture/moment.h"

namespace warplens::app {
namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 40;

Recording sample_recording() {
  return sample::make();
}

TEST(Navigation, EveryEventIsFoundAgain) {
  const Recording recording = sample_recording();
  for (std::size_t event = 0; event < recording.events.size(); ++event) {
    EXPECT_EQ(current_event(recording, at_event(recording, {}, event)), event);
  }
}

TEST(Navigation, StepsRunThroughAWarpsAccessesAndStopAtItsEnds) {
  const Recording recording = sample_recording();
  const EventRange warp = events_of_warp(recording, 1, 1);
  Selection selection = at_event(recording, {}, warp.begin);
  for (std::size_t event = warp.begin; event < warp.end; ++event) {
    EXPECT_EQ(current_event(recording, selection), event);
    selection = moved_by_steps(recording, selection, 1);
  }
  EXPECT_EQ(current_event(recording, selection), warp.end - 1);
  EXPECT_EQ(current_event(recording, moved_by_steps(recording, selection, -kFar)), warp.begin);
}

TEST(Navigation, StepsStopAtTheEnds) {
  const Recording recording = sample_recording();
  Selection selection = moved_by_phases(recording, {}, kFar);
  EXPECT_EQ(selection.phase, recording.phases.size() - 1);
  EXPECT_EQ(moved_by_phases(recording, selection, -kFar).phase, 0u);
  EXPECT_EQ(moved_by_warps(recording, {}, kFar).warp, recording.warps_per_block() - 1);
  EXPECT_EQ(moved_by_blocks(recording, {}, kFar).event_block, recording.event_blocks.size() - 1);
  EXPECT_EQ(moved_by_blocks(recording, {}, -1).event_block, 0u);
}

TEST(Navigation, ALineLeadsToItsFirstAccessFromThisPhaseOn) {
  const Recording recording = sample_recording();
  Selection selection;
  selection.phase = 2;
  const Selection found = at_line(recording, selection, 0, 9);
  EXPECT_EQ(found.line, 9u);
  EXPECT_GE(found.phase, 2u);
  const auto event = current_event(recording, found);
  ASSERT_TRUE(event);
  EXPECT_EQ(recording.sites[recording.events.site[*event]].line, 9u);
  EXPECT_EQ(current_line(recording, found), 9u);

  const Selection without_access = at_line(recording, selection, 0, 1);
  EXPECT_EQ(without_access.line, 1u);
  EXPECT_EQ(without_access.phase, selection.phase);
}

TEST(Navigation, ARecordingWithoutEventsHasNothingToStepThrough) {
  Recording recording = sample_recording();
  recording.event_blocks.clear();
  recording.events = {};
  EXPECT_FALSE(current_event(recording, {}));
  EXPECT_EQ(moved_by_steps(recording, {}, 1), Selection{});
  EXPECT_EQ(clamped(recording, {.event_block = 7, .step = 9}).step, 0u);
}

TEST(Navigation, ARecordingOpensAtAnAccess) {
  const auto loaded = make_loaded(sample_recording(), {9, 0});
  EXPECT_TRUE(current_event(*loaded->recording, opening_selection(*loaded)));
}

/// The sample, whose race has both accesses: lane 5's read of as on line 9 in warp 3, and lane 7's fill on
/// line 6 in warp 2.
Recording with_race() {
  Recording recording = sample::make();
  Finding& race = recording.findings[0];
  const std::size_t read = events_of_phase(recording, 0, 3, 1).begin,
                    fill = events_of_phase(recording, 0, 2, 0).begin + 1;
  for (std::size_t event = events_of_phase(recording, 0, 3, 1).begin; recording.events.phase[event] == 1;
       ++event)
    recording.events.phase[event] = 0;
  race.block = {0, 0, 0};
  race.warp = 3;
  race.lanes = 1u << 5;
  race.access = FoundAccess{.instruction = recording.sites[sample::kReadA].instruction,
                            .space = Space::shared,
                            .op = AccessOp::load,
                            .bytes = 4,
                            .phase = 0,
                            .tried = ~0u,
                            .addresses = {lane_address(recording, read, 5)}};
  race.other = OtherAccess{.instruction = recording.sites[sample::kFillA].instruction,
                           .op = AccessOp::store,
                           .block = {0, 0, 0},
                           .warp = 2,
                           .lane = 7,
                           .address = lane_address(recording, fill, 7)};
  return recording;
}

TEST(Navigation, AFindingLeadsToItsAccessAndToTheOtherOne) {
  const Recording recording = with_race();
  const Selection here = at_finding(recording, {}, {0, false});
  EXPECT_EQ(here.warp, 3u);
  EXPECT_EQ(here.lane, 5);
  EXPECT_EQ(here.finding, (ChosenFinding{0, false}));
  EXPECT_EQ(current_line(recording, here), 9u);
  EXPECT_EQ(here.shared_word, recording.findings[0].other->address / 4);
  const auto other = other_access(recording, here);
  ASSERT_EQ(other, (ChosenFinding{0, true}));
  const Selection there = at_finding(recording, here, *other);
  EXPECT_EQ(there.warp, 2u);
  EXPECT_EQ(there.lane, 7);
  EXPECT_EQ(current_line(recording, there), 6u);
  EXPECT_EQ(other_access(recording, there), (ChosenFinding{0, false}));
  const Selection gone = moved_by_steps(recording, there, 1);
  EXPECT_FALSE(gone.finding);
  EXPECT_FALSE(moved_by_warps(recording, there, 1).finding);
  EXPECT_FALSE(at_line(recording, there, 0, 7).finding);
}

TEST(Navigation, FindingsWrapAround) {
  const Recording recording = with_race();
  ASSERT_EQ(recording.findings.size(), 2u);
  EXPECT_EQ(next_finding(recording, {}, 1), (ChosenFinding{0, false}));
  EXPECT_EQ(next_finding(recording, {}, -1), (ChosenFinding{1, false}));
  const Selection first = at_finding(recording, {}, {0, true});
  EXPECT_EQ(next_finding(recording, first, 1), (ChosenFinding{1, false}));
  EXPECT_EQ(next_finding(recording, at_finding(recording, first, {1, false}), 1), (ChosenFinding{0, false}));
  EXPECT_FALSE(next_finding(Recording{}, {}, 1));
  EXPECT_FALSE(other_access(recording, at_finding(recording, {}, {1, false}))) << "it is of one access";
}

TEST(Navigation, AFindingOfABlockWithoutEventsWaitsForARecordingThatHasThem) {
  Recording recording = with_race();
  const Recording whole = recording;
  recording.findings[0].block = {1, 1, 0};
  Recording later = recording;
  later.event_blocks[1] = {1, 1, 0};
  const std::size_t read = events_of_phase(later, 1, 3, 1).begin;
  later.findings[0].access->phase = 1;
  recording.findings[0].access->phase = 1;
  later.findings[0].access->addresses = {lane_address(later, read, 5)};
  const Selection waiting = at_finding(recording, {}, {0, false});
  EXPECT_EQ(waiting.event_block, 0u);
  EXPECT_EQ(waiting.finding, (ChosenFinding{0, false}));
  EXPECT_EQ(block_of(recording.findings[0], *waiting.finding), (Dim3{1, 1, 0}));
  const Selection there = carried_over(recording, waiting, later);
  EXPECT_EQ(there.event_block, 1u);
  EXPECT_EQ(there.warp, 3u);
  EXPECT_EQ(current_event(later, there), read);
  EXPECT_FALSE(carried_over(recording, waiting, whole).finding) << "another kernel's finding";
}

TEST(LineFigures, AddUpToTheSitesOfTheLine) {
  const auto loaded = make_loaded(sample_recording(), {9, 0});
  const Recording& recording = *loaded->recording;
  std::uint64_t all = 0;
  for (std::uint32_t line = 1; line <= 14; ++line) {
    for (const analysis::LineFigures& figures : analysis::line_figures(recording, loaded->report, 0, line)) {
      all += figures.totals.requests;
      for (const std::uint32_t site : figures.sites) EXPECT_EQ(recording.sites[site].line, line);
    }
  }
  std::uint64_t expected = 0;
  for (const SiteTotals& totals : recording.totals) expected += totals.requests;
  EXPECT_EQ(all, expected);
}

TEST(LineFigures, KeepAccessesOfDifferentCostApart) {
  const auto loaded = make_loaded(sample_recording(), {9, 0});
  const auto rows = analysis::line_figures(*loaded->recording, loaded->report, 0,
                                           6);  // A load of A and a store to shared memory
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].space, Space::global);
  EXPECT_EQ(rows[1].space, Space::shared);
  EXPECT_DOUBLE_EQ(rows[0].cost_per_request(), 4.0);
  EXPECT_FALSE(rows[0].costly());
}

std::shared_ptr<const Loaded> loaded_at_64(const std::string& kernel) {
  LaunchRequest request = launch_of_kernel(kernel, {{"m", 64}, {"p", 64}, {"n", 64}, {"T", 32}});
  request.event_blocks = BlockChoice{.all = true, .blocks = {}};
  auto recording = record(request);
  EXPECT_TRUE(recording.ok()) << recording.error().message();
  return recording.ok() ? make_loaded(std::move(*recording), {9, 0}) : nullptr;
}

constexpr std::uint32_t kTiledProduct = 25,
                        kSwappedProduct = 24;  // The lines with an element of as, times one of bs

TEST(LineFigures, AccessesOfALineAreDistinguishedByArray) {
  const auto loaded = loaded_at_64("tiled");
  const std::vector<std::string> arrays = picture::arrays_of_sites(*loaded->recording);
  const auto rows = analysis::line_figures(*loaded->recording, loaded->report, loaded->facts->source_file,
                                           kTiledProduct, arrays);
  ASSERT_EQ(rows.size(), 2u);
  std::vector<std::string> words{picture::access_words(rows[0]), picture::access_words(rows[1])};
  std::ranges::sort(words);
  EXPECT_EQ(words, (std::vector<std::string>{"shared load of as", "shared load of bs"}));
  const auto together =
      analysis::line_figures(*loaded->recording, loaded->report, loaded->facts->source_file, kTiledProduct);
  ASSERT_EQ(together.size(), 1u);  // They cost the same
  EXPECT_EQ(together[0].totals.requests, rows[0].totals.requests + rows[1].totals.requests);
}

TEST(LineFigures, ExcessSharesAreOfTheKernelsTotal) {
  const auto loaded = loaded_at_64("tiled_swapped");
  const analysis::TotalExcess total = analysis::total_excess(*loaded->recording, loaded->report);
  std::uint64_t wavefronts = 0;
  for (const analysis::LineCost& cost : loaded->costs) {
    EXPECT_DOUBLE_EQ(total.share(cost.figures), cost.share);
    if (cost.figures.space == Space::shared) wavefronts += cost.excess();
  }
  EXPECT_EQ(total.wavefronts, wavefronts);
  EXPECT_GT(wavefronts, 0u);
}

TEST(Navigation, ALinesCostliestAccessIsSelected) {
  const auto loaded = loaded_at_64("tiled_swapped");
  const std::uint32_t file = loaded->facts->source_file;
  const auto array = [&](const Selection& selection) {
    return picture::array_of(*loaded->recording, *current_event(*loaded->recording, selection));
  };
  for (const std::uint32_t phase : {0u, 2u}) {
    const Selection there = at_costliest(*loaded, {.warp = 3, .phase = phase}, file, kSwappedProduct);
    EXPECT_EQ(there.line, kSwappedProduct);
    EXPECT_EQ(array(there), "as");
    EXPECT_EQ(there.warp, 3u);
    EXPECT_GE(there.phase, phase);
  }
  EXPECT_EQ(array(at_costliest(*loaded, {.warp = 3, .phase = 4}, file, kSwappedProduct)), "as")
      << "before, where none comes after";
  EXPECT_EQ(at_costliest(*loaded, {}, file, 1).line, 1u);  // No access there
}

TEST(Navigation, KeysStepThroughCostsInOrder) {
  const auto loaded = loaded_at_64("tiled_swapped");
  const auto rows = static_cast<int>(loaded->costs.size());
  ASSERT_GT(rows, 2);
  const auto row_of = [&](const Selection& selection) {
    const std::uint32_t site = loaded->recording->events.site[*current_event(*loaded->recording, selection)];
    for (int row = 0; row < rows; ++row) {
      if (std::ranges::count(loaded->costs[static_cast<std::size_t>(row)].figures.sites, site) > 0)
        return row;
    }
    return -1;
  };
  Selection selection;
  for (std::size_t event = 0; row_of(selection) >= 0; ++event)
    selection = at_event(*loaded->recording, selection, event);  // One at its ideal
  for (int i = 0; i < rows; ++i) {
    selection = moved_by_costs(*loaded, selection, 1);
    EXPECT_EQ(row_of(selection), i);
    if (i > 0) continue;
    EXPECT_EQ(current_line(*loaded->recording, selection), kSwappedProduct);
  }
  EXPECT_EQ(row_of(moved_by_costs(*loaded, selection, 1)), 0);
  EXPECT_EQ(row_of(moved_by_costs(*loaded, selection, -1)), rows - 2);
}

}  // namespace
}  // namespace warplens::app
