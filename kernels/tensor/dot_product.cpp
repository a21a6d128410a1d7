#include "kernels/tensor/dot_product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "kernels/arithmetic/directed.h"
#include "kernels/arithmetic/half.h"

namespace warplens::tensor {
namespace {

using ptx::Type;
using Bits = std::uint64_t;

constexpr std::uint32_t kFloatNan = 0x7fffffff;

/// How a type of floats is laid out.
struct Layout {
  int exponent_bits, fraction_bits;
  bool has_infinity = true;
};
Layout layout_of(Type type) {
  switch (type) {
    case Type::bf16: return {8, 7};
    case Type::tf32:
    case Type::f32: return {8, 23};
    case Type::e4m3: return {4, 3, false};
    case Type::e5m2: return {5, 2};
    default: return {5, 10};
  }
}

enum class Class : std::uint8_t { finite, infinite, nan };
struct Number {
  Class kind = Class::finite;
  bool negative = false;
  AlignedNumber value;
};

/// `bits` behind the point: more are cut off.
Number number_of(Type type, Bits of, int bits) {
  const Layout layout = layout_of(type);
  const int top = (1 << layout.exponent_bits) - 1, bias = top / 2;
  const auto exponent = static_cast<int>(of >> layout.fraction_bits) & top;
  auto fraction = static_cast<std::int32_t>(of & ((Bits{1} << layout.fraction_bits) - 1));
  Number number{.negative = (of >> (layout.exponent_bits + layout.fraction_bits) & 1) != 0};
  if (exponent == top && (layout.has_infinity || fraction == (1 << layout.fraction_bits) - 1)) {
    if (bits < layout.fraction_bits) fraction >>= layout.fraction_bits - bits;
    number.kind = fraction != 0 ? Class::nan : Class::infinite;
    return number;
  }
  std::int32_t significand = fraction | (exponent != 0 ? 1 << layout.fraction_bits : 0);
  significand = bits >= layout.fraction_bits ? significand << (bits - layout.fraction_bits)
                                             : significand >> (layout.fraction_bits - bits);
  number.value = {number.negative ? -significand : significand,
                  significand == 0 ? kExponentOfZero : std::max(exponent, 1) - bias};
  return number;
}

bool is_zero(const Number& number) {
  return number.kind == Class::finite && number.value.significand == 0;
}

/// The same number with a significand of at least 1.
void normalise(Number& number) {
  AlignedNumber& value = number.value;
  if (value.significand == 0) return;
  for (; std::abs(value.significand) < 1 << kFactorBits; --value.exponent) value.significand *= 2;
}

/// What infinities and NaN make of a sum of any numbers.
class Specials {
 public:
  void add(const Number& term) { add(term.kind, term.negative); }
  void add_product(const Number& a, const Number& b) {
    if (a.kind == Class::finite && b.kind == Class::finite) return;
    const bool is_nan = a.kind == Class::nan || b.kind == Class::nan || is_zero(a) || is_zero(b);
    add(is_nan ? Class::nan : Class::infinite, a.negative != b.negative);
  }
  [[nodiscard]] bool any() const { return nan_ || negative_ || positive_; }
  [[nodiscard]] bool is_nan() const { return nan_ || (negative_ && positive_); }
  [[nodiscard]] bool is_negative() const { return negative_; }

 private:
  void add(Class kind, bool negative) {
    if (kind == Class::nan) nan_ = true;
    if (kind == Class::infinite) (negative ? negative_ : positive_) = true;
  }
  bool nan_ = false, negative_ = false, positive_ = false;
};

/// A term of an aligned sum: `bits` behind its point, `lost` places below the greatest exponent.
std::int64_t aligned(std::int64_t significand, int bits, int lost, int fraction_bits) {
  const int shift = lost + bits - fraction_bits;
  const std::int64_t magnitude = significand < 0 ? -significand : significand;
  const std::int64_t kept = shift >= 63 ? 0 : shift >= 0 ? magnitude >> shift : magnitude << -shift;
  return significand < 0 ? -kept : kept;
}

Number factor_of(const SumRule& rule, Type type, Bits bits) {
  Number number = number_of(type, bits, kFactorBits);
  if (rule.normalises) normalise(number);
  return number;
}

/// Aligns the sum so far (`start`) and the products of one block, all finite, to the greatest exponent;
/// `kept` is what remains of each.
AlignedBlock align_terms(const SumRule& rule, std::span<const Bits> a, std::span<const Bits> b,
                         const Number& start) {
  AlignedBlock block{.exponent = start.value.exponent, .terms = {}};
  block.terms.push_back({start.value.significand, start.value.exponent, kAccumulatorBits});
  for (std::size_t k = 0; k < a.size(); ++k) {
    const AlignedNumber x = factor_of(rule, rule.a, a[k]).value, y = factor_of(rule, rule.b, b[k]).value;
    block.terms.push_back(
        {std::int64_t{x.significand} * y.significand, x.exponent + y.exponent, 2 * kFactorBits});
    block.exponent = std::max(block.exponent, x.exponent + y.exponent);
  }
  for (AlignedTerm& term : block.terms)
    term.kept = aligned(term.significand, term.bits, block.exponent - term.exponent, rule.fraction_bits);
  return block;
}

Bits add_block(const SumRule& rule, std::span<const Bits> a, std::span<const Bits> b, Bits c, bool in_half,
               std::vector<AlignedBlock>* blocks) {
  const Number start = number_of(in_half ? Type::f16 : Type::f32, c, kAccumulatorBits);
  Specials specials;
  specials.add(start);
  for (std::size_t k = 0; k < a.size(); ++k)
    specials.add_product(factor_of(rule, rule.a, a[k]), factor_of(rule, rule.b, b[k]));
  if (specials.any()) {
    if (specials.is_nan()) return in_half ? arithmetic::Float16::kNan : kFloatNan;
    const Bits infinity = in_half ? 0x7c00u : 0x7f800000u;
    return infinity | (specials.is_negative() ? (in_half ? 0x8000u : 0x80000000u) : 0u);
  }
  AlignedBlock block = align_terms(rule, a, b, start);
  std::int64_t sum = 0;
  for (const AlignedTerm& term : block.terms) sum += term.kept;
  const int exponent = block.exponent - rule.fraction_bits;
  block.sum = in_half ? half_of_sum(sum, exponent) : float_of_sum(sum, exponent, rule.result_bits);
  const Bits result = block.sum;
  if (blocks != nullptr) blocks->push_back(std::move(block));
  return result;
}

float float_of(Bits bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
Bits bits_of(float value) {
  return std::isnan(value) ? kFloatNan : std::bit_cast<std::uint32_t>(value);
}
Bits widened(Bits half) {
  return bits_of(static_cast<float>(arithmetic::Float16::widen(static_cast<std::uint16_t>(half))));
}
Bits narrowed(Bits single) {
  return arithmetic::Float16::narrow(float_of(single));
}

Bits aligned_sum(const SumRule& rule, std::span<const Bits> a, std::span<const Bits> b, Bits c,
                 std::vector<AlignedBlock>* blocks = nullptr) {
  const bool in_half = rule.c == Type::f16 && rule.d == Type::f16;
  const bool from_c = rule.kind == SumKind::aligned;
  const Bits start = rule.c == Type::f16 && !in_half ? widened(c) : c;
  Bits sum = from_c ? start : 0;
  for (std::size_t k = 0; k < a.size(); k += rule.block)
    sum = add_block(rule, a.subspan(k, rule.block), b.subspan(k, rule.block), sum, in_half, blocks);
  if (!from_c) {
    sum = in_half ? narrowed(bits_of(float_of(widened(sum)) + float_of(widened(start))))
                  : bits_of(float_of(sum) + float_of(start));
  }
  return rule.d == Type::f16 && !in_half ? narrowed(sum) : sum;
}

Bits float_sum(const SumRule& rule, std::span<const Bits> a, std::span<const Bits> b, Bits c) {
  const bool pairs = rule.kind == SumKind::pairs_onto_c;
  const float start = float_of(rule.c == Type::f16 ? widened(c) : c);
  float sum = pairs ? start : 0, pair = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const float x = float_of(widened(a[k])), y = float_of(widened(b[k]));
    if (!pairs) {
      sum = std::fma(x, y, sum);
    } else if (k % 2 == 0) {
      pair = x * y;
    } else {
      pair = std::fma(x, y, pair);
      sum += pair;
    }
  }
  if (!pairs) sum += start;
  return rule.d == Type::f16 ? narrowed(bits_of(sum)) : bits_of(sum);
}

Bits double_sum(const SumRule& rule, std::span<const Bits> a, std::span<const Bits> b, Bits c) {
  Bits sum = c;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto x = std::bit_cast<double>(a[k]), y = std::bit_cast<double>(b[k]),
               so_far = std::bit_cast<double>(sum);
    const double result = arithmetic::fma_rounded(x, y, so_far, rule.rounding);
    // A NaN is passed on, made quiet: of several that of B, then the sum's.
    constexpr Bits kQuiet = 0x0008000000000000, kNan = 0xfff8000000000000;
    sum = !std::isnan(result)  ? std::bit_cast<Bits>(result)
          : std::isnan(y)      ? b[k] | kQuiet
          : std::isnan(so_far) ? sum | kQuiet
          : std::isnan(x)      ? a[k] | kQuiet
                               : kNan;
  }
  return sum;
}

std::int64_t integer_of(Type type, Bits bits) {
  switch (type) {
    case Type::s8: return static_cast<std::int8_t>(bits);
    case Type::s4: return static_cast<std::int64_t>((bits & 15) ^ 8) - 8;
    case Type::u4: return static_cast<std::int64_t>(bits & 15);
    default: return static_cast<std::uint8_t>(bits);
  }
}

Bits integer_sum(const SumRule& rule, std::span<const Bits> a, std::span<const Bits> b, Bits c) {
  std::int64_t sum = static_cast<std::int32_t>(c);
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (rule.kind == SumKind::bits) {
      sum += std::popcount(static_cast<std::uint32_t>(rule.exclusive ? a[k] ^ b[k] : a[k] & b[k]));
    } else {
      sum += integer_of(rule.a, a[k]) * integer_of(rule.b, b[k]);
    }
  }
  if (rule.saturates) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<std::uint32_t>(sum);
}

}  // namespace

std::vector<AlignedBlock> aligned_blocks(const SumRule& rule, std::span<const std::uint64_t> a,
                                         std::span<const std::uint64_t> b, std::uint64_t c) {
  std::vector<AlignedBlock> blocks;
  if (rule.kind == SumKind::aligned || rule.kind == SumKind::aligned_then_c)
    static_cast<void>(aligned_sum(rule, a, b, c, &blocks));
  return blocks;
}

std::uint32_t float_of_sum(std::int64_t sum, int exponent, int bits) {
  if (sum == 0) return 0;
  const std::uint32_t sign = sum < 0 ? 0x80000000u : 0u;
  auto magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const int top = exponent + static_cast<int>(std::bit_width(magnitude)) - 1;
  if (top > 127) return sign | 0x7f800000u;
  const int lowest = std::max(top - bits, -149), shift = lowest - exponent;
  magnitude = shift >= 64 ? 0 : shift > 0 ? magnitude >> shift : magnitude;
  if (magnitude == 0) return 0;
  const float value = std::ldexp(static_cast<float>(magnitude), shift > 0 ? lowest : exponent);
  return sign | std::bit_cast<std::uint32_t>(value);
}

std::uint16_t half_of_sum(std::int64_t sum, int exponent) {
  const std::uint16_t half = arithmetic::Float16::narrow(std::ldexp(static_cast<double>(sum), exponent));
  return half == 0x8000 ? std::uint16_t{0} : half;
}

std::uint64_t dot_product(const SumRule& rule, std::span<const std::uint64_t> a,
                          std::span<const std::uint64_t> b, std::uint64_t c) {
  switch (rule.kind) {
    case SumKind::aligned:
    case SumKind::aligned_then_c: return aligned_sum(rule, a, b, c);
    case SumKind::fma_then_c:
    case SumKind::pairs_onto_c: return float_sum(rule, a, b, c);
    case SumKind::fma: return double_sum(rule, a, b, c);
    case SumKind::integer:
    case SumKind::bits: break;
  }
  return integer_sum(rule, a, b, c);
}

}  // namespace warplens::tensor
