#include "viz/analysis/cluster/cluster_blocks.h"

#include <gtest/gtest.h>

#include "recording/cluster_sample.h"

namespace warplens::analysis {
namespace {

ClusterBlocks cluster_of_sample() {
  const sample::ClusterSample sample = sample::cluster_sample();
  return cluster_blocks(sample.recording, *sample.details);
}

TEST(ClusterBlocks, PartsAreWhatIsFilledTogetherInRowsByMbarrier) {
  const ClusterBlocks cluster = cluster_of_sample();
  ASSERT_EQ(cluster.parts.size(), 3u);
  EXPECT_EQ(cluster.parts[0].offset, sample::kClusterTile);
  EXPECT_EQ(cluster.parts[0].bytes, sample::kHalfTileBytes);
  EXPECT_EQ(cluster.parts[1].offset, sample::kClusterTile + sample::kHalfTileBytes);
  EXPECT_EQ(cluster.parts[2].offset, sample::kRemoteOffset);
  ASSERT_EQ(cluster.rows.size(), 2u);
  EXPECT_EQ(cluster.rows[0].mbarrier, sample::kClusterFull);
  EXPECT_EQ(cluster.rows[0].parts, (std::vector<std::size_t>{0, 1}));
  EXPECT_FALSE(cluster.rows[1].mbarrier);
}

TEST(ClusterBlocks, MulticastFillsPartsOfAllItsBlocks) {
  const ClusterBlocks cluster = cluster_of_sample();
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const ClusterBlock& block = cluster.blocks[rank];
    EXPECT_EQ(block.bytes_issued, sample::kHalfTileBytes);
    EXPECT_EQ(block.bytes_copied, 2 * sample::kHalfTileBytes);
    ASSERT_EQ(block.copies.size(), 1u);
    EXPECT_EQ(block.copies[0].ranks, 3u);
    for (std::uint32_t part = 0; part < 2; ++part) {
      ASSERT_EQ(block.fillings[part].size(), 1u);
      const PartFilling& filling = block.fillings[part].front();
      EXPECT_EQ(filling.by, 1u << part) << "the block of rank k copies half k";
      EXPECT_EQ(filling.number, 1u);
      EXPECT_EQ(filling.begin, 0u);
      EXPECT_EQ(filling.complete, 1u) << "the wait of warp 1";
      EXPECT_EQ(filling.first_read, 1u + part);
    }
  }
}

TEST(ClusterBlocks, StoreToAnotherBlockFillsThatBlocksPart) {
  const ClusterBlocks cluster = cluster_of_sample();
  EXPECT_TRUE(cluster.blocks[0].accesses.empty());
  ASSERT_EQ(cluster.blocks[1].accesses.size(), 1u);
  const RemoteAccess& access = cluster.blocks[1].accesses.front();
  EXPECT_EQ(access.to, 0u);
  EXPECT_EQ(access.lanes, 0xffffffffu);
  EXPECT_EQ(access.offset, sample::kRemoteOffset);
  EXPECT_EQ(access.op, AccessOp::store);
  ASSERT_EQ(cluster.blocks[0].fillings[2].size(), 1u);
  EXPECT_EQ(cluster.blocks[0].fillings[2].front().by, 2u);
  EXPECT_TRUE(cluster.blocks[1].fillings[2].empty());
}

TEST(ClusterBlocks, ArrivalsOfOtherBlocksAreCounted) {
  const ClusterBlocks cluster = cluster_of_sample();
  const MbarrierPhase& phase = cluster.blocks[0].timeline.mbarriers.front().phases.front();
  EXPECT_EQ(phase.arrivals, 3u);
  EXPECT_EQ(phase.from_others, 2u);
  EXPECT_EQ(cluster.blocks[0].arrivals_from_others, 2u);
}

TEST(ClusterBlocks, PartIsInFlightThenCompleteThenRead) {
  const PartFilling filling{.begin = 2, .complete = 5, .first_read = 7, .last_read = 8, .is_copy = true};
  EXPECT_EQ(state_of(nullptr, 0), PartState::empty);
  EXPECT_EQ(state_of(&filling, 1), PartState::empty);
  EXPECT_EQ(state_of(&filling, 4), PartState::in_flight);
  EXPECT_EQ(state_of(&filling, 5), PartState::complete);
  EXPECT_EQ(state_of(&filling, 8), PartState::being_read);
  EXPECT_EQ(state_of(&filling, 9), PartState::was_read);
}

TEST(ClusterBlocks, BlockThatIsNotRecordedIsKnownToBeMissing) {
  sample::ClusterSample sample = sample::cluster_sample();
  sample.recording.event_blocks.pop_back();
  const ClusterBlocks cluster = cluster_blocks(sample.recording, *sample.details);
  EXPECT_EQ(cluster.blocks.size(), 2u);
  EXPECT_EQ(cluster.recorded(), 1u);
  EXPECT_FALSE(cluster.blocks[1].event_block);
  EXPECT_EQ(cluster.blocks[0].bytes_copied, sample::kHalfTileBytes)
      << "what the other one copies is not known";
}

}  // namespace
}  // namespace warplens::analysis
