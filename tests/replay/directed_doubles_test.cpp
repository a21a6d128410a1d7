#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <random>

#include "kernels/arithmetic/directed.h"

namespace warplens::arithmetic {
namespace {

using ptx::Rounding;

/// In the processor's own rounding mode.
template <class F>
double in_mode(Rounding rounding, F operation) {
  const int mode = rounding == Rounding::rz   ? FE_TOWARDZERO
                   : rounding == Rounding::rm ? FE_DOWNWARD
                   : rounding == Rounding::rp ? FE_UPWARD
                                              : FE_TONEAREST;
  std::fesetround(mode);
  const volatile double result = operation();
  std::fesetround(FE_TONEAREST);
  return result;
}

/// Doubles of all kinds: any, near 1, subnormal, near the greatest, short ones, zeros.
double any_double(std::mt19937_64& random) {
  constexpr std::uint64_t kExponent = std::uint64_t{0x7ff} << 52;
  const std::uint64_t bits = random();
  const auto with_exponent = [&](std::uint64_t exponent) { return (bits & ~kExponent) | exponent << 52; };
  switch (random() % 6) {
    case 0: return std::bit_cast<double>(bits);
    case 1: return std::bit_cast<double>(with_exponent(963 + random() % 120));
    case 2: return std::bit_cast<double>(with_exponent(0));
    case 3: return std::bit_cast<double>(with_exponent(2040 + random() % 8));
    case 4: return std::bit_cast<double>(with_exponent(1023) & ~((std::uint64_t{1} << 40) - 1));
    default: return random() % 2 == 0 ? 0.0 : -0.0;
  }
}

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

TEST(DirectedDoubles, EqualTheProcessorsRoundingModes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const volatile double a = any_double(random), c = any_double(random);
    const volatile double b = random() % 8 == 0 ? -a * (1 + 0x1p-52) : any_double(random);
    const volatile double addend = random() % 8 == 0 ? -(a * b) : c;
    const Rounding rounding =
        std::array{Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp}[random() % 4];
    EXPECT_TRUE(same(add_rounded(a, b, rounding), in_mode(rounding, [&] { return a + b; }))) << a << ' ' << b;
    EXPECT_TRUE(same(mul_rounded(a, b, rounding), in_mode(rounding, [&] { return a * b; }))) << a << ' ' << b;
    EXPECT_TRUE(same(div_rounded(a, b, rounding), in_mode(rounding, [&] { return a / b; }))) << a << ' ' << b;
    EXPECT_TRUE(same(sqrt_rounded(a, rounding), in_mode(rounding, [&] { return std::sqrt(a); }))) << a;
    EXPECT_TRUE(
        same(fma_rounded(a, b, addend, rounding), in_mode(rounding, [&] { return std::fma(a, b, addend); })))
        << a << ' ' << b << ' ' << addend;
    const std::uint64_t magnitude = random() >> random() % 64;
    const volatile double high = static_cast<double>(magnitude & ~std::uint64_t{0xfff}),
                          low = static_cast<double>(magnitude & 0xfff);
    EXPECT_TRUE(
        same(integer_to_double(false, magnitude, rounding), in_mode(rounding, [&] { return high + low; })))
        << magnitude;
  }
}

}  // namespace
}  // namespace warplens::arithmetic
