// What the kernels with tensor cores have in common.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {

/// Tile sizes: a block computes `m` x `n` elements of C and adds `k` terms a step.
struct TensorTile {
  std::uint32_t m, n, k, threads;
};

[[nodiscard]] inline LaunchPlan plan_tensor_tile(const Problem& problem, std::string entry,
                                                 const TensorTile& tile) {
  LaunchPlan plan = padded_plan(problem, tile.m, tile.k, tile.n);
  plan.entry = std::move(entry);
  plan.block = {tile.threads, 1, 1};
  plan.grid = grid_over(problem.n, tile.n, problem.m, tile.m);
  plan.output = {.rows = tile.m, .columns = tile.n};
  return plan;
}

/// The tiles of A (`as`) and B (`bs`), with `padding` unused values at the end of each row.
[[nodiscard]] inline std::vector<SharedArray> tensor_tiles_in_shared(const TensorTile& tile,
                                                                     std::uint32_t padding = 0) {
  return {{.name = "as", .element_bytes = 2, .rows = tile.m, .pitch = tile.k + padding},
          {.name = "bs", .element_bytes = 2, .rows = tile.k, .pitch = tile.n + padding}};
}

// As in the .cu files.
inline constexpr TensorTile kMmaTile{.m = 128, .n = 128, .k = 64, .threads = 256};

[[nodiscard]] inline LaunchPlan plan_mma_tile(const Problem& problem, const std::string& kernel) {
  LaunchPlan plan =
      plan_tensor_tile(problem, kernel + "<" + value_type_of(problem.value_type).cpp_name + ">", kMmaTile);
  plan.shared_arrays = tensor_tiles_in_shared(kMmaTile);
  return plan;
}

/// Global loads of kernels whose blocks compute 128 x 128 elements of C.
[[nodiscard]] inline LoadFormula loads_of_tensor_tiles() {
  return {"m n p / 64", "64",
          [](const Problem&, const LaunchPlan& plan) { return 2 * multiply_adds(plan) / kMmaTile.m; }};
}

}  // namespace warplens
