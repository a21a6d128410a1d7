// Lanes of a warp: masks of them, and their values.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "kernels/replay/core/machine.h"

namespace warplens::replay {

/// "0-3, 7"
[[nodiscard]] std::string name_lanes(std::uint32_t mask);

/// Visits the lanes in ascending order.
template <class Visit>
void for_each_lane(std::uint32_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

[[nodiscard]] std::uint64_t value_of_lane(const Head& head, bool wide, std::uint32_t lane);

}  // namespace warplens::replay
