#include "viz/analysis/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "recording/sample.h"

namespace warplens::analysis {
namespace {

TEST(Pipeline, TileThatIsFilledBetweenBarriersIsOneStage) {
  const Recording recording = sample::make();
  const Pipeline pipeline = pipeline_of(recording, 0);
  ASSERT_EQ(pipeline.stages.size(), 1u) << "both tiles are filled at the same times";
  EXPECT_EQ(pipeline.stages[0].bytes, recording.shared_bytes);
  ASSERT_FALSE(pipeline.stages[0].fillings.empty());
  for (const Filling& filling : pipeline.stages[0].fillings) {
    EXPECT_FALSE(filling.is_copy);
    EXPECT_EQ(filling.landed, filling.issued);
    ASSERT_TRUE(filling.first_read);
    EXPECT_EQ(*filling.first_read, filling.issued + 1);
  }
}

/// Turns the sample's stores to shared memory into cp.async that land `accesses` accesses after their issue.
Recording with_copies(std::uint32_t accesses) {
  Recording recording = sample::make();
  for (Site& site : recording.sites) {
    if (site.space == Space::shared && site.op == AccessOp::store) site.op = AccessOp::cp_async;
  }
  const EventColumns& events = recording.events;
  for (std::size_t event = 0; event < events.size(); ++event) {
    const Site& site = recording.sites[events.site[event]];
    if (site.space != Space::shared || site.op != AccessOp::cp_async) continue;
    const EventRange of_warp = events_of_warp(recording, events.block[event], events.warp[event]);
    const std::size_t landed = std::min(event + accesses, of_warp.end - 1);
    recording.landings.push_back({.block = events.block[event],
                                  .warp = events.warp[event],
                                  .order = events.order[event],
                                  .landed_phase = events.phase[landed],
                                  .landed_order = events.order[landed]});
  }
  return recording;
}

TEST(Pipeline, CopyIsInFlightUntilItHasLanded) {
  const Pipeline pipeline = pipeline_of(with_copies(4), 0);
  ASSERT_FALSE(pipeline.stages.empty());
  EXPECT_FALSE(pipeline.landings_unknown);
  const Filling& first = pipeline.stages[0].fillings.front();
  EXPECT_TRUE(first.is_copy);
  EXPECT_EQ(first.landed, first.issued + 1);
  EXPECT_EQ(phases_in_flight(pipeline), 1u);
  EXPECT_GT(completion_time(first), first.issued + 1.0);
}

TEST(Pipeline, MissingLandingsAreReportedAsUnknown) {
  Recording recording = with_copies(4);
  recording.landings.clear();
  const Pipeline pipeline = pipeline_of(recording, 0);
  EXPECT_TRUE(pipeline.landings_unknown);
  EXPECT_EQ(phases_in_flight(pipeline), std::nullopt);
  EXPECT_EQ(pipeline.stages[0].fillings.front().landed, std::nullopt);
  EXPECT_TRUE(pipeline.stages[0].fillings.front().first_read);
}

TEST(Pipeline, ReadsBeforeAStoreOfTheirPhaseAreOfTheFillingBefore) {
  Recording recording = sample::make();
  // Each store becomes an atomic, which reads what was there before.
  for (Site& site : recording.sites) {
    if (site.space == Space::shared && site.op == AccessOp::store) site.op = AccessOp::atomic;
  }
  const Pipeline pipeline = pipeline_of(recording, 0);
  ASSERT_GE(pipeline.stages[0].fillings.size(), 2u);
  const Filling &first = pipeline.stages[0].fillings[0], &second = pipeline.stages[0].fillings[1];
  EXPECT_EQ(first.last_read, second.issued);
  EXPECT_GE(*second.first_read, second.issued);
}

TEST(Pipeline, SecondRequestForABlockReturnsTheSamePipeline) {
  const Recording recording = sample::make();
  PipelineKeeper keeper;
  const auto first = keeper.at(recording, 0);
  EXPECT_EQ(first, keeper.at(recording, 0));
  EXPECT_NE(first, keeper.at(recording, 1));
}

TEST(Pipeline, RecordingWithoutEventsHasNoStages) {
  Recording recording = sample::make();
  recording.events = {};
  recording.event_blocks.clear();
  EXPECT_TRUE(pipeline_of(recording, 0).stages.empty());
}

}  // namespace
}  // namespace warplens::analysis
