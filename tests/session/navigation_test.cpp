#include "app/session/navigation.h"

#include <gtest/gtest.h>

#include "recording/sample.h"
#include "viz/analysis/line_figures.h"

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

}  // namespace
}  // namespace warplens::app
