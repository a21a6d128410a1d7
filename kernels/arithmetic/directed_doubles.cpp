// Doubles in a given rounding, by integers: an exact result, of which what is too small to be held only says
// that it is there, and then one rounding.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/arithmetic/directed.h"

namespace warplens::arithmetic {
namespace {

using ptx::Rounding;

__extension__ typedef unsigned __int128 Wide;

constexpr int kMantissaBits = 53, kLeastExponent = -1074, kGreatestExponent = 1024 - kMantissaBits;

/// magnitude * 2^exponent, and less than 2^exponent more where `more` is set.
struct ExactDouble {
  bool negative = false;
  Wide magnitude = 0;
  int exponent = 0;
  bool more = false;
};

int bits_of(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64), low = static_cast<std::uint64_t>(value);
  return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(low);
}

/// Of a finite value; where it is not zero, the magnitude has 53 bits.
ExactDouble exact_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto biased = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  ExactDouble exact{.negative = std::signbit(value),
                    .magnitude = biased == 0 ? fraction : fraction | std::uint64_t{1} << 52,
                    .exponent = biased == 0 ? kLeastExponent : biased - 1 + kLeastExponent};
  if (exact.magnitude == 0) return exact;
  const int shift = kMantissaBits - bits_of(exact.magnitude);
  exact.magnitude <<= shift;
  exact.exponent -= shift;
  return exact;
}

/// Whether a value between two neighbours goes to the one farther from zero; `half`: compared with the
/// middle.
bool is_rounded_up(bool negative, bool odd, int half, Rounding rounding) {
  switch (rounding) {
    case Rounding::rz: return false;
    case Rounding::rm: return negative;
    case Rounding::rp: return !negative;
    default: return half > 0 || (half == 0 && odd);
  }
}

double beyond_greatest(bool negative, Rounding rounding) {
  const bool to_infinity = is_rounded_up(negative, true, 1, rounding);
  const double magnitude =
      to_infinity ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::max();
  return negative ? -magnitude : magnitude;
}

double rounded(const ExactDouble& exact, Rounding rounding) {
  if (exact.magnitude == 0 && !exact.more) return exact.negative ? -0.0 : 0.0;
  int exponent = exact.exponent;
  const int shift = std::max(bits_of(exact.magnitude) - kMantissaBits, kLeastExponent - exponent);
  Wide kept = exact.magnitude;
  if (shift > 0) {
    const int dropped = std::min(shift, 127);
    const Wide rest = kept & ((Wide{1} << dropped) - 1), middle = Wide{1} << (dropped - 1);
    kept = shift > 127 ? 0 : kept >> dropped;
    const int half = shift > 127                                       ? -1
                     : rest > middle || (rest == middle && exact.more) ? 1
                     : rest == middle                                  ? 0
                                                                       : -1;
    if ((rest != 0 || exact.more) && is_rounded_up(exact.negative, (kept & 1) != 0, half, rounding)) ++kept;
    exponent += shift;
  } else if (exact.more && is_rounded_up(exact.negative, (kept & 1) != 0, -1, rounding)) {
    ++kept;
  }
  if (bits_of(kept) - kMantissaBits + exponent > kGreatestExponent)
    return beyond_greatest(exact.negative, rounding);
  const double magnitude = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(kept)), exponent);
  return exact.negative ? -magnitude : magnitude;
}

/// Moves the value to a greater exponent; what is lost is more.
void raise(ExactDouble& value, int by) {
  if (by >= 128) {
    value.more = value.more || value.magnitude != 0;
    value.magnitude = 0;
  } else {
    value.more = value.more || (value.magnitude & ((Wide{1} << by) - 1)) != 0;
    value.magnitude >>= by;
  }
  value.exponent += by;
}

/// Moves the values to one exponent, of which at most one loses anything: that is then smaller by 2^40 or
/// more.
void align(ExactDouble& a, ExactDouble& b) {
  ExactDouble& high = a.exponent > b.exponent ? a : b;
  ExactDouble& low = a.exponent > b.exponent ? b : a;
  const int room = 126 - bits_of(high.magnitude), apart = high.exponent - low.exponent;
  const int lowered = std::min(room, apart);
  high.magnitude <<= lowered;
  high.exponent -= lowered;
  raise(low, apart - lowered);
}

/// The sum of two values, neither of which is zero, with at most 106 bits.
double sum_rounded(ExactDouble a, ExactDouble b, Rounding rounding) {
  align(a, b);
  ExactDouble sum{.negative = a.negative, .exponent = a.exponent, .more = a.more || b.more};
  if (a.negative == b.negative) {
    sum.magnitude = a.magnitude + b.magnitude;
    return rounded(sum, rounding);
  }
  const bool b_is_greater = a.magnitude < b.magnitude;
  sum.negative = b_is_greater ? b.negative : a.negative;
  sum.magnitude = b_is_greater ? b.magnitude - a.magnitude : a.magnitude - b.magnitude;
  if (sum.magnitude == 0 && !sum.more) return rounding == Rounding::rm ? -0.0 : 0.0;
  if (sum.more) --sum.magnitude;  // The smaller one is more than its magnitude
  return rounded(sum, rounding);
}

ExactDouble product_of(double a, double b) {
  const ExactDouble x = exact_of(a), y = exact_of(b);
  return {.negative = x.negative != y.negative,
          .magnitude = x.magnitude * y.magnitude,
          .exponent = x.exponent + y.exponent};
}

/// Zero plus zero: the sign of both, else that of the rounding.
double zeros_rounded(bool a_negative, bool b_negative, Rounding rounding) {
  if (a_negative == b_negative) return a_negative ? -0.0 : 0.0;
  return rounding == Rounding::rm ? -0.0 : 0.0;
}

Wide square_root(Wide value) {
  Wide root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const Wide tried = root | Wide{1} << bit;
    if (tried * tried <= value) root = tried;
  }
  return root;
}

}  // namespace

double add_rounded(double a, double b, Rounding rounding) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a + b;
  if (a == 0 && b == 0) return zeros_rounded(std::signbit(a), std::signbit(b), rounding);
  if (a == 0 || b == 0) return a + b;
  return sum_rounded(exact_of(a), exact_of(b), rounding);
}

double mul_rounded(double a, double b, Rounding rounding) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a * b;
  return rounded(product_of(a, b), rounding);
}

double fma_rounded(double a, double b, double c, Rounding rounding) {
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return std::fma(a, b, c);
  const ExactDouble product = product_of(a, b);
  if (product.magnitude == 0 && c == 0) return zeros_rounded(product.negative, std::signbit(c), rounding);
  if (product.magnitude == 0) return c;
  if (c == 0) return rounded(product, rounding);
  return sum_rounded(product, exact_of(c), rounding);
}

double div_rounded(double a, double b, Rounding rounding) {
  if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0) return a / b;
  constexpr int kMoreBits = 64;
  const ExactDouble x = exact_of(a), y = exact_of(b);
  const Wide dividend = x.magnitude << kMoreBits;
  return rounded({.negative = x.negative != y.negative,
                  .magnitude = dividend / y.magnitude,
                  .exponent = x.exponent - y.exponent - kMoreBits,
                  .more = dividend % y.magnitude != 0},
                 rounding);
}

double sqrt_rounded(double a, Rounding rounding) {
  if (!std::isfinite(a) || a <= 0) return std::sqrt(a);
  ExactDouble value = exact_of(a);
  const int more_bits = (value.exponent & 1) == 0 ? 60 : 61;  // The exponent becomes even
  value.magnitude <<= more_bits;
  const Wide root = square_root(value.magnitude);
  return rounded({.magnitude = root,
                  .exponent = (value.exponent - more_bits) / 2,
                  .more = root * root != value.magnitude},
                 rounding);
}

double integer_to_double(bool negative, std::uint64_t magnitude, Rounding rounding) {
  return rounded({.negative = negative && magnitude != 0, .magnitude = magnitude}, rounding);
}

}  // namespace warplens::arithmetic
