#include "kernels/arithmetic/float8.h"

#include <algorithm>
#include <cmath>

namespace warplens::arithmetic {

template <int kFractionBits>
double Float8<kFractionBits>::widen(std::uint8_t bits) {
  constexpr int kBias = kFractionBits == 3 ? 7 : 15, kTop = 0x7f >> kFractionBits,
                kFraction = (1 << kFractionBits) - 1;
  const int exponent = bits >> kFractionBits & kTop, fraction = bits & kFraction;
  const double sign = (bits & 0x80) != 0 ? -1 : 1;
  if (exponent == kTop && kFractionBits == 2) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  if (exponent == kTop && fraction == kFraction) return std::nan("");
  const int units = exponent == 0 ? fraction : fraction + kFraction + 1;
  return sign * std::ldexp(units, std::max(exponent, 1) - kBias - kFractionBits);
}

template <int kFractionBits>
std::uint8_t Float8<kFractionBits>::narrow(double value) {
  constexpr int kBias = kFractionBits == 3 ? 7 : 15;
  constexpr double kLargest = kFractionBits == 3 ? 448 : 57344;
  if (std::isnan(value)) return kNan;
  const int sign = std::signbit(value) ? 0x80 : 0;
  const double magnitude = std::min(std::fabs(value), kLargest);
  if (magnitude == 0) return static_cast<std::uint8_t>(sign);
  const int exponent = std::max(std::ilogb(magnitude), 1 - kBias);
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, kFractionBits - exponent)));
  // The leading one of the fraction adds one to the exponent.
  return static_cast<std::uint8_t>(sign | (units + ((exponent + kBias - 1) << kFractionBits)));
}

template struct Float8<3>;
template struct Float8<2>;

}  // namespace warplens::arithmetic
