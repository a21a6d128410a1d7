#include "kernels/recording/recording.h"

#include <gtest/gtest.h>

#include "recording/sample.h"

namespace warplens {
namespace {

TEST(Recording, NamesAreThoseOfTheCommandLine) {
  EXPECT_STREQ(name_of(Space::shared), "shared");
  EXPECT_STREQ(name_of(AccessOp::cp_async), "cp_async");
  EXPECT_STREQ(name_of(FindingKind::out_of_bounds), "out_of_bounds");
  EXPECT_STREQ(name_of(ElementType::f64), "f64");
  EXPECT_EQ(size_of(ElementType::f64), 8);
  EXPECT_EQ(size_of(ElementType::u8), 1);
}

TEST(Recording, EventsOfABlockAWarpAndAPhaseAreThoseAndNoOthers) {
  const Recording recording = sample::make();
  const EventColumns& events = recording.events;
  std::size_t seen = 0;
  for (std::uint32_t block = 0; block < recording.event_blocks.size(); ++block) {
    EXPECT_EQ(events_of_block(recording, block).begin, seen);
    for (std::uint32_t warp = 0; warp < recording.warps_per_block(); ++warp) {
      EXPECT_EQ(events_of_warp(recording, block, warp).begin, seen);
      for (std::uint32_t phase = 0; phase < recording.phases.size(); ++phase) {
        const EventRange range = events_of_phase(recording, block, warp, phase);
        EXPECT_EQ(range.begin, seen);
        for (std::size_t event = range.begin; event < range.end; ++event) {
          EXPECT_EQ(events.block[event], block);
          EXPECT_EQ(events.warp[event], warp);
          EXPECT_EQ(events.phase[event], phase);
        }
        seen = range.end;
      }
    }
  }
  EXPECT_EQ(seen, events.size());
}

TEST(Recording, ThereAreNoEventsWhereThereIsNoSuchBlockWarpOrPhase) {
  const Recording recording = sample::make();
  EXPECT_TRUE(events_of_block(recording, 2).empty());
  EXPECT_TRUE(events_of_warp(recording, 0, 32).empty());
  EXPECT_TRUE(events_of_phase(recording, 0, 0, 99).empty());
  EXPECT_TRUE(events_of_phase(Recording{}, 0, 0, 0).empty());
}

TEST(Recording, LaneAddressesFollowFromBaseAndShape) {
  const Recording recording = sample::make();
  const EventRange first = events_of_phase(recording, 1, 3, 0);
  ASSERT_GE(first.size(), 1u);
  // Block (1,0), warp 3: row 3 of A, columns 0..31.
  EXPECT_EQ(lane_address(recording, first.begin, 0), sample::kBaseA + 3 * 64 * 4);
  EXPECT_EQ(lane_address(recording, first.begin, 31), sample::kBaseA + 3 * 64 * 4 + 31 * 4);
}

TEST(Sample, TotalsFollowFromTheLaunch) {
  const Recording recording = sample::make();
  // 4 blocks of 32 warps, 2 steps.
  EXPECT_EQ(recording.totals[sample::kLoadA].requests, 256u);
  EXPECT_EQ(recording.totals[sample::kReadA].requests, 512u);
  EXPECT_EQ(recording.totals[sample::kStoreC].thread_accesses, 4096u);
  EXPECT_EQ(recording.totals[sample::kGather].divergent_requests, 128u);
  EXPECT_EQ(recording.phases.size(), 5u);
  EXPECT_EQ(recording.events.size(), 2u * 32u * (2u * 8u + 2u));
}

}  // namespace
}  // namespace warplens
