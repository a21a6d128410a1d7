// What the kernels with 128 x 128 elements of C a block have in common.
#pragma once

#include <string>
#include <utility>

#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {

// As in the .cu files.
inline constexpr std::uint32_t kBlockTile = 128, kBlockTileK = 8, kBlockTileThreads = 256,
                               kBlockTilePadding = 4;

/// A launch with A's tile in `as` and B's in `bs`, `buffers` of each one after the other.
[[nodiscard]] inline LaunchPlan plan_block_tile(const Problem& problem, std::string entry,
                                                std::uint32_t rows_of_a, std::uint32_t pitch_of_a,
                                                std::uint32_t buffers) {
  LaunchPlan plan = padded_plan(problem, kBlockTile, kBlockTileK, kBlockTile);
  plan.entry = std::move(entry);
  plan.block = {kBlockTileThreads, 1, 1};
  plan.grid = grid_over(problem.n, kBlockTile, problem.m, kBlockTile);
  plan.output = {.rows = kBlockTile, .columns = kBlockTile};
  plan.shared_arrays = {{.name = "as", .rows = rows_of_a * buffers, .pitch = pitch_of_a},
                        {.name = "bs", .rows = kBlockTileK * buffers, .pitch = kBlockTile}};
  return plan;
}

/// The same where A's tile is stored transposed, with padding.
[[nodiscard]] inline LaunchPlan plan_transposed_block_tile(const Problem& problem, std::string entry,
                                                           std::uint32_t buffers = 1) {
  return plan_block_tile(problem, std::move(entry), kBlockTileK, kBlockTile + kBlockTilePadding, buffers);
}

/// A value of A is loaded by each of the n / 128 blocks across, one of B by each of the m / 128 blocks down.
[[nodiscard]] inline LoadFormula loads_of_block_tiles() {
  return {"m n p / 64", "32",
          [](const Problem&, const LaunchPlan& plan) { return 2 * multiply_adds(plan) / kBlockTile; }};
}

}  // namespace warplens
