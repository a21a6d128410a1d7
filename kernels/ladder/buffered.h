// The launch that the two buffering kernels have in common.
#pragma once

#include <algorithm>

#include "kernels/ladder/parameters.h"

namespace warplens {

/// p elements in the dynamic array `array`; a thread for each of `elements`, up to the 1,024 that a block may
/// have.
[[nodiscard]] inline LaunchPlan plan_buffered(const Problem& problem, const char* array,
                                              std::uint64_t elements) {
  constexpr std::uint64_t kMaxThreads = 1024;
  const auto p = static_cast<std::uint32_t>(problem.p);
  LaunchPlan plan = padded_plan(problem, 1, 1, 1);
  plan.block = {static_cast<std::uint32_t>(std::min(elements, kMaxThreads)), 1, 1};
  // ptxas reads the last elements by fours, beyond the end too (compute-sanitizer's memcheck, H200): as many
  // as it reads are there.
  plan.dynamic_shared_bytes = (p + 3) / 4 * 4 * sizeof(float);
  plan.shared_arrays = {{.name = array, .rows = 1, .pitch = p}};
  return plan;
}

}  // namespace warplens
