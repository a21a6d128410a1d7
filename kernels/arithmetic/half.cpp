#include "kernels/arithmetic/half.h"

#include <bit>
#include <cmath>

namespace warplens::arithmetic {

template <int kExponent, int kFractionBits>
double NarrowFloat<kExponent, kFractionBits>::widen(std::uint16_t bits) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1, kTop = (1 << kExponent) - 1;
  const int exponent = bits >> kFraction & kTop;
  const int fraction = bits & ((1 << kFraction) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == kTop) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - kBias - kFraction);
  return sign * std::ldexp((1 << kFraction) + fraction, exponent - kBias - kFraction);
}

template <int kExponent, int kFractionBits>
std::uint16_t NarrowFloat<kExponent, kFractionBits>::narrow(double value, ptx::Rounding rounding) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1, kTop = (1 << kExponent) - 1;
  if (std::isnan(value)) return kNan;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | kInfinity;
  if (magnitude == 0) return sign;
  // Units in the last place of the result; in a double both the quotient and its rounding are exact.
  int exponent = std::ilogb(magnitude);
  if (exponent < 1 - kBias) exponent = 1 - kBias;
  const double units = std::ldexp(magnitude, kFraction - exponent);
  const bool up = rounding == (sign != 0 ? ptx::Rounding::rm : ptx::Rounding::rp),
             nearest = rounding == ptx::Rounding::rn;
  auto count = static_cast<std::int64_t>(up        ? std::ceil(units)
                                         : nearest ? std::nearbyint(units)
                                                   : std::trunc(units));
  if (count == std::int64_t{2} << kFraction) {
    ++exponent;
    count = std::int64_t{1} << kFraction;
  }
  if (count >> kFraction == 0) return static_cast<std::uint16_t>(sign | count);  // subnormal
  const int biased = exponent + kBias;
  if (biased >= kTop) return static_cast<std::uint16_t>(sign | (up || nearest ? kInfinity : kInfinity - 1));
  return static_cast<std::uint16_t>(sign | biased << kFraction | (count & ((1 << kFraction) - 1)));
}

template <int kExponent, int kFractionBits>
double NarrowFloat<kExponent, kFractionBits>::smallest_normal() {
  return std::ldexp(1.0, 2 - (1 << (kExponent - 1)));
}

template <int kExponent, int kFractionBits>
double NarrowFloat<kExponent, kFractionBits>::largest() {
  return std::ldexp((2 << kFraction) - 1, (1 << (kExponent - 1)) - 1 - kFraction);
}

template struct NarrowFloat<5, 10>;
template struct NarrowFloat<8, 7>;

}  // namespace warplens::arithmetic
