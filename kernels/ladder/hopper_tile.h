// What the kernels with tensor maps have in common.
#pragma once

#include <fmt/core.h>

#include "kernels/ladder/tensor_tile.h"

namespace warplens {

// As in the .cu files.
inline constexpr TensorTile kWgmmaTile{.m = 128, .n = 256, .k = 64, .threads = 256};
inline constexpr std::uint32_t kSwizzledColumns = 64;  // 128 bytes of 16-bit values

/// The entry and what the kernels get of A and B: tensor maps.
[[nodiscard]] inline LaunchPlan plan_wgmma_tile(const Problem& problem, const char* kernel,
                                                const TensorTile& tile) {
  const std::int64_t stages = problem.parameter("S");
  LaunchPlan plan = plan_tensor_tile(
      problem, fmt::format("{}<{}, {}>", kernel, value_type_of(problem.value_type).cpp_name, stages), tile);
  plan.a_box = {tile.m, kSwizzledColumns, TensorSwizzle::bytes128};
  plan.b_box = {tile.k, kSwizzledColumns, TensorSwizzle::bytes128};
  return plan;
}

/// Describes dynamic shared memory as rows of 128 bytes: the stages, and `bytes_behind` more.
inline void lay_out_stages(LaunchPlan& plan, std::uint32_t stages, const TensorTile& tile,
                           std::uint32_t bytes_behind) {
  constexpr std::uint32_t kBytes = 2, kRow = kSwizzledColumns * kBytes;
  plan.dynamic_shared_bytes = stages * (tile.m + tile.n) * tile.k * kBytes + bytes_behind;
  plan.shared_arrays = {{.name = "memory",
                         .element_bytes = kBytes,
                         .rows = plan.dynamic_shared_bytes / kRow,
                         .pitch = kSwizzledColumns}};
}

inline constexpr std::uint32_t kBarrierBytes = 8;

}  // namespace warplens
