// What the descriptors of the ladder share.
#pragma once

#include <cstdint>

#include "kernels/catalog/catalog.h"

namespace warplens {

/// T: the edge of a square block of threads, 1 to 32 (1,024 threads are the most a block may have).
[[nodiscard]] inline ParameterInfo block_edge(const char* label) {
  return {"T", label, 32, {1, 2, 4, 8, 16, 32}};
}

/// Returns the grid of as many blocks of `x_step` and `y_step` as cover two extents.
[[nodiscard]] inline Dim3 grid_over(std::uint64_t x_extent, std::uint64_t x_step, std::uint64_t y_extent,
                                    std::uint64_t y_step) {
  return {static_cast<std::uint32_t>((x_extent + x_step - 1) / x_step),
          static_cast<std::uint32_t>((y_extent + y_step - 1) / y_step), 1};
}

/// A plan for square blocks of threads and as large a tile of C, with sizes rounded up to multiples of its
/// edge.
[[nodiscard]] inline LaunchPlan square_tile_plan(const Problem& problem, std::uint32_t edge) {
  LaunchPlan plan = padded_plan(problem, edge, edge, edge);
  plan.block = {edge, edge, 1};
  plan.grid = grid_over(problem.n, edge, problem.m, edge);
  plan.output = {.rows = edge, .columns = edge};
  return plan;
}

}  // namespace warplens
