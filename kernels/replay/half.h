// Half precision (IEEE binary16) and bfloat16, as bits.
#pragma once

#include <cstdint>

namespace warplens::replay {

/// A narrow float: `kExponent` bits of exponent and `kFraction` of fraction below the sign.
template <int kExponent, int kFraction>
struct NarrowFloat {
  [[nodiscard]] static double widen(std::uint16_t bits);  ///< Exact
  /// To nearest even, or towards zero.
  [[nodiscard]] static std::uint16_t narrow(double value, bool to_zero = false);
  static constexpr std::uint16_t kNan = 0x7fff;  ///< The one that arithmetic gives (PTX ISA, "Half Precision Floating Point Instructions")
};

using Float16 = NarrowFloat<5, 10>;
using Bfloat16 = NarrowFloat<8, 7>;

}  // namespace warplens::replay
