// Lane sets as 32-bit masks.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/recording/recording.h"

namespace warplens::analysis {

template <class Visit>
void for_each_lane(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(std::countr_zero(lanes));
}

/// Lanes [first, first + count).
[[nodiscard]] constexpr std::uint32_t lane_range(int first, int count) {
  return count >= 32 ? 0xffffffffu : ((1u << count) - 1u) << first;
}

/// The lanes of `mask` that name an address: all, but of a load or store of matrices those that name a row.
[[nodiscard]] inline std::uint32_t addressing_lanes(const Site& site, std::uint32_t mask) {
  return is_of_matrices(site.op) ? mask & lane_range(0, 8 * site.matrices) : mask;
}

}  // namespace warplens::analysis
