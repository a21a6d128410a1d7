// Floats of 8 bits, as bits.
#pragma once

#include <cstdint>

namespace warplens::arithmetic {

/// A float of 8 bits with `kFractionBits` of fraction: e5m2 is the upper half of a binary16; e4m3 has no
/// infinities, and one NaN of either sign. Source: PTX ISA, "Alternate Floating-Point Data Formats".
template <int kFractionBits>
struct Float8 {
  [[nodiscard]] static double widen(std::uint8_t bits);  ///< Exact
  /// Rounded to nearest even; what is too large becomes the largest number, as by .satfinite.
  [[nodiscard]] static std::uint8_t narrow(double value);
  static constexpr std::uint8_t kNan = 0x7f;  ///< The one that conversions give
};

using E4m3 = Float8<3>;
using E5m2 = Float8<2>;

}  // namespace warplens::arithmetic
