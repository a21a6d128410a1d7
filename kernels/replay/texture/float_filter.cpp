#include "kernels/replay/texture/float_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>

namespace warplens::replay {
namespace {

constexpr int kWeightBits = 8, kExtraBits = 4;

/// A float's bits taken apart.
class Parts {
 public:
  Parts(std::uint32_t bits, const FloatLayout& layout)
      : is_negative_((bits >> (layout.fraction_bits + layout.exponent_bits) & 1) != 0),
        field_(static_cast<int>(bits >> layout.fraction_bits & ((1u << layout.exponent_bits) - 1))),
        fraction_(bits & ((1u << layout.fraction_bits) - 1)),
        layout_(layout) {}

  [[nodiscard]] bool is_negative() const { return is_negative_; }
  [[nodiscard]] bool is_finite() const { return field_ != (1 << layout_.exponent_bits) - 1; }
  [[nodiscard]] bool is_nan() const { return !is_finite() && fraction_ != 0; }
  [[nodiscard]] bool is_negative_zero() const { return is_negative_ && significand() == 0; }
  /// The exponent's field, of a subnormal that of the least normal number.
  [[nodiscard]] int exponent() const { return std::max(field_, 1); }
  [[nodiscard]] std::int64_t significand() const {
    if (field_ == 0) return layout_.has_subnormals ? fraction_ : 0;
    return std::int64_t{1} << layout_.fraction_bits | fraction_;
  }

 private:
  bool is_negative_;
  int field_;
  std::uint32_t fraction_;
  const FloatLayout& layout_;
};

/// A weighted sum: value * 2^exponent, up to a constant power.
struct Sum {
  std::int64_t value = 0;
  int exponent = 1;
};

Sum sum_of_slice(std::span<const FilteredTexel> texels, const FloatLayout& layout) {
  Sum sum;
  for (const FilteredTexel& texel : texels) {
    if (texel.weight != 0) sum.exponent = std::max(sum.exponent, Parts(texel.bits, layout).exponent());
  }
  for (const FilteredTexel& texel : texels) {
    const Parts parts(texel.bits, layout);
    const std::int64_t aligned =
        parts.significand() << kExtraBits >> std::min(std::max(sum.exponent - parts.exponent(), 0), 63);
    sum.value += (parts.is_negative() ? -aligned : aligned) * texel.weight;
  }
  return sum;
}

/// What infinities and numbers that are none make of it; nothing if there are none.
std::optional<std::uint32_t> not_finite(const std::array<FilteredTexel, 8>& texels,
                                        const FloatLayout& layout) {
  constexpr std::uint32_t kInfinity = 0x7f800000, kSign = 0x80000000, kNan = 0x7fffffff,
                          kNanOfHalf = 0x7fffe000;
  bool is_nan = false, is_positive = false, is_negative = false;
  for (const FilteredTexel& texel : texels) {
    const Parts parts(texel.bits, layout);
    if (!texel.lies_there || parts.is_finite()) continue;
    is_nan = is_nan || parts.is_nan();
    (parts.is_negative() ? is_negative : is_positive) = true;
  }
  if (is_nan || (is_negative && is_positive)) return layout.has_subnormals ? kNanOfHalf : kNan;
  if (is_negative || is_positive) return is_negative ? kInfinity | kSign : kInfinity;
  return std::nullopt;
}

/// `value` without its lowest `bits`, rounded, ties away from zero.
std::int64_t rounded_off(std::int64_t value, int bits) {
  if (bits <= 0) return value;
  const std::int64_t half = std::int64_t{1} << (bits - 1),
                     magnitude = (std::abs(value) + half) >> bits << bits;
  return value < 0 ? -magnitude : magnitude;
}

}  // namespace

std::uint32_t filtered_float(const std::array<FilteredTexel, 8>& texels, const FloatLayout& layout) {
  if (const auto bits = not_finite(texels, layout)) return *bits;
  const Sum front = sum_of_slice(std::span(texels).first<4>(), layout),
            back = sum_of_slice(std::span(texels).last<4>(), layout);
  const int exponent = std::max(front.exponent, back.exponent), finer = exponent % 4;
  std::int64_t sum = 0;
  for (const Sum& slice : {front, back})
    sum += slice.value << finer >> std::min(exponent - slice.exponent, 63);

  const int below =
      layout.fraction_bits + kExtraBits + kWeightBits + finer;  // Bits of the sum below 2^(exponent - bias)
  const auto width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::abs(sum))));
  const int drop = std::max(width - 1 - layout.fraction_bits,
                            layout.has_subnormals ? kExtraBits + kWeightBits + finer + 1 - exponent : 0);
  const int bias = (1 << (layout.exponent_bits - 1)) - 1;
  const double value = std::ldexp(static_cast<double>(rounded_off(sum, drop)), exponent - bias - below);
  const bool is_negative_zero = std::ranges::all_of(texels, [&](const FilteredTexel& texel) {
    return !texel.lies_there || Parts(texel.bits, layout).is_negative_zero();
  });
  constexpr double kMinFloat = 0x1p-126;
  if (std::abs(value) < kMinFloat) return sum < 0 || is_negative_zero ? 0x80000000u : 0u;
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

}  // namespace warplens::replay
