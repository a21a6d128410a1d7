#include "viz/analysis/role_timeline.h"

#include <gtest/gtest.h>

#include "recording/roles_sample.h"

namespace warplens::analysis {
namespace {

RoleTimeline timeline_of_sample() {
  const sample::RolesSample sample = sample::roles_sample();
  return role_timeline(sample.recording, 0, sample.details);
}

TEST(RoleTimeline, WarpsWithTheSameInstructionsHaveOneRole) {
  const RoleTimeline timeline = timeline_of_sample();
  ASSERT_EQ(timeline.roles.size(), 3u);
  EXPECT_EQ(timeline.roles[0].warps.size(), 1u) << "copies";
  EXPECT_EQ(timeline.roles[1].warps.size(), 1u) << "does nothing";
  EXPECT_EQ(timeline.roles[2].warps.size(), 2u) << "the second does not arrive, but multiplies as the first";
  EXPECT_EQ(timeline.roles[0].steps.at(static_cast<std::size_t>(StepKind::copy)), 2u);
  EXPECT_EQ(timeline.roles[2].steps.at(static_cast<std::size_t>(StepKind::multiply)), 2u * 4);
}

TEST(RoleTimeline, WaitsLastUntilThePhaseHasEnded) {
  const RoleTimeline timeline = timeline_of_sample();
  const WarpLine& consumer = *timeline.line_of(2);
  ASSERT_EQ(consumer.spans.size(), 4u);
  EXPECT_EQ(consumer.spans[0].kind, StepKind::wait);
  EXPECT_EQ(consumer.spans[0].mbarrier, sample::kFull);
  EXPECT_EQ(consumer.spans[0].end, 1u) << "the copy's step";
  EXPECT_EQ(consumer.spans[1].kind, StepKind::multiply);
  EXPECT_EQ(consumer.spans[2].begin, 3u);
  EXPECT_EQ(consumer.spans[2].end, 4u) << "the step of the second copy";
  const WarpLine& producer = *timeline.line_of(0);
  ASSERT_EQ(producer.spans.size(), 3u);
  EXPECT_EQ(producer.spans[1].kind, StepKind::wait);
  EXPECT_EQ(producer.spans[1].mbarrier, sample::kEmpty);
  EXPECT_EQ(producer.spans[1].begin, 1u);
  EXPECT_EQ(producer.spans[1].end, 3u) << "two products, then the arrival";
}

TEST(RoleTimeline, PhasesOfMbarriersHaveArrivalsAndBytes) {
  const RoleTimeline timeline = timeline_of_sample();
  ASSERT_EQ(timeline.mbarriers.size(), 2u);
  const MbarrierLine& full = timeline.mbarriers[0];
  EXPECT_EQ(full.address, sample::kFull);
  ASSERT_EQ(full.phases.size(), 2u);
  EXPECT_EQ(full.phases[0].arrivals, 1u);
  EXPECT_EQ(full.phases[0].bytes, sample::kTileBytes);
  EXPECT_EQ(full.phases[0].end, 1u);
  EXPECT_EQ(full.phases[1].begin, 1u);
}

TEST(RoleTimeline, CopiesAreInFlightUntilTheyAreWaitedFor) {
  const RoleTimeline timeline = timeline_of_sample();
  ASSERT_EQ(timeline.flights.size(), 2u);
  EXPECT_EQ(timeline.flights[0].begin, 0u);
  EXPECT_EQ(timeline.flights[0].end, 1u);
  EXPECT_EQ(timeline.flights[1].begin, 3u);
  EXPECT_EQ(timeline.bytes_in_flight(0), sample::kTileBytes);
  EXPECT_EQ(timeline.bytes_in_flight(1), 0u);
  EXPECT_EQ(timeline.most_in_flight, sample::kTileBytes);
}

TEST(RoleTimeline, AccessesHaveTheStepsOfTheirInstructions) {
  const RoleTimeline timeline = timeline_of_sample();
  EXPECT_EQ(timeline.line_of(0)->step_of_order, (std::vector<std::uint32_t>{0, 0, 3, 3}))
      << "a copy accesses global and shared memory";
  EXPECT_TRUE(timeline.line_of(1)->step_of_order.empty());
}

}  // namespace
}  // namespace warplens::analysis
