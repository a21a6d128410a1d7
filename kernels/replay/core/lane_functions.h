// Operations that are rare enough to be done lane by lane: directed roundings, approximate functions, half
// precision, and odd conversions.
#pragma once

#include <cstdint>

#include "kernels/replay/core/core.h"

namespace warplens::replay {

/// Computes the bits of the destination register from the bits of one lane's sources.
using LaneFunction = std::uint64_t (*)(std::uint64_t a, std::uint64_t b, std::uint64_t c);

/// Null if there is none for this form.
[[nodiscard]] LaneFunction find_lane_function(const Traits& traits);
/// Returns what an atomic operation does to halves, one or two in a register: a + b rounded to nearest, the
/// smaller, or the larger. Null for other operations.
[[nodiscard]] LaneFunction find_half_atomic(ptx::AtomicOp operation, ptx::Type type);

/// The library's, for the cores.
[[nodiscard]] double exp2_of(double x);
[[nodiscard]] double log2_of(double x);
[[nodiscard]] double sin_of(double x);
[[nodiscard]] double cos_of(double x);

}  // namespace warplens::replay
