#include "kernels/arithmetic/directed.h"

#include <bit>
#include <cmath>
#include <limits>

namespace warplens::arithmetic {
namespace {

using ptx::Rounding;

/// `nearest` is the exact value rounded to nearest, and `error` has the sign of what was lost (exact minus
/// rounded): moves to the neighbour that the rounding asks for.
template <class F>
F adjust(F nearest, double error, Rounding rounding) {
  constexpr F kInfinity = std::numeric_limits<F>::infinity();
  if (std::isnan(nearest) || error == 0) return nearest;
  const bool towards_zero = rounding == Rounding::rz;
  if (error < 0 && (rounding == Rounding::rm || (towards_zero && nearest > 0)))
    return std::nextafter(nearest, -kInfinity);
  if (error > 0 && (rounding == Rounding::rp || (towards_zero && nearest < 0)))
    return std::nextafter(nearest, kInfinity);
  return nearest;
}

/// An exact value as the sum of a double and a smaller rest, to f32. The rest is folded into the last bit of
/// the double ("round to odd"), which cannot change what 24 bits see of it.
float to_f32(double sum, double rest, Rounding rounding) {
  if (std::isnan(sum)) return std::numeric_limits<float>::quiet_NaN();
  if (rest != 0 && std::isfinite(sum)) {
    auto bits = std::bit_cast<std::uint64_t>(sum);
    if ((bits & 1) == 0) bits += (rest > 0) == (sum > 0) ? 1 : -1;
    sum = std::bit_cast<double>(bits);
  }
  const auto nearest = static_cast<float>(sum);
  if (std::isinf(sum)) return nearest;
  return adjust(nearest,
                std::isinf(nearest) ? -static_cast<double>(nearest) : sum - static_cast<double>(nearest),
                rounding);
}

/// The rest of a rounded sum (D. E. Knuth, TAOCP 2, "TwoSum"); 0 where something is not finite.
double rest_of_sum(double a, double b, double sum) {
  if (!std::isfinite(sum)) return 0;
  const double from_a = sum - b;
  return (a - from_a) + (b - (sum - from_a));
}

/// A sum that is exactly zero is +0, but -0 when rounding down, unless both terms have one sign.
template <class F>
F zero_sum(F sum, F a, F b, Rounding rounding) {
  if (sum != 0 || a + b != 0) return sum;
  if (std::signbit(a) == std::signbit(b) && a == 0) return a;
  return rounding == Rounding::rm ? -F(0) : F(0);
}

}  // namespace

float add_rounded(float a, float b, Rounding rounding) {
  const double x = a, y = b, sum = x + y;
  return zero_sum(to_f32(sum, rest_of_sum(x, y, sum), rounding), a, b, rounding);
}
float mul_rounded(float a, float b, Rounding rounding) {
  return to_f32(static_cast<double>(a) * static_cast<double>(b), 0, rounding);
}
float fma_rounded(float a, float b, float c, Rounding rounding) {
  const double product = static_cast<double>(a) * static_cast<double>(b), z = c, sum = product + z;
  const float result = to_f32(sum, rest_of_sum(product, z, sum), rounding);
  if (sum != 0) return result;
  return static_cast<float>(zero_sum(sum, product, z, rounding));
}
float div_rounded(float a, float b, Rounding rounding) {
  const double x = a, y = b, quotient = x / y;
  if (!std::isfinite(quotient) || quotient == 0 || std::isinf(y)) return static_cast<float>(quotient);
  const double rest = std::fma(-quotient, y, x);
  return to_f32(quotient, y > 0 ? rest : -rest, rounding);
}
float sqrt_rounded(float a, Rounding rounding) {
  const double x = a, root = std::sqrt(x);
  if (!std::isfinite(root) || root == 0) return static_cast<float>(root);
  return to_f32(root, std::fma(-root, root, x), rounding);
}
float narrow_rounded(double a, Rounding rounding) {
  return to_f32(a, 0, rounding);
}

float integer_to_float(bool negative, std::uint64_t magnitude, Rounding rounding) {
  const auto high = static_cast<double>(magnitude & ~std::uint64_t{0xfff}),
             low = static_cast<double>(magnitude & 0xfff), sum = high + low;
  const double rest = rest_of_sum(high, low, sum);
  return negative ? to_f32(-sum, -rest, rounding) : to_f32(sum, rest, rounding);
}

}  // namespace warplens::arithmetic
