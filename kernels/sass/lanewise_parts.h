// What the lane functions of machine code share: sources and results as bits, and how each kind of
// instruction is looked up.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/ptx/module.h"
#include "kernels/sass/lanewise.h"

namespace warplens::sass {

using Bits = std::uint64_t;
using ptx::Rounding;

inline constexpr Bits kWord = 0xffffffff;

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
  return std::isnan(v) ? 0xfff8000000000000u : std::bit_cast<Bits>(v);
}
template <bool kFlush>
inline float operand(Bits bits) {
  const float v = f32(bits);
  return kFlush && std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
}
template <class T, bool kFlush = false>
T number(Bits bits) {
  if constexpr (std::is_same_v<T, float>) return operand<kFlush>(bits);
  if constexpr (std::is_same_v<T, double>) return f64(bits);
}
template <bool kFlush>
inline Bits flushed(float v) {
  return bits_of(operand<kFlush>(std::bit_cast<std::uint32_t>(v)));
}

inline Rounding rounding_of(const Instruction& i) {
  return i.has("RZ") ? Rounding::rz : i.has("RM") ? Rounding::rm : i.has("RP") ? Rounding::rp : Rounding::rn;
}

inline Bits second_of(Bits, Bits b, Bits) {
  return b;
}

/// Each returns a form without a function for an instruction of another kind.
[[nodiscard]] LanewiseForm float_form(const Instruction& instruction);
[[nodiscard]] LanewiseForm conversion_form(const Instruction& instruction);
[[nodiscard]] LanewiseForm integer_form(const Instruction& instruction);

}  // namespace warplens::sass
