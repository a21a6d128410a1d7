// Lane sets as 32-bit masks.
#pragma once

#include <bit>
#include <cstdint>

namespace warplens::analysis {

template <class Visit>
void for_each_lane(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(std::countr_zero(lanes));
}

/// Lanes [first, first + count).
[[nodiscard]] constexpr std::uint32_t lane_range(int first, int count) {
  return count >= 32 ? 0xffffffffu : ((1u << count) - 1u) << first;
}

}  // namespace warplens::analysis
