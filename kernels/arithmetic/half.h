// Half precision (IEEE binary16) and bfloat16, as bits.
#pragma once

#include <cstdint>

#include "kernels/ptx/module.h"

namespace warplens::arithmetic {

/// A narrow float: `kExponent` bits of exponent and `kFractionBits` of fraction below the sign.
template <int kExponent, int kFractionBits>
struct NarrowFloat {
  static constexpr int kFraction = kFractionBits;
  [[nodiscard]] static double smallest_normal();
  [[nodiscard]] static double largest();
  [[nodiscard]] static double widen(std::uint16_t bits);  ///< Exact
  [[nodiscard]] static std::uint16_t narrow(double value, ptx::Rounding rounding = ptx::Rounding::rn);
  static constexpr std::uint16_t kInfinity = ((1 << kExponent) - 1) << kFractionBits;
  static constexpr std::uint16_t kNan =
      0x7fff;  ///< The one that arithmetic gives (PTX ISA, "Half Precision Floating Point Instructions")
};

using Float16 = NarrowFloat<5, 10>;
using Bfloat16 = NarrowFloat<8, 7>;

}  // namespace warplens::arithmetic
