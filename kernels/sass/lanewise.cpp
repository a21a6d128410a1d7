#include "kernels/sass/lanewise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/replay/core/directed.h"
#include "kernels/replay/core/half.h"

namespace warplens::sass {
namespace {

using Bits = std::uint64_t;
using ptx::Rounding;

constexpr Bits kWord = 0xffffffff;

float f32(Bits bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
double f64(Bits bits) {
  return std::bit_cast<double>(bits);
}
Bits bits_of(float v) {
  return std::isnan(v) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(v);
}
Bits bits_of(double v) {
  return std::isnan(v) ? 0xfff8000000000000u : std::bit_cast<Bits>(v);
}
template <bool kFlush>
float operand(Bits bits) {
  const float v = f32(bits);
  return kFlush && std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
}
template <class T, bool kFlush = false>
T number(Bits bits) {
  if constexpr (std::is_same_v<T, float>) return operand<kFlush>(bits);
  if constexpr (std::is_same_v<T, double>) return f64(bits);
}
template <bool kFlush>
Bits flushed(float v) {
  return bits_of(operand<kFlush>(std::bit_cast<std::uint32_t>(v)));
}

Rounding rounding_of(const Instruction& i) {
  return i.has("RZ") ? Rounding::rz : i.has("RM") ? Rounding::rm : i.has("RP") ? Rounding::rp : Rounding::rn;
}

// Sums and products of floats.
struct Add {
  template <class T>
  static T of(T a, T b, T, Rounding r) {
    return r == Rounding::rn ? a + b : replay::add_rounded(a, b, r);
  }
};
struct Multiply {
  template <class T>
  static T of(T a, T b, T, Rounding r) {
    return r == Rounding::rn ? a * b : replay::mul_rounded(a, b, r);
  }
};
struct MultiplyAdd {
  template <class T>
  static T of(T a, T b, T c, Rounding r) {
    return r == Rounding::rn ? std::fma(a, b, c) : replay::fma_rounded(a, b, c, r);
  }
};
template <class F, Rounding kRounding, bool kFlush, bool kSaturate>
Bits rounded(Bits a, Bits b, Bits c) {
  float v = F::of(operand<kFlush>(a), operand<kFlush>(b), operand<kFlush>(c), kRounding);
  if (kSaturate) v = v >= 1.0f ? 1.0f : v > 0.0f ? v : 0.0f;
  return flushed<kFlush>(v);
}
template <class F, Rounding kRounding>
Bits rounded_double(Bits a, Bits b, Bits c) {
  return bits_of(F::of(f64(a), f64(b), f64(c), kRounding));
}
template <class F, Rounding kRounding>
Lanewise pick_rounded(const Instruction& i) {
  if (i.opcode.starts_with('D')) return &rounded_double<F, kRounding>;
  if (i.has("FTZ"))
    return i.has("SAT") ? &rounded<F, kRounding, true, true> : &rounded<F, kRounding, true, false>;
  return i.has("SAT") ? &rounded<F, kRounding, false, true> : &rounded<F, kRounding, false, false>;
}
template <class F>
Lanewise pick_rounded(const Instruction& i) {
  switch (rounding_of(i)) {
    case Rounding::rz: return pick_rounded<F, Rounding::rz>(i);
    case Rounding::rm: return pick_rounded<F, Rounding::rm>(i);
    case Rounding::rp: return pick_rounded<F, Rounding::rp>(i);
    default: return pick_rounded<F, Rounding::rn>(i);
  }
}

template <bool kLarger, bool kFlush>
Bits extremum(Bits a, Bits b, Bits) {
  const float x = operand<kFlush>(a), y = operand<kFlush>(b);
  if (std::isnan(x) || std::isnan(y)) return bits_of(std::isnan(x) ? y : x);
  const bool first = x == y ? std::signbit(x) != kLarger : kLarger ? x > y : x < y;
  return bits_of(first ? x : y);
}
Bits first_of(Bits a, Bits, Bits) {
  return a;
}
Bits second_of(Bits, Bits b, Bits) {
  return b;
}

// Comparisons: U at the end of a name means "or unordered".
enum class Order : std::uint8_t { less, equal, less_equal, greater, not_equal, greater_equal, ordered };
template <class T>
bool in_order(Order order, T a, T b) {
  switch (order) {
    case Order::less: return a < b;
    case Order::equal: return a == b;
    case Order::less_equal: return a <= b;
    case Order::greater: return a > b;
    case Order::not_equal: return a < b || a > b;
    case Order::greater_equal: return a >= b;
    case Order::ordered: break;
  }
  return !std::isnan(a) && !std::isnan(b);
}
template <class T, Order kOrder, bool kUnordered, bool kFlush>
Bits compared(Bits a, Bits b, Bits) {
  const T x = number<T, kFlush>(a), y = number<T, kFlush>(b);
  return Bits{(kUnordered && (std::isnan(x) || std::isnan(y))) || in_order(kOrder, x, y)};
}
Bits not_ordered(Bits a, Bits b, Bits) {
  return Bits{std::isnan(f32(a)) || std::isnan(f32(b))};
}
Bits not_ordered_doubles(Bits a, Bits b, Bits) {
  return Bits{std::isnan(f64(a)) || std::isnan(f64(b))};
}
template <class T, bool kUnordered, bool kFlush>
Lanewise pick_order(const Instruction& i) {
  const auto has = [&](const char* name) {
    return i.has(kUnordered ? std::string(name) + "U" : std::string(name));
  };
  if (has("LT")) return &compared<T, Order::less, kUnordered, kFlush>;
  if (has("EQ")) return &compared<T, Order::equal, kUnordered, kFlush>;
  if (has("LE")) return &compared<T, Order::less_equal, kUnordered, kFlush>;
  if (has("GT")) return &compared<T, Order::greater, kUnordered, kFlush>;
  if (has("NE")) return &compared<T, Order::not_equal, kUnordered, kFlush>;
  if (has("GE")) return &compared<T, Order::greater_equal, kUnordered, kFlush>;
  return nullptr;
}
template <class T, bool kFlush>
Lanewise pick_comparison(const Instruction& i) {
  if (i.has("NUM")) return &compared<T, Order::ordered, false, false>;
  if (i.has("NAN")) return std::is_same_v<T, float> ? &not_ordered : &not_ordered_doubles;
  const Lanewise ordered = pick_order<T, false, kFlush>(i);
  return ordered != nullptr ? ordered : pick_order<T, true, kFlush>(i);
}

/// Whether a division leaves the fast path: not documented; measured by others on compute capability 12.0.
/// Both paths give the same quotient.
Bits needs_care(Bits a, Bits b, Bits) {
  const auto exponent = [](Bits bits) { return static_cast<int>(bits >> 23 & 0xff); };
  const int x = exponent(a), y = exponent(b);
  return Bits{!(x > 24 && x < 255 && y > 1 && y < 252 && x - y > -125 && x - y < 127)};
}

// Approximate functions.
template <double (*kFunction)(double)>
Bits approximate(Bits a, Bits, Bits) {
  return bits_of(static_cast<float>(kFunction(static_cast<double>(f32(a)))));
}
/// Of a double's upper half, and of the result.
template <double (*kFunction)(double)>
Bits approximate_upper(Bits a, Bits, Bits) {
  return bits_of(kFunction(f64(a << 32))) >> 32;
}
double reciprocal(double x) {
  return 1.0 / x;
}
double reciprocal_root(double x) {
  return 1.0 / std::sqrt(x);
}
double root(double x) {
  return std::sqrt(x);
}
double power_of_two(double x) {
  return std::exp2(x);
}
double binary_logarithm(double x) {
  return std::log2(x);
}
constexpr double kTurn = 6.283185307179586;  // MUFU.SIN and .COS take turns
double sine(double x) {
  return std::sin(x * kTurn);
}
double cosine(double x) {
  return std::cos(x * kTurn);
}
double hyperbolic_tangent(double x) {
  return std::tanh(x);
}
Lanewise pick_approximate(const Instruction& i) {
  if (i.has("RCP")) return &approximate<reciprocal>;
  if (i.has("RSQ")) return &approximate<reciprocal_root>;
  if (i.has("SQRT")) return &approximate<root>;
  if (i.has("EX2")) return &approximate<power_of_two>;
  if (i.has("LG2")) return &approximate<binary_logarithm>;
  if (i.has("SIN")) return &approximate<sine>;
  if (i.has("COS")) return &approximate<cosine>;
  if (i.has("TANH")) return &approximate<hyperbolic_tangent>;
  if (i.has("RCP64H")) return &approximate_upper<reciprocal>;
  if (i.has("RSQ64H")) return &approximate_upper<reciprocal_root>;
  return nullptr;
}

// Conversions.
template <class From, Rounding kRounding, bool kToDouble>
Bits integer_to_number(Bits a, Bits, Bits) {
  const From v = static_cast<From>(a);
  const bool negative = std::is_signed_v<From> && v < From{0};
  const Bits wide = static_cast<Bits>(static_cast<std::int64_t>(v));
  const Bits magnitude = negative ? 0 - wide : std::is_signed_v<From> ? wide : static_cast<Bits>(v);
  return kToDouble ? bits_of(replay::integer_to_double(negative, magnitude, kRounding))
                   : bits_of(replay::integer_to_float(negative, magnitude, kRounding));
}
template <class From, Rounding kRounding>
Lanewise pick_from_integer(const Instruction& i) {
  return i.has("F64") ? &integer_to_number<From, kRounding, true>
                      : &integer_to_number<From, kRounding, false>;
}
template <class From>
Lanewise pick_from_integer(const Instruction& i) {
  switch (rounding_of(i)) {
    case Rounding::rz: return pick_from_integer<From, Rounding::rz>(i);
    case Rounding::rm: return pick_from_integer<From, Rounding::rm>(i);
    case Rounding::rp: return pick_from_integer<From, Rounding::rp>(i);
    default: return pick_from_integer<From, Rounding::rn>(i);
  }
}
Lanewise pick_from_integer_type(const Instruction& i) {
  if (i.has("F16")) return nullptr;
  if (i.has("U64")) return pick_from_integer<std::uint64_t>(i);
  if (i.has("S64")) return pick_from_integer<std::int64_t>(i);
  if (i.has("U32")) return pick_from_integer<std::uint32_t>(i);
  if (i.has("U16")) return pick_from_integer<std::uint16_t>(i);
  if (i.has("S16")) return pick_from_integer<std::int16_t>(i);
  if (i.has("U8")) return pick_from_integer<std::uint8_t>(i);
  if (i.has("S8")) return pick_from_integer<std::int8_t>(i);
  return pick_from_integer<std::int32_t>(i);
}

enum class Whole : std::uint8_t { nearest, truncated, floor, ceiling };
template <Whole kWhole>
double whole(double v) {
  switch (kWhole) {
    case Whole::truncated: return std::trunc(v);
    case Whole::floor: return std::floor(v);
    case Whole::ceiling: return std::ceil(v);
    case Whole::nearest: break;
  }
  return std::nearbyint(v);
}
/// Beyond the type's ends: the end. What is no number: zero with NTZ, else the bit that no other result has
/// alone.
template <class From, class To, Whole kWhole, bool kNanIsZero>
Bits number_to_integer(Bits a, Bits, Bits) {
  using Unsigned = std::make_unsigned_t<To>;
  const double v = whole<kWhole>(static_cast<double>(number<From>(a)));
  if (std::isnan(v)) return kNanIsZero ? 0 : Bits{Unsigned{1}} << (8 * sizeof(To) - 1);
  constexpr double kEnd =
      sizeof(To) == 8 ? (std::is_signed_v<To> ? 0x1p63 : 0x1p64) : (std::is_signed_v<To> ? 0x1p31 : 0x1p32);
  if (v >= kEnd) return static_cast<Unsigned>(std::numeric_limits<To>::max());
  if (v < (std::is_signed_v<To> ? -kEnd : 0.0)) return static_cast<Unsigned>(std::numeric_limits<To>::min());
  return static_cast<Unsigned>(static_cast<To>(v));
}
template <class From, class To, Whole kWhole>
Lanewise pick_to_integer(const Instruction& i) {
  return i.has("NTZ") ? &number_to_integer<From, To, kWhole, true>
                      : &number_to_integer<From, To, kWhole, false>;
}
template <class From, class To>
Lanewise pick_to_integer(const Instruction& i) {
  if (i.has("TRUNC")) return pick_to_integer<From, To, Whole::truncated>(i);
  if (i.has("FLOOR")) return pick_to_integer<From, To, Whole::floor>(i);
  if (i.has("CEIL")) return pick_to_integer<From, To, Whole::ceiling>(i);
  return pick_to_integer<From, To, Whole::nearest>(i);
}
template <class From>
Lanewise pick_to_integer(const Instruction& i) {
  if (i.has("U64")) return pick_to_integer<From, std::uint64_t>(i);
  if (i.has("S64")) return pick_to_integer<From, std::int64_t>(i);
  if (i.has("U32")) return pick_to_integer<From, std::uint32_t>(i);
  if (i.has("U16") || i.has("S16") || i.has("U8") || i.has("S8")) return nullptr;
  return pick_to_integer<From, std::int32_t>(i);
}

template <class T, Whole kWhole>
Bits made_whole(Bits a, Bits, Bits) {
  return bits_of(static_cast<T>(whole<kWhole>(static_cast<double>(number<T>(a)))));
}
template <class T>
Lanewise pick_whole(const Instruction& i) {
  if (i.has("TRUNC")) return &made_whole<T, Whole::truncated>;
  if (i.has("FLOOR")) return &made_whole<T, Whole::floor>;
  if (i.has("CEIL")) return &made_whole<T, Whole::ceiling>;
  return &made_whole<T, Whole::nearest>;
}

Bits widened(Bits a, Bits, Bits) {
  return bits_of(static_cast<double>(f32(a)));
}
template <Rounding kRounding>
Bits narrowed(Bits a, Bits, Bits) {
  return bits_of(replay::narrow_rounded(f64(a), kRounding));
}
template <class H, Rounding kRounding>
Bits packed(Bits a, Bits b, Bits) {
  const auto half = [](Bits bits) { return Bits{H::narrow(static_cast<double>(f32(bits)), kRounding)}; };
  return half(a) << 16 | half(b);
}

template <bool kUpper>
Bits half_widened(Bits a, Bits, Bits) {
  return bits_of(
      static_cast<float>(replay::Float16::widen(static_cast<std::uint16_t>(kUpper ? a >> 16 : a))));
}

// Integers.
template <class Wide>
Bits upper_product(Bits a, Bits b, Bits c) {
  using Narrow = std::conditional_t<std::is_signed_v<Wide>, std::int32_t, std::uint32_t>;
  return (static_cast<Bits>(Wide{static_cast<Narrow>(a)} * Wide{static_cast<Narrow>(b)}) + c) >> 32 & kWord;
}
/// A pair's word, shifted; b: by how much, of a as the lower word and c as the upper one.
template <bool kLeft, bool kUpper, bool kSigned, bool kWide, bool kWraps>
Bits funnel(Bits a, Bits b, Bits c) {
  const Bits pair = c << 32 | (a & kWord), width = kWide ? 64 : 32,
             by = kWraps ? b & (width - 1) : std::min(b & kWord, width);
  Bits shifted = 0;
  if (by < 64) {
    shifted = kLeft     ? pair << by
              : kSigned ? static_cast<Bits>(static_cast<std::int64_t>(pair) >> by)
                        : pair >> by;
  } else if (kSigned && !kLeft) {
    shifted = static_cast<Bits>(static_cast<std::int64_t>(pair) >> 63);
  }
  return (kUpper ? shifted >> 32 : shifted) & kWord;
}
template <bool kLeft, bool kUpper, bool kSigned, bool kWide>
Lanewise pick_funnel(const Instruction& i) {
  return i.has("W") ? &funnel<kLeft, kUpper, kSigned, kWide, true>
                    : &funnel<kLeft, kUpper, kSigned, kWide, false>;
}
template <bool kLeft, bool kUpper>
Lanewise pick_funnel(const Instruction& i) {
  const bool wide = i.has("U64") || i.has("S64");
  if (i.has("S32") || i.has("S64"))
    return wide ? pick_funnel<kLeft, kUpper, true, true>(i) : pick_funnel<kLeft, kUpper, true, false>(i);
  return wide ? pick_funnel<kLeft, kUpper, false, true>(i) : pick_funnel<kLeft, kUpper, false, false>(i);
}
Lanewise pick_funnel(const Instruction& i) {
  if (i.has("L")) return i.has("HI") ? pick_funnel<true, true>(i) : pick_funnel<true, false>(i);
  return i.has("HI") ? pick_funnel<false, true>(i) : pick_funnel<false, false>(i);
}

/// Each digit of b picks a byte of a and c; its highest bit, that byte's sign instead.
Bits permuted(Bits a, Bits b, Bits c) {
  const Bits bytes = (c & kWord) << 32 | (a & kWord);
  Bits result = 0;
  for (int at = 0; at < 4; ++at) {
    const Bits digit = b >> (4 * at) & 15, byte = bytes >> (8 * (digit & 7)) & 0xff;
    result |= ((digit & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xff : 0) << (8 * at);
  }
  return result;
}
Bits magnitude(Bits a, Bits, Bits) {
  const auto v = static_cast<std::int32_t>(a);
  return v < 0 ? Bits{0u - static_cast<std::uint32_t>(v)} : Bits{static_cast<std::uint32_t>(v)};
}
template <class Integer, bool kLarger>
Bits extremum_of_three(Bits a, Bits b, Bits c) {
  const auto x = static_cast<Integer>(a), y = static_cast<Integer>(b), z = static_cast<Integer>(c);
  return static_cast<std::uint32_t>(kLarger ? std::max({x, y, z}) : std::min({x, y, z}));
}
template <class Integer>
Bits distance(Bits a, Bits b, Bits c) {
  const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
  return (static_cast<Integer>(x) < static_cast<Integer>(y) ? y - x : x - y) + static_cast<std::uint32_t>(c);
}
Bits population(Bits a, Bits, Bits) {
  return static_cast<Bits>(std::popcount(static_cast<std::uint32_t>(a)));
}
Bits leading_one(Bits a, Bits, Bits) {
  const auto word = static_cast<std::uint32_t>(a);
  return word == 0 ? kWord : static_cast<Bits>(31 - std::countl_zero(word));
}
Bits leading_zeros(Bits a, Bits, Bits) {
  const auto word = static_cast<std::uint32_t>(a);
  return word == 0 ? kWord : static_cast<Bits>(std::countl_zero(word));
}
Bits leading_signed(Bits a, Bits, Bits) {
  const auto word = static_cast<std::uint32_t>(a);
  return leading_one(static_cast<std::int32_t>(word) < 0 ? ~word : word, 0, 0);
}
Bits reversed(Bits a, Bits, Bits) {
  Bits result = 0;
  for (int bit = 0; bit < 32; ++bit) result |= (a >> bit & 1) << (31 - bit);
  return result;
}
template <bool kSigned>
Bits lower_bits(Bits a, Bits b, Bits) {
  const Bits bits = std::min<Bits>(b & kWord, 32);
  if (bits == 0) return 0;
  const auto raised = static_cast<std::uint32_t>(a << (32 - bits));
  return kSigned ? static_cast<std::uint32_t>(static_cast<std::int32_t>(raised) >> (32 - bits))
                 : raised >> (32 - bits);
}
Bits mask_of_bits(Bits a, Bits b, Bits) {
  const Bits first = a & kWord, count = b & kWord;
  if (first >= 32) return 0;
  return ((count >= 32 ? kWord : (Bits{1} << count) - 1) << first) & kWord;
}

LanewiseForm of_floats(const Instruction& i) {
  const bool is_double = i.opcode.starts_with('D');
  const Sign sign = is_double ? Sign::f64 : Sign::f32;
  const auto form = [&](Lanewise function, int sources) {
    return LanewiseForm{.function = function,
                        .sign = sign,
                        .sources = sources,
                        .wide_sources = is_double ? 7u : 0u,
                        .wide_result = is_double};
  };
  const auto is = [&](std::string_view f, std::string_view d) { return i.opcode == f || i.opcode == d; };
  if (is("FADD", "DADD")) return form(pick_rounded<Add>(i), 2);
  if (is("FMUL", "DMUL")) return form(pick_rounded<Multiply>(i), 2);
  if (is("FFMA", "DFMA")) return form(pick_rounded<MultiplyAdd>(i), 3);
  if (is("FSETP", "DSETP")) {
    LanewiseForm test = form(is_double      ? pick_comparison<double, false>(i)
                             : i.has("FTZ") ? pick_comparison<float, true>(i)
                                            : pick_comparison<float, false>(i),
                             2);
    test.is_test = true;
    return test;
  }
  if (i.opcode == "FMNMX") {
    LanewiseForm chosen = form(i.has("FTZ") ? &extremum<false, true> : &extremum<false, false>, 2);
    chosen.other_function = i.has("FTZ") ? &extremum<true, true> : &extremum<true, false>;
    return chosen;
  }
  if (i.opcode == "FSEL") {
    LanewiseForm chosen = form(&first_of, 2);
    chosen.other_function = &second_of;
    return chosen;
  }
  if (i.opcode == "FCHK") {
    LanewiseForm test = form(&needs_care, 2);
    test.is_test = true;
    return test;
  }
  if (i.opcode == "MUFU") return form(pick_approximate(i), 1);
  if (i.opcode == "FRND" && !i.has("F16")) {
    const bool wide = i.has("F64");
    return {.function = wide ? pick_whole<double>(i) : pick_whole<float>(i),
            .sign = wide ? Sign::f64 : Sign::f32,
            .wide_sources = wide ? 1u : 0u,
            .wide_result = wide};
  }
  return {};
}

LanewiseForm of_conversions(const Instruction& i) {
  if (i.opcode == "I2F" || i.opcode == "I2FP") {
    const bool wide = i.has("U64") || i.has("S64");
    return {
        .function = pick_from_integer_type(i), .wide_sources = wide ? 1u : 0u, .wide_result = i.has("F64")};
  }
  if (i.opcode == "F2I" && !i.has("F16")) {
    const bool from_double = i.has("F64");
    return {.function = from_double ? pick_to_integer<double>(i) : pick_to_integer<float>(i),
            .sign = from_double ? Sign::f64 : Sign::f32,
            .wide_sources = from_double ? 1u : 0u,
            .wide_result = i.has("U64") || i.has("S64")};
  }
  if (i.opcode == "F2F" && i.modifiers.size() >= 2) {
    if (i.modifiers[0] == "F64" && i.modifiers[1] == "F32")
      return {.function = &widened, .sign = Sign::f32, .wide_result = true};
    if (i.modifiers[0] == "F32" && i.modifiers[1] == "F64" && rounding_of(i) == Rounding::rn) {
      return {.function = &narrowed<Rounding::rn>, .sign = Sign::f64, .wide_sources = 1};
    }
  }
  if (i.opcode == "F2FP" && i.has("PACK_AB") && i.has("F32") && !i.has("RELU")) {
    const bool down = i.has("RZ");
    if (i.has("F16")) {
      return {
          .function = down ? &packed<replay::Float16, Rounding::rz> : &packed<replay::Float16, Rounding::rn>,
          .sign = Sign::f32,
          .sources = 2};
    }
    if (i.has("BF16")) {
      return {.function =
                  down ? &packed<replay::Bfloat16, Rounding::rz> : &packed<replay::Bfloat16, Rounding::rn>,
              .sign = Sign::f32,
              .sources = 2};
    }
  }
  return {};
}

/// Part `k` of a word.
template <class T>
std::int64_t part_of(Bits word, int k) {
  return static_cast<T>(word >> (8 * sizeof(T) * static_cast<unsigned>(k)));
}
/// c and the products of four bytes each; or of two halves and two bytes, the lower or the upper ones.
template <class A, class B, int kFirstByte = 0>
Bits dot_product(Bits a, Bits b, Bits c) {
  std::int64_t sum = static_cast<std::int32_t>(c);
  for (int k = 0; k < static_cast<int>(4 / sizeof(A)); ++k)
    sum += part_of<A>(a, k) * part_of<B>(b, kFirstByte + k);
  return static_cast<std::uint32_t>(sum);
}
template <class A, class B>
Lanewise pick_dot_product(const Instruction& i) {
  if constexpr (sizeof(A) == 1) return i.has("4A") ? &dot_product<A, B> : nullptr;
  return !i.has("2A") ? nullptr : i.has("HI") ? &dot_product<A, B, 2> : &dot_product<A, B>;
}
/// The types stand behind each other: "IDP.4A.U8.S8", "IDP.2A.LO.S16.U8".
Lanewise pick_dot_product(const Instruction& i) {
  if (i.modifiers.size() < 3) return nullptr;
  const std::string_view a = i.modifiers[i.modifiers.size() - 2], b = i.modifiers.back();
  const bool is_signed_b = b == "S8";
  if (!is_signed_b && b != "U8") return nullptr;
  if (a == "S8")
    return is_signed_b ? pick_dot_product<std::int8_t, std::int8_t>(i)
                       : pick_dot_product<std::int8_t, std::uint8_t>(i);
  if (a == "U8")
    return is_signed_b ? pick_dot_product<std::uint8_t, std::int8_t>(i)
                       : pick_dot_product<std::uint8_t, std::uint8_t>(i);
  if (a == "S16")
    return is_signed_b ? pick_dot_product<std::int16_t, std::int8_t>(i)
                       : pick_dot_product<std::int16_t, std::uint8_t>(i);
  if (a == "U16")
    return is_signed_b ? pick_dot_product<std::uint16_t, std::int8_t>(i)
                       : pick_dot_product<std::uint16_t, std::uint8_t>(i);
  return nullptr;
}
/// Distances of four bytes, each for itself or added to c.
template <class T, bool kAddsUp>
Bits distances(Bits a, Bits b, Bits c) {
  Bits result = 0;
  for (int k = 0; k < 4; ++k) {
    const auto distance = static_cast<Bits>(std::abs(part_of<T>(a, k) - part_of<T>(b, k)));
    result = kAddsUp ? result + distance : result | distance << (8 * k);
  }
  return (kAddsUp ? result + c : result) & kWord;
}
template <class T>
Lanewise pick_distances(const Instruction& i) {
  return i.has("ACC") ? &distances<T, true> : &distances<T, false>;
}
template <class T, bool kLarger>
Bits extrema_of_halves(Bits a, Bits b, Bits) {
  Bits result = 0;
  for (int k = 0; k < 2; ++k) {
    const std::int64_t x = part_of<T>(a, k), y = part_of<T>(b, k);
    result |= static_cast<Bits>(static_cast<std::uint16_t>(kLarger ? std::max(x, y) : std::min(x, y)))
              << (16 * k);
  }
  return result;
}

LanewiseForm of_integers(const Instruction& i) {
  const std::string_view opcode =
      i.opcode.starts_with('U') ? std::string_view(i.opcode).substr(1) : std::string_view(i.opcode);
  if (opcode == "IMAD" && i.has("HI") && !i.has("X")) {
    return {.function = i.has("U32") ? &upper_product<std::uint64_t> : &upper_product<std::int64_t>,
            .sources = 3,
            .wide_sources = 4};
  }
  if (opcode == "SHF") return {.function = pick_funnel(i), .sources = 3};
  if (opcode == "PRMT" && i.modifiers.empty())
    return {.function = &permuted, .sources = 3, .joins_bytes = true};
  if (opcode == "VABSDIFF")
    return {.function = i.has("U32") ? &distance<std::uint32_t> : &distance<std::int32_t>, .sources = 3};
  if (opcode == "VIMNMX3" && i.operands.size() == 5) {
    if (i.has("U32")) {
      return {.function = &extremum_of_three<std::uint32_t, false>,
              .other_function = &extremum_of_three<std::uint32_t, true>,
              .sources = 3};
    }
    return {.function = &extremum_of_three<std::int32_t, false>,
            .other_function = &extremum_of_three<std::int32_t, true>,
            .sources = 3};
  }
  if (opcode == "IDP") return {.function = pick_dot_product(i), .sources = 3};
  if (opcode == "VABSDIFF4") {
    const bool adds_to_nothing = !i.has("ACC") && (i.operands.size() < 4 || i.operands[3].text != "RZ");
    if (adds_to_nothing) return {};
    return {.function = i.has("U8") ? pick_distances<std::uint8_t>(i) : pick_distances<std::int8_t>(i),
            .sources = 3};
  }
  if (opcode == "VIMNMX" && i.operands.size() == 4) {
    if (i.has("U16x2")) {
      return {.function = &extrema_of_halves<std::uint16_t, false>,
              .other_function = &extrema_of_halves<std::uint16_t, true>,
              .sources = 2};
    }
    if (!i.has("S16x2")) return {};
    return {.function = &extrema_of_halves<std::int16_t, false>,
            .other_function = &extrema_of_halves<std::int16_t, true>,
            .sources = 2};
  }
  if (opcode == "IABS") return {.function = &magnitude};
  if (opcode == "POPC") return {.function = &population};
  if (opcode == "FLO")
    return {.function = !i.has("U32") ? (i.has("SH") ? nullptr : &leading_signed)
                        : i.has("SH") ? &leading_zeros
                                      : &leading_one};
  if (opcode == "BREV") return {.function = &reversed};
  if (opcode == "SGXT")
    return {.function = i.has("W")     ? nullptr
                        : i.has("U32") ? &lower_bits<false>
                                       : &lower_bits<true>,
            .sources = 2};
  if (opcode == "BMSK") return {.function = i.has("W") ? nullptr : &mask_of_bits, .sources = 2};
  return {};
}

// Atomic operations.
template <class Integer>
Bits sum_of(Bits a, Bits b, Bits) {
  return static_cast<Integer>(a + b);
}
/// Of two halves each.
Bits sum_of_halves(Bits a, Bits b, Bits) {
  const auto half = [](Bits bits) { return replay::Float16::widen(static_cast<std::uint16_t>(bits)); };
  return Bits{replay::Float16::narrow(half(a >> 16) + half(b >> 16))} << 16 |
         replay::Float16::narrow(half(a) + half(b));
}
template <class Float>
Bits sum_of_numbers(Bits a, Bits b, Bits) {
  return bits_of(number<Float>(a) + number<Float>(b));
}
template <class T>
Bits smaller(Bits a, Bits b, Bits) {
  return static_cast<std::make_unsigned_t<T>>(std::min(static_cast<T>(a), static_cast<T>(b)));
}
template <class T>
Bits larger(Bits a, Bits b, Bits) {
  return static_cast<std::make_unsigned_t<T>>(std::max(static_cast<T>(a), static_cast<T>(b)));
}
Bits counted_up(Bits a, Bits b, Bits) {
  return (a & kWord) >= (b & kWord) ? 0 : a + 1;
}
Bits counted_down(Bits a, Bits b, Bits) {
  return (a & kWord) == 0 || (a & kWord) > (b & kWord) ? b : a - 1;
}
Bits one_more(Bits a, Bits, Bits) {
  return (a + 1) & kWord;
}
Bits conjunction(Bits a, Bits b, Bits) {
  return a & b;
}
Bits disjunction(Bits a, Bits b, Bits) {
  return a | b;
}
Bits difference(Bits a, Bits b, Bits) {
  return a ^ b;
}
Bits swapped_if_equal(Bits a, Bits b, Bits c) {
  return a == b ? c : a;
}
template <class Signed, class Unsigned>
Lanewise pick_extremum(const Instruction& i) {
  const bool is_signed = i.has("S32") || i.has("S64");
  if (i.has("MIN")) return is_signed ? &smaller<Signed> : &smaller<Unsigned>;
  return is_signed ? &larger<Signed> : &larger<Unsigned>;
}

/// Modifiers whose meaning is known, by opcode (without the U of uniform ones): with any other an instruction
/// is not computed.
bool is_understood(const Instruction& i) {
  using Names = std::initializer_list<std::string_view>;
  static const std::map<std::string_view, std::vector<std::string_view>> kKnown = [] {
    std::map<std::string_view, std::vector<std::string_view>> known;
    const Names compare{"LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "LTU", "EQU", "LEU",
                        "GTU", "NEU", "GEU", "NUM", "NAN", "AND", "OR",  "XOR", "FTZ"};
    const Names functions{"RCP", "RSQ", "SQRT", "EX2", "LG2", "SIN", "COS", "TANH", "RCP64H", "RSQ64H"};
    const Names integers{"U8",  "S8",  "U16", "S16", "U32", "S32", "U64",
                         "S64", "F32", "F64", "RZ",  "RM",  "RP"};
    for (const char* const opcode : {"FADD", "FMUL", "FFMA"})
      known[opcode] = {"FTZ", "SAT", "RZ", "RM", "RP"};
    for (const char* const opcode : {"DADD", "DMUL", "DFMA"}) known[opcode] = {"RZ", "RM", "RP"};
    for (const char* const opcode : {"FSETP", "DSETP"}) known[opcode] = compare;
    for (const char* const opcode : {"I2F", "I2FP"}) known[opcode] = integers;
    known["MUFU"] = functions;
    known["FMNMX"] = {"FTZ"};
    known["FRND"] = {"TRUNC", "FLOOR", "CEIL", "F64"};
    known["F2I"] = {"U32", "S32", "U64", "S64", "F32", "F64", "TRUNC", "FLOOR", "CEIL", "NTZ", "FTZ"};
    known["F2F"] = {"F32", "F64"};
    known["F2FP"] = {"F16", "BF16", "F32", "PACK_AB", "RZ"};
    known["IMAD"] = {"HI", "U32", "S32"};
    known["SHF"] = {"L", "R", "W", "HI", "U32", "S32", "U64", "S64"};
    known["FLO"] = {"U32", "SH"};
    known["SGXT"] = {"U32"};
    known["VABSDIFF"] = {"U32"};
    known["VIMNMX3"] = {"U32", "S32"};
    known["VIMNMX"] = {"U16x2", "S16x2"};
    known["VABSDIFF4"] = {"U8", "S8", "ACC"};
    known["IDP"] = {"4A", "2A", "LO", "HI", "U8", "S8", "U16", "S16"};
    return known;
  }();
  const std::string_view opcode =
      i.opcode.starts_with('U') ? std::string_view(i.opcode).substr(1) : std::string_view(i.opcode);
  const auto known = kKnown.find(opcode);
  // Subnormals that are flushed are 0 to the nearest integer, and to that below in magnitude; not to that
  // above or below in value.
  if (opcode == "F2I" && i.has("FTZ") && (i.has("FLOOR") || i.has("CEIL"))) return false;
  const auto is_known = [&](const std::string& modifier) {
    return known != kKnown.end() && std::ranges::find(known->second, modifier) != known->second.end();
  };
  return std::ranges::all_of(i.modifiers, is_known);
}

}  // namespace

LanewiseForm lanewise_form(const Instruction& instruction) {
  if (!is_understood(instruction)) return {};
  LanewiseForm form = of_floats(instruction);
  if (form.function == nullptr) form = of_conversions(instruction);
  if (form.function == nullptr) form = of_integers(instruction);
  return form;
}

Lanewise half_to_float(bool upper) {
  return upper ? &half_widened<true> : &half_widened<false>;
}

Lanewise atomic_function(const Instruction& i) {
  const bool wide = i.has("64") || i.has("U64") || i.has("S64");
  constexpr std::string_view kKnown[] = {"E",   "STRONG", "WEAK", "GPU",  "CTA", "SYS", "SM",   "ADD",
                                         "MIN", "MAX",    "INC",  "DEC",  "AND", "OR",  "XOR",  "EXCH",
                                         "CAS", "CAST",   "SPIN", "POPC", "32",  "64",  "U32",  "S32",
                                         "U64", "S64",    "F32",  "F64",  "FTZ", "RN",  "F16x2"};
  if (!std::ranges::all_of(i.modifiers, [&](const std::string& modifier) {
        return std::ranges::find(kKnown, modifier) != std::end(kKnown);
      }))
    return nullptr;
  if (i.has("POPC")) return &one_more;
  if (i.has("CAS") || i.has("CAST")) return &swapped_if_equal;
  if (i.has("EXCH")) return &second_of;
  if (i.has("F16x2")) return i.has("ADD") ? &sum_of_halves : nullptr;
  if (i.has("ADD"))
    return i.has("F32")   ? &sum_of_numbers<float>
           : i.has("F64") ? &sum_of_numbers<double>
           : wide         ? &sum_of<std::uint64_t>
                          : &sum_of<std::uint32_t>;
  if (i.has("INC")) return &counted_up;
  if (i.has("DEC")) return &counted_down;
  if (i.has("AND")) return &conjunction;
  if (i.has("OR")) return &disjunction;
  if (i.has("XOR")) return &difference;
  if (i.has("MIN") || i.has("MAX")) {
    return wide ? pick_extremum<std::int64_t, std::uint64_t>(i)
                : pick_extremum<std::int32_t, std::uint32_t>(i);
  }
  return nullptr;
}

Lanewise reduction_function(const Instruction& i) {
  if (i.has("SUM")) return &sum_of<std::uint32_t>;
  if (i.has("OR")) return &disjunction;
  if (i.has("XOR")) return &difference;
  if (i.has("MIN") || i.has("MAX")) return pick_extremum<std::int32_t, std::uint32_t>(i);
  return &conjunction;
}

}  // namespace warplens::sass
