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

TEST(Navigation, PhasesWarpsAndBlocksStayInside) {
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
  const auto rows = analysis::line_figures(*loaded->recording, loaded->report, 0, 6);  // A load of A and a store to shared memory
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].space, Space::global);
  EXPECT_EQ(rows[1].space, Space::shared);
  EXPECT_DOUBLE_EQ(rows[0].cost_per_request(), 4.0);
  EXPECT_FALSE(rows[0].costly());
}

std::shared_ptr<const Loaded> loaded_at_64(const std::string& kernel) {
  LaunchRequest request = launch_of_rung(kernel, {{"m", 64}, {"p", 64}, {"n", 64}, {"T", 32}});
  request.event_blocks = BlockChoice{.all = true, .blocks = {}};
  auto recording = record(request);
  EXPECT_TRUE(recording.ok()) << recording.error().message();
  return recording.ok() ? make_loaded(std::move(*recording), {9, 0}) : nullptr;
}

constexpr std::uint32_t kTiledProduct = 25, kSwappedProduct = 24;  // The lines with an element of as, times one of bs

TEST(LineFigures, TwoAccessesOfALineAreToldApartByTheirArrays) {
  const auto loaded = loaded_at_64("tiled");
  const std::vector<std::string> arrays = picture::arrays_of_sites(*loaded->recording);
  const auto rows = analysis::line_figures(*loaded->recording, loaded->report, loaded->facts->source_file, kTiledProduct, arrays);
  ASSERT_EQ(rows.size(), 2u);
  std::vector<std::string> words{picture::access_words(rows[0]), picture::access_words(rows[1])};
  std::ranges::sort(words);
  EXPECT_EQ(words, (std::vector<std::string>{"shared load of as", "shared load of bs"}));
  const auto together = analysis::line_figures(*loaded->recording, loaded->report, loaded->facts->source_file, kTiledProduct);
  ASSERT_EQ(together.size(), 1u);  // They cost the same
  EXPECT_EQ(together[0].totals.requests, rows[0].totals.requests + rows[1].totals.requests);
}

TEST(LineFigures, SharesOfTheExcessAreOfTheKernelsInThatUnit) {
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
  const auto array = [&](const Selection& selection) { return picture::array_of(*loaded->recording, *current_event(*loaded->recording, selection)); };
  for (const std::uint32_t phase : {0u, 2u}) {
    const Selection there = at_costliest(*loaded, {.warp = 3, .phase = phase}, file, kSwappedProduct);
    EXPECT_EQ(there.line, kSwappedProduct);
    EXPECT_EQ(array(there), "as");
    EXPECT_EQ(there.warp, 3u);
    EXPECT_GE(there.phase, phase);
  }
  EXPECT_EQ(array(at_costliest(*loaded, {.warp = 3, .phase = 4}, file, kSwappedProduct)), "as") << "before, where none comes after";
  EXPECT_EQ(at_costliest(*loaded, {}, file, 1).line, 1u);  // No access there
}

TEST(Navigation, KeysGoOverTheCostsInTheirOrder) {
  const auto loaded = loaded_at_64("tiled_swapped");
  const auto rows = static_cast<int>(loaded->costs.size());
  ASSERT_GT(rows, 2);
  const auto row_of = [&](const Selection& selection) {
    const std::uint32_t site = loaded->recording->events.site[*current_event(*loaded->recording, selection)];
    for (int row = 0; row < rows; ++row) {
      if (std::ranges::count(loaded->costs[static_cast<std::size_t>(row)].figures.sites, site) > 0) return row;
    }
    return -1;
  };
  Selection selection;
  for (std::size_t event = 0; row_of(selection) >= 0; ++event) selection = at_event(*loaded->recording, selection, event);  // One at its ideal
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
