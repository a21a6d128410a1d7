// Divergent warp-phases of recordings, as the lecture counts them.
#include "viz/analysis/divergence.h"

#include <gtest/gtest.h>

#include "app/session/loaded.h"

namespace warplens::app {
namespace {

analysis::AccessLanes first_load(LaunchRequest request) {
  if (!request.event_blocks) request.event_blocks = BlockChoice{};
  const Result<Recording> recording = record(request);
  EXPECT_TRUE(recording.ok()) << recording.error().message();
  if (!recording.ok()) return {};
  const analysis::Divergence divergence = analysis::divergence(*recording);
  EXPECT_FALSE(divergence.empty());
  return divergence.accesses[divergence.access_or_first_load(*recording, ~0u)];
}

BlockChoice rows_of_blocks(std::uint32_t first, std::uint32_t end) {
  BlockChoice choice{.all = false, .blocks = {}};
  for (std::uint32_t y = first; y < end; ++y) {
    for (std::uint32_t x = 0; x < 7; ++x) choice.blocks.push_back({x, y, 0});
  }
  return choice;
}

/// 7 x 7 blocks of 8 warps, 7 fills each.
TEST(WarpPhases, OfTiledGuardedAt100) {
  LaunchRequest request = launch_of_kernel("tiled_guarded", {{"m", 100}, {"p", 100}, {"n", 100}});
  const analysis::AccessLanes all = first_load(request);
  EXPECT_EQ(all.of, "A");
  EXPECT_EQ(all.phases, 7u);
  EXPECT_EQ(all.warp_phases, 2744u);
  EXPECT_EQ(all.divergent, 350u);
  EXPECT_EQ(all.making, 2744u - 7 * 6 * 7) << "6 of 8 warps of each block of the bottom row have no row of A";
  EXPECT_EQ(all.divergent_phases, 1u) << "the last fill";
  EXPECT_EQ(all.divergent_requests, 350u);

  request.event_blocks = rows_of_blocks(0, 6);
  const analysis::AccessLanes inside = first_load(request);
  EXPECT_EQ(inside.warp_phases, 2352u);
  EXPECT_EQ(inside.divergent, 336u);
  EXPECT_EQ(inside.divergent_requests, 350u) << "still of the whole grid";

  request.event_blocks = rows_of_blocks(6, 7);
  const analysis::AccessLanes bottom = first_load(request);
  EXPECT_EQ(bottom.warp_phases, 392u);
  EXPECT_EQ(bottom.divergent, 14u);
}

TEST(WarpPhases, VectorAddHasOnePhasePerWarp) {
  const analysis::AccessLanes load = first_load(launch_of_kernel("vector_add"));
  EXPECT_EQ(load.phases, 1u);
  EXPECT_EQ(load.warp_phases, 32u);
  EXPECT_EQ(load.divergent, 1u);
}

TEST(WarpPhases, WholeTilesDoNotDiverge) {
  const analysis::AccessLanes load = first_load(launch_of_kernel("tiled", {{"m", 64}, {"p", 64}, {"n", 64}}));
  EXPECT_EQ(load.divergent, 0u);
  EXPECT_EQ(load.warp_phases, load.making);
}

}  // namespace
}  // namespace warplens::app
