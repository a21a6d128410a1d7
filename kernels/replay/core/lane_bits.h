// What the lane functions share: sources and results as bits, and their modifiers.
#pragma once

#include <bit>
#include <cmath>

#include "kernels/replay/core/lane_functions.h"

namespace warplens::replay {

using Bits = std::uint64_t;

inline float f32(Bits bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
inline double f64(Bits bits) {
  return std::bit_cast<double>(bits);
}
inline Bits bits_of(float v) {
  return std::isnan(v) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(v);
}
inline Bits bits_of(double v) {
  return std::bit_cast<Bits>(v);
}

inline float flush(float v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
}
template <bool kFtz>
float in(Bits bits) {
  return kFtz ? flush(f32(bits)) : f32(bits);
}
template <bool kFtz, bool kSat>
Bits out(float v) {
  if (kFtz) v = flush(v);
  if (kSat) v = v >= 1.0f ? 1.0f : v > 0.0f ? v : 0.0f;
  return bits_of(v);
}
inline double relu_of(double v) {
  return std::isnan(v) || v > 0 ? v : 0;
}
inline double saturate_of(double v) {
  return v >= 1 ? 1 : v > 0 ? v : 0;
}

/// Null if there is none for this form. find_lane_function asks them.
[[nodiscard]] LaneFunction find_float_function(const Traits& t);   ///< f32 and f64
[[nodiscard]] LaneFunction find_half_function(const Traits& t);    ///< f16 and bf16, one or two in a register
[[nodiscard]] LaneFunction find_half_comparison(const Traits& t);  ///< setp and set
[[nodiscard]] LaneFunction find_conversion(const Traits& t);       ///< cvt
[[nodiscard]] LaneFunction find_packing_conversion(const Traits& t);  ///< cvt.pack

}  // namespace warplens::replay
