#include "kernels/replay/lane_functions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/replay/directed.h"
#include "kernels/replay/half.h"

namespace warplens::replay {
namespace {

using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;
using Bits = std::uint64_t;

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
  return std::bit_cast<Bits>(v);
}

float flush(float v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
}
template <bool kFtz>
float in(Bits bits) {
  return kFtz ? flush(f32(bits)) : f32(bits);
}
template <bool kFtz, bool kSat>
Bits out(float v) {
  if (kFtz) v = flush(v);
  if (kSat) v = v >= 1.0f ? 1.0f : v > 0.0f ? v : 0.0f;
  return bits_of(v);
}

// Operations in a directed rounding. `F` has a static function `of(a, b, c, rounding)` on floats or doubles.
template <class F, Rounding kRounding, bool kFtz, bool kSat>
Bits rounded_f32(Bits a, Bits b, Bits c) {
  return out<kFtz, kSat>(F::of(in<kFtz>(a), in<kFtz>(b), in<kFtz>(c), kRounding));
}
// Which NaN an f64 operation gives: see the cores' floating.inl.
template <class F, Rounding kRounding>
Bits rounded_f64(Bits a, Bits b, Bits c) {
  const double result = F::of(f64(a), f64(b), f64(c), kRounding);
  if (!std::isnan(result)) return bits_of(result);
  const Bits sources[] = {F::kFirstWins ? a : c, b, F::kFirstWins ? c : a};
  const int unused = F::kSources == 3 ? 0 : F::kSources == 2 ? (F::kFirstWins ? 4 : 1) : (F::kFirstWins ? 6 : 3);
  for (int k = 0; k < 3; ++k) {
    if ((unused >> k & 1) == 0 && std::isnan(f64(sources[k]))) return sources[k] | 0x0008000000000000u;
  }
  return 0xfff8000000000000u;
}
template <class F, Rounding kRounding>
LaneFunction pick_rounded(const Traits& t) {
  if (t.type == Type::f64) return &rounded_f64<F, kRounding>;
  if (t.type != Type::f32) return nullptr;
  if (t.ftz) return t.sat ? &rounded_f32<F, kRounding, true, true> : &rounded_f32<F, kRounding, true, false>;
  return t.sat ? &rounded_f32<F, kRounding, false, true> : &rounded_f32<F, kRounding, false, false>;
}
template <class F>
LaneFunction pick_rounded(const Traits& t) {
  switch (t.rounding) {
    case Rounding::rz: return pick_rounded<F, Rounding::rz>(t);
    case Rounding::rm: return pick_rounded<F, Rounding::rm>(t);
    case Rounding::rp: return pick_rounded<F, Rounding::rp>(t);
    default: return pick_rounded<F, Rounding::rn>(t);
  }
}
struct Add {
  static constexpr int kSources = 2;
  static constexpr bool kFirstWins = false;
  template <class T>
  static T of(T a, T b, T, Rounding r) {
    return add_rounded(a, b, r);
  }
};
struct Sub {
  static constexpr int kSources = 2;
  static constexpr bool kFirstWins = false;
  template <class T>
  static T of(T a, T b, T, Rounding r) {
    return add_rounded(a, -b, r);
  }
};
struct Mul {
  static constexpr int kSources = 2;
  static constexpr bool kFirstWins = false;
  template <class T>
  static T of(T a, T b, T, Rounding r) {
    return mul_rounded(a, b, r);
  }
};
struct Fma {
  static constexpr int kSources = 3;
  static constexpr bool kFirstWins = false;
  template <class T>
  static T of(T a, T b, T c, Rounding r) {
    return fma_rounded(a, b, c, r);
  }
};
struct Div {
  static constexpr int kSources = 2;
  static constexpr bool kFirstWins = true;
  template <class T>
  static T of(T a, T b, T, Rounding r) {
    return div_rounded(a, b, r);
  }
};
struct Rcp {
  static constexpr int kSources = 1;
  static constexpr bool kFirstWins = true;
  template <class T>
  static T of(T a, T, T, Rounding r) {
    return div_rounded(T(1), a, r);
  }
};
struct Sqrt {
  static constexpr int kSources = 1;
  static constexpr bool kFirstWins = true;
  template <class T>
  static T of(T a, T, T, Rounding r) {
    return sqrt_rounded(a, r);
  }
};

// Approximate functions: worked out in double and rounded once, so well within the errors that the PTX ISA states.
template <double (*kFunction)(double), bool kFtz>
Bits approximate(Bits a, Bits, Bits) {
  return out<kFtz, false>(static_cast<float>(kFunction(in<kFtz>(a))));
}
template <double (*kFunction)(double)>
LaneFunction pick_approximate(const Traits& t) {
  if (t.type != Type::f32) return nullptr;
  return t.ftz ? &approximate<kFunction, true> : &approximate<kFunction, false>;
}
double exp2_of(double x) {
  return std::exp2(x);
}
double log2_of(double x) {
  return std::log2(x);
}
double sin_of(double x) {
  return std::sin(x);
}
double cos_of(double x) {
  return std::cos(x);
}
double tanh_of(double x) {
  return std::tanh(x);
}
double reciprocal(double x) {
  return 1.0 / x;
}
double root_of(double x) {
  return std::sqrt(x);
}
double reciprocal_root(double x) {
  return 1.0 / std::sqrt(x);
}

// div.approx is a * (1 / b): beyond 2^126 the reciprocal counts as zero.
template <bool kFtz>
Bits div_approximate(Bits a, Bits b, Bits) {
  const float x = in<kFtz>(a), y = in<kFtz>(b);
  const bool vanishes = std::fabs(y) > 0x1p126f && std::isfinite(y);
  return out<kFtz, false>(vanishes ? x * std::copysign(0.0f, y) : x / y);
}
template <bool kFtz>
Bits div_full(Bits a, Bits b, Bits) {
  return out<kFtz, false>(in<kFtz>(a) / in<kFtz>(b));
}
// The upper half of a double's reciprocal, subnormals flushed.
double flush(double v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0, v) : v;
}
template <double (*kFunction)(double)>
Bits approximate_f64(Bits a, Bits, Bits) {
  const Bits bits = bits_of(flush(kFunction(flush(f64(a & 0xffffffff00000000u)))));
  return std::isnan(f64(bits)) ? 0x7fffffff00000000u : bits & 0xffffffff00000000u;
}
Bits reciprocal_root_f64(Bits a, Bits, Bits) {
  return bits_of(1.0 / std::sqrt(f64(a)));
}

// min and max .xorsign.abs: of the magnitudes, with the product of the signs.
template <bool kMax, bool kNan, bool kFtz>
Bits extremum_of_magnitudes(Bits a, Bits b, Bits) {
  const float x = std::fabs(in<kFtz>(a)), y = std::fabs(in<kFtz>(b));
  if (std::isnan(x) && (kNan || std::isnan(y))) return 0x7fffffff;
  if (std::isnan(y) && kNan) return 0x7fffffff;
  const bool first = std::isnan(y) || (kMax ? x > y : x < y);
  return bits_of(first ? x : y) | ((a ^ b) & 0x80000000u);
}
template <bool kMax>
LaneFunction pick_extremum(const Traits& t) {
  if (t.type != Type::f32 || !t.xor_sign || t.relu) return nullptr;
  if (t.nan) return t.ftz ? &extremum_of_magnitudes<kMax, true, true> : &extremum_of_magnitudes<kMax, true, false>;
  return t.ftz ? &extremum_of_magnitudes<kMax, false, true> : &extremum_of_magnitudes<kMax, false, false>;
}

// Half precision, one value or two in a register. The operations are exact in double, so that narrowing rounds once.
double add_of(double a, double b, double) {
  return a + b;
}
double sub_of(double a, double b, double) {
  return a - b;
}
double mul_of(double a, double b, double) {
  return a * b;
}
double fma_of(double a, double b, double c) {
  // The product is exact; a sum that is not is rounded to odd, which narrowing cannot tell from the exact one.
  const double product = a * b, sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double from_product = sum - c, rest = (product - from_product) + (c - (sum - from_product));
  if (rest == 0 || (std::bit_cast<Bits>(sum) & 1) != 0) return sum;
  return std::bit_cast<double>(std::bit_cast<Bits>(sum) + ((rest > 0) == (sum > 0) ? 1 : -1));
}
template <bool kMax, bool kNan>
double extremum_of(double a, double b, double) {
  if (std::isnan(a)) return kNan ? a : b;
  if (std::isnan(b)) return kNan ? b : a;
  if (a == b) return std::signbit(a) == kMax ? b : a;
  return (a < b) != kMax ? a : b;
}
double relu_of(double v) {
  return std::isnan(v) || v > 0 ? v : 0;
}
double saturate_of(double v) {
  return v >= 1 ? 1 : v > 0 ? v : 0;
}

using HalfOperation = double (*)(double, double, double);
template <class H>
double half_in(Bits bits, bool flushes) {
  const double v = H::widen(static_cast<std::uint16_t>(bits));
  return flushes && std::fabs(v) < H::smallest_normal() ? std::copysign(0.0, v) : v;
}
template <class H, HalfOperation kOperation, bool kSat, bool kRelu, bool kFtz>
Bits half_one(Bits a, Bits b, Bits c) {
  double v = kOperation(half_in<H>(a, kFtz), half_in<H>(b, kFtz), half_in<H>(c, kFtz));
  if (kSat) v = saturate_of(v);
  if (kRelu) v = relu_of(v);
  const std::uint16_t narrow = H::narrow(v);
  return kFtz ? H::narrow(half_in<H>(narrow, true)) : narrow;
}
template <class H, HalfOperation kOperation, bool kSat, bool kRelu, bool kFtz>
Bits half_two(Bits a, Bits b, Bits c) {
  return half_one<H, kOperation, kSat, kRelu, kFtz>(a & 0xffff, b & 0xffff, c & 0xffff) |
         half_one<H, kOperation, kSat, kRelu, kFtz>(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff) << 16;
}
template <HalfOperation kOperation, bool kSat, bool kRelu, bool kFtz>
LaneFunction pick_half(Type type) {
  switch (type) {
    case Type::f16: return &half_one<Float16, kOperation, kSat, kRelu, kFtz>;
    case Type::f16x2: return &half_two<Float16, kOperation, kSat, kRelu, kFtz>;
    case Type::bf16: return kFtz ? nullptr : &half_one<Bfloat16, kOperation, kSat, kRelu, false>;
    case Type::bf16x2: return kFtz ? nullptr : &half_two<Bfloat16, kOperation, kSat, kRelu, false>;
    default: return nullptr;
  }
}
template <HalfOperation kOperation, bool kFtz>
LaneFunction pick_half(const Traits& t) {
  if (t.relu) return t.sat ? nullptr : pick_half<kOperation, false, true, kFtz>(t.type);
  return t.sat ? pick_half<kOperation, true, false, kFtz>(t.type) : pick_half<kOperation, false, false, kFtz>(t.type);
}
template <HalfOperation kOperation>
LaneFunction pick_half(const Traits& t) {
  if (t.xor_sign || t.absolute || (t.rounding != Rounding::none && t.rounding != Rounding::rn)) return nullptr;
  return t.ftz ? pick_half<kOperation, true>(t) : pick_half<kOperation, false>(t);
}
double neg_of(double a, double, double) {
  return -a;
}
double abs_of(double a, double, double) {
  return std::fabs(a);
}
LaneFunction pick_half_operation(const Traits& t) {
  switch (t.opcode) {
    case Opcode::add: return pick_half<add_of>(t);
    case Opcode::sub: return pick_half<sub_of>(t);
    case Opcode::mul: return pick_half<mul_of>(t);
    case Opcode::fma: return pick_half<fma_of>(t);
    case Opcode::min: return t.nan ? pick_half<extremum_of<false, true>>(t) : pick_half<extremum_of<false, false>>(t);
    case Opcode::max: return t.nan ? pick_half<extremum_of<true, true>>(t) : pick_half<extremum_of<true, false>>(t);
    case Opcode::neg: return pick_half<neg_of>(t);
    case Opcode::abs: return pick_half<abs_of>(t);
    default: return nullptr;
  }
}

template <class H, ptx::Compare kCompare>
Bits compare_half(Bits a, Bits b, Bits) {
  using C = ptx::Compare;
  const double x = H::widen(static_cast<std::uint16_t>(a)), y = H::widen(static_cast<std::uint16_t>(b));
  const bool unordered = std::isnan(x) || std::isnan(y);
  switch (kCompare) {
    case C::eq: return x == y;
    case C::ne: return !unordered && x != y;
    case C::lt: return x < y;
    case C::le: return x <= y;
    case C::gt: return x > y;
    case C::ge: return x >= y;
    case C::equ: return unordered || x == y;
    case C::neu: return x != y;
    case C::ltu: return !(x >= y);
    case C::leu: return !(x > y);
    case C::gtu: return !(x <= y);
    case C::geu: return !(x < y);
    case C::num: return !unordered;
    default: return unordered;
  }
}
template <class H>
LaneFunction pick_half_comparison(ptx::Compare compare) {
  using C = ptx::Compare;
  switch (compare) {
    case C::eq: return &compare_half<H, C::eq>;
    case C::ne: return &compare_half<H, C::ne>;
    case C::lt: return &compare_half<H, C::lt>;
    case C::le: return &compare_half<H, C::le>;
    case C::gt: return &compare_half<H, C::gt>;
    case C::ge: return &compare_half<H, C::ge>;
    case C::equ: return &compare_half<H, C::equ>;
    case C::neu: return &compare_half<H, C::neu>;
    case C::ltu: return &compare_half<H, C::ltu>;
    case C::leu: return &compare_half<H, C::leu>;
    case C::gtu: return &compare_half<H, C::gtu>;
    case C::geu: return &compare_half<H, C::geu>;
    case C::num: return &compare_half<H, C::num>;
    case C::nan: return &compare_half<H, C::nan>;
    default: return nullptr;
  }
}
LaneFunction pick_comparison(const Traits& t) {
  if (t.ftz) return nullptr;
  return t.type == Type::f16 ? pick_half_comparison<Float16>(t.compare) : t.type == Type::bf16 ? pick_half_comparison<Bfloat16>(t.compare) : nullptr;
}

// Conversions that are not in the cores: those of half precision, and integers to floats in directed roundings.
template <class H, Rounding kRounding, bool kRelu, bool kSat>
Bits f32_to_half(Bits a, Bits, Bits) {
  double v = static_cast<double>(f32(a));
  if (kRelu) v = relu_of(v);
  if (kSat) v = saturate_of(v);
  return H::narrow(v, kRounding);
}
// The first source goes to the upper half.
template <class H, Rounding kRounding, bool kRelu, bool kSat>
Bits f32_pair_to_half(Bits a, Bits b, Bits) {
  return f32_to_half<H, kRounding, kRelu, kSat>(a, 0, 0) << 16 | f32_to_half<H, kRounding, kRelu, kSat>(b, 0, 0);
}
template <class H>
Bits half_to_f32(Bits a, Bits, Bits) {
  return H::kFraction == 7 ? (a & 0xffff) << 16 : bits_of(static_cast<float>(H::widen(static_cast<std::uint16_t>(a))));
}
// NaNs keep their sign and what fits of their fraction.
template <class H>
Bits half_to_f64(Bits a, Bits, Bits) {
  const double v = H::widen(static_cast<std::uint16_t>(a));
  if (!std::isnan(v)) return bits_of(v);
  return (a & 0x8000) << 48 | 0x7ff8000000000000u | (a & ((Bits{1} << H::kFraction) - 1)) << (52 - H::kFraction);
}
template <class H>
Bits f64_to_half(Bits a, Bits, Bits) {
  if (!std::isnan(f64(a))) return H::narrow(f64(a));
  constexpr Bits kQuiet = 0x7fff & ~((Bits{1} << (H::kFraction - 1)) - 1);
  return (a >> 48 & 0x8000) | kQuiet | (a >> (52 - H::kFraction) & ((Bits{1} << H::kFraction) - 1));
}
template <class H, class From, Rounding kRounding>
Bits integer_to_half(Bits a, Bits, Bits) {
  return H::narrow(static_cast<double>(static_cast<From>(a)), kRounding);
}
double round_integral(double v, Rounding rounding) {
  switch (rounding) {
    case Rounding::rni: return std::nearbyint(v);
    case Rounding::rmi: return std::floor(v);
    case Rounding::rpi: return std::ceil(v);
    default: return std::trunc(v);
  }
}
template <class H, Rounding kRounding>
Bits half_integral(Bits a, Bits, Bits) {
  return H::narrow(round_integral(H::widen(static_cast<std::uint16_t>(a)), kRounding));
}
// tf32 keeps ten bits of fraction, ties away from zero.
Bits f32_to_tf32(Bits a, Bits, Bits) {
  const bool finite = (a & 0x7f800000) != 0x7f800000;
  return (finite ? a + 0x1000 : a) & 0xffffe000;
}

template <class H, class To, Rounding kRounding>
Bits half_to_integer(Bits a, Bits, Bits) {
  const double v = H::widen(static_cast<std::uint16_t>(a));
  if (std::isnan(v)) return sizeof(To) == 8 ? Bits{1} << 63 : 0;
  const double whole = round_integral(v, kRounding);
  constexpr auto kLow = static_cast<double>(std::numeric_limits<To>::min());
  if (whole < kLow) return static_cast<Bits>(std::numeric_limits<To>::min());
  if (whole >= std::ldexp(1.0, std::numeric_limits<To>::digits)) return static_cast<Bits>(std::numeric_limits<To>::max());
  return static_cast<Bits>(static_cast<To>(whole));
}
template <class From, Rounding kRounding>
Bits integer_to_f32(Bits a, Bits, Bits) {
  const auto v = static_cast<From>(a);
  const bool negative = v < From(0);
  const auto wide = static_cast<Bits>(v);
  return bits_of(integer_to_float(negative, negative ? Bits{0} - wide : wide, kRounding));
}
template <class From, Rounding kRounding>
Bits integer_to_f64(Bits a, Bits, Bits) {
  const auto v = static_cast<From>(a);
  const bool negative = v < From(0);
  const auto wide = static_cast<Bits>(v);
  return bits_of(integer_to_double(negative, negative ? Bits{0} - wide : wide, kRounding));
}
// A NaN keeps its sign and what fits of its fraction.
template <Rounding kRounding, bool kFtz, bool kSat>
Bits f64_to_f32(Bits a, Bits, Bits) {
  if (std::isnan(f64(a)) && !kSat) return (a >> 32 & 0x80000000u) | 0x7fc00000u | (a >> 29 & 0x7fffffu);
  return out<kFtz, kSat>(narrow_rounded(f64(a), kRounding));
}

template <class H, Rounding kRounding>
LaneFunction pick_to_half(const Traits& t, bool pair) {
  switch (t.source_type) {
    case Type::f32:
      if (t.sat) return pair || t.relu ? nullptr : &f32_to_half<H, kRounding, false, true>;
      if (t.relu) return pair ? &f32_pair_to_half<H, kRounding, true, false> : &f32_to_half<H, kRounding, true, false>;
      return pair ? &f32_pair_to_half<H, kRounding, false, false> : &f32_to_half<H, kRounding, false, false>;
    case Type::f64: return kRounding == Rounding::rn ? &f64_to_half<H> : nullptr;
    case Type::u8: return &integer_to_half<H, std::uint8_t, kRounding>;
    case Type::s8: return &integer_to_half<H, std::int8_t, kRounding>;
    case Type::u16: return &integer_to_half<H, std::uint16_t, kRounding>;
    case Type::s16: return &integer_to_half<H, std::int16_t, kRounding>;
    case Type::u32: return &integer_to_half<H, std::uint32_t, kRounding>;
    case Type::s32: return &integer_to_half<H, std::int32_t, kRounding>;
    case Type::u64: return &integer_to_half<H, std::uint64_t, kRounding>;
    case Type::s64: return &integer_to_half<H, std::int64_t, kRounding>;
    default: return nullptr;
  }
}
template <class H>
LaneFunction pick_to_half(const Traits& t, bool pair) {
  if ((pair || t.relu || t.sat) && t.source_type != Type::f32) return nullptr;
  switch (t.rounding) {
    case Rounding::rz: return pick_to_half<H, Rounding::rz>(t, pair);
    case Rounding::rm: return pick_to_half<H, Rounding::rm>(t, pair);
    case Rounding::rp: return pick_to_half<H, Rounding::rp>(t, pair);
    default: return pick_to_half<H, Rounding::rn>(t, pair);
  }
}
template <class H>
LaneFunction pick_half_integral(const Traits& t) {
  switch (t.rounding) {
    case Rounding::rni: return &half_integral<H, Rounding::rni>;
    case Rounding::rmi: return &half_integral<H, Rounding::rmi>;
    case Rounding::rpi: return &half_integral<H, Rounding::rpi>;
    case Rounding::rzi: return &half_integral<H, Rounding::rzi>;
    default: return nullptr;
  }
}
template <class H, Rounding kRounding>
LaneFunction pick_half_to_integer(Type to) {
  switch (to) {
    case Type::u16: return &half_to_integer<H, std::uint16_t, kRounding>;
    case Type::s16: return &half_to_integer<H, std::int16_t, kRounding>;
    case Type::u32: return &half_to_integer<H, std::uint32_t, kRounding>;
    case Type::s32: return &half_to_integer<H, std::int32_t, kRounding>;
    case Type::u64: return &half_to_integer<H, std::uint64_t, kRounding>;
    case Type::s64: return &half_to_integer<H, std::int64_t, kRounding>;
    default: return nullptr;
  }
}
template <class H>
LaneFunction pick_from_half(const Traits& t) {
  if (t.sat || t.relu) return nullptr;
  if (t.type == Type::f32) return &half_to_f32<H>;
  if (t.type == Type::f64) return &half_to_f64<H>;
  switch (t.rounding) {
    case Rounding::rni: return pick_half_to_integer<H, Rounding::rni>(t.type);
    case Rounding::rmi: return pick_half_to_integer<H, Rounding::rmi>(t.type);
    case Rounding::rpi: return pick_half_to_integer<H, Rounding::rpi>(t.type);
    default: return pick_half_to_integer<H, Rounding::rzi>(t.type);
  }
}
template <class From, Rounding kRounding>
LaneFunction pick_integer_to_float(Type to) {
  return to == Type::f32 ? &integer_to_f32<From, kRounding> : to == Type::f64 ? &integer_to_f64<From, kRounding> : nullptr;
}
Bits saturate_f64(Bits a, Bits, Bits) {
  return bits_of(saturate_of(f64(a)));
}
template <Rounding kRounding>
LaneFunction pick_to_float(const Traits& t) {
  if (t.source_type == Type::f64 && t.type == Type::f32) {
    if (t.ftz) return t.sat ? &f64_to_f32<kRounding, true, true> : &f64_to_f32<kRounding, true, false>;
    return t.sat ? &f64_to_f32<kRounding, false, true> : &f64_to_f32<kRounding, false, false>;
  }
  if (t.sat) return nullptr;
  switch (t.source_type) {
    case Type::u32: return pick_integer_to_float<std::uint32_t, kRounding>(t.type);
    case Type::s32: return pick_integer_to_float<std::int32_t, kRounding>(t.type);
    case Type::u64: return pick_integer_to_float<std::uint64_t, kRounding>(t.type);
    case Type::s64: return pick_integer_to_float<std::int64_t, kRounding>(t.type);
    default: return nullptr;
  }
}
// To 8 bits (s16: 16 bits of a 32-bit register), extended into the register.
template <class Register, class To, Rounding kRounding>
Bits float_to_narrow(double v, Bits nan) {
  if (std::isnan(v)) return nan;
  const double whole = std::clamp<double>(round_integral(v, kRounding), std::numeric_limits<To>::min(), std::numeric_limits<To>::max());
  return static_cast<Register>(static_cast<std::int32_t>(whole));
}
template <class Register, class To, Rounding kRounding, bool kFtz>
Bits f32_to_narrow(Bits a, Bits, Bits) {
  return float_to_narrow<Register, To, kRounding>(static_cast<double>(in<kFtz>(a)), 0);
}
template <class Register, class To, Rounding kRounding>
Bits f64_to_narrow(Bits a, Bits, Bits) {
  return float_to_narrow<Register, To, kRounding>(f64(a), static_cast<Register>(static_cast<To>(1u << (8 * sizeof(To) - 1))));
}
template <class Register, class To, Rounding kRounding>
LaneFunction pick_narrow(const Traits& t) {
  if (t.source_type == Type::f64) return &f64_to_narrow<Register, To, kRounding>;
  return t.ftz ? &f32_to_narrow<Register, To, kRounding, true> : &f32_to_narrow<Register, To, kRounding, false>;
}
template <class Register, class To>
LaneFunction pick_narrow(const Traits& t) {
  switch (t.rounding) {
    case Rounding::rni: return pick_narrow<Register, To, Rounding::rni>(t);
    case Rounding::rmi: return pick_narrow<Register, To, Rounding::rmi>(t);
    case Rounding::rpi: return pick_narrow<Register, To, Rounding::rpi>(t);
    default: return pick_narrow<Register, To, Rounding::rzi>(t);
  }
}
LaneFunction pick_narrow(const Traits& t) {
  if (t.register_bytes != 2 && t.register_bytes != 4) return nullptr;
  const bool half = t.register_bytes == 2;
  switch (t.type) {
    case Type::u8: return half ? pick_narrow<std::uint16_t, std::uint8_t>(t) : pick_narrow<std::uint32_t, std::uint8_t>(t);
    case Type::s8: return half ? pick_narrow<std::uint16_t, std::int8_t>(t) : pick_narrow<std::uint32_t, std::int8_t>(t);
    case Type::s16: return half ? nullptr : pick_narrow<std::uint32_t, std::int16_t>(t);
    default: return nullptr;
  }
}

template <class To>
Bits clamp_to(Bits v) {
  const std::int64_t clamped = std::clamp<std::int64_t>(static_cast<std::int32_t>(v), std::numeric_limits<To>::min(), std::numeric_limits<To>::max());
  return static_cast<std::make_unsigned_t<To>>(clamped);
}
// cvt.pack: two clamped integers side by side, below what `c` has in its lower half.
template <class To>
Bits pack_two(Bits a, Bits b, Bits c) {
  constexpr int kBits = 8 * sizeof(To);
  return (c << (2 * kBits) | clamp_to<To>(a) << kBits | clamp_to<To>(b)) & 0xffffffffu;
}
LaneFunction pick_packing(const Traits& t) {
  if (t.source_type != Type::s32 || !t.sat) return nullptr;
  switch (t.type) {
    case Type::u16: return &pack_two<std::uint16_t>;
    case Type::s16: return &pack_two<std::int16_t>;
    case Type::u8: return &pack_two<std::uint8_t>;
    case Type::s8: return &pack_two<std::int8_t>;
    default: return nullptr;
  }
}

LaneFunction pick_conversion(const Traits& t) {
  switch (t.type) {
    case Type::f16: return t.source_type == Type::f16 ? pick_half_integral<Float16>(t) : pick_to_half<Float16>(t, false);
    case Type::bf16: return t.source_type == Type::bf16 ? pick_half_integral<Bfloat16>(t) : pick_to_half<Bfloat16>(t, false);
    case Type::tf32: return t.rounding == Rounding::rna && t.source_type == Type::f32 ? &f32_to_tf32 : nullptr;
    case Type::u8:
    case Type::s8:
    case Type::s16:
      if (t.source_type == Type::f32 || t.source_type == Type::f64) return pick_narrow(t);
      break;
    case Type::f16x2: return pick_to_half<Float16>(t, true);
    case Type::bf16x2: return pick_to_half<Bfloat16>(t, true);
    default: break;
  }
  if (t.source_type == Type::f16) return pick_from_half<Float16>(t);
  if (t.source_type == Type::bf16) return pick_from_half<Bfloat16>(t);
  if (t.type == Type::f64 && t.source_type == Type::f64) return &saturate_f64;
  switch (t.rounding) {
    case Rounding::rz: return pick_to_float<Rounding::rz>(t);
    case Rounding::rm: return pick_to_float<Rounding::rm>(t);
    case Rounding::rp: return pick_to_float<Rounding::rp>(t);
    default: return pick_to_float<Rounding::rn>(t);
  }
}

// Integers that clamp.
Bits add_saturated(Bits a, Bits b, Bits) {
  const std::int64_t sum = std::int64_t{static_cast<std::int32_t>(a)} + static_cast<std::int32_t>(b);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
}
Bits sub_saturated(Bits a, Bits b, Bits) {
  const std::int64_t difference = std::int64_t{static_cast<std::int32_t>(a)} - static_cast<std::int32_t>(b);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(difference, INT32_MIN, INT32_MAX));
}
Bits mad_high_saturated(Bits a, Bits b, Bits c) {
  const std::int64_t high = (std::int64_t{static_cast<std::int32_t>(a)} * static_cast<std::int32_t>(b)) >> 32;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(high + static_cast<std::int32_t>(c), INT32_MIN, INT32_MAX));
}

// prmt with a mode: the bytes taken depend on the two low bits of c. PTX ISA, "prmt".
template <ptx::PermuteMode kMode>
Bits permute(Bits a, Bits b, Bits c) {
  using M = ptx::PermuteMode;
  const Bits bytes = (b & 0xffffffffu) << 32 | (a & 0xffffffffu);
  const int k = static_cast<int>(c & 3);
  Bits result = 0;
  for (int at = 0; at < 4; ++at) {
    int from = 0;
    switch (kMode) {
      case M::f4e: from = k + at; break;
      case M::b4e: from = (k - at) & 7; break;
      case M::rc8: from = k; break;
      case M::ecl: from = std::max(k, at); break;
      case M::ecr: from = std::min(k, at); break;
      default: from = (k & 1) * 2 + (at & 1); break;
    }
    result |= (bytes >> (8 * from) & 0xff) << (8 * at);
  }
  return result;
}
LaneFunction pick_permutation(const Traits& t) {
  using M = ptx::PermuteMode;
  switch (t.permute) {
    case M::f4e: return &permute<M::f4e>;
    case M::b4e: return &permute<M::b4e>;
    case M::rc8: return &permute<M::rc8>;
    case M::ecl: return &permute<M::ecl>;
    case M::ecr: return &permute<M::ecr>;
    case M::rc16: return &permute<M::rc16>;
    case M::none: break;
  }
  return nullptr;
}

template <ptx::FloatTest kTest, class F>
bool holds(F v) {
  switch (kTest) {
    case ptx::FloatTest::finite: return std::isfinite(v);
    case ptx::FloatTest::infinite: return std::isinf(v);
    case ptx::FloatTest::number: return !std::isnan(v);
    case ptx::FloatTest::not_a_number: return std::isnan(v);
    case ptx::FloatTest::normal: return std::isnormal(v) || v == 0;  // zeros count, as on the hardware
    case ptx::FloatTest::subnormal: return std::fpclassify(v) == FP_SUBNORMAL;
    case ptx::FloatTest::none: break;
  }
  return false;
}
template <ptx::FloatTest kTest>
Bits test_f32(Bits a, Bits, Bits) {
  return holds<kTest>(f32(a));
}
template <ptx::FloatTest kTest>
Bits test_f64(Bits a, Bits, Bits) {
  return holds<kTest>(f64(a));
}
LaneFunction pick_test(const Traits& t) {
  using T = ptx::FloatTest;
  const bool wide = t.type == Type::f64;
  switch (t.test) {
    case T::finite: return wide ? &test_f64<T::finite> : &test_f32<T::finite>;
    case T::infinite: return wide ? &test_f64<T::infinite> : &test_f32<T::infinite>;
    case T::number: return wide ? &test_f64<T::number> : &test_f32<T::number>;
    case T::not_a_number: return wide ? &test_f64<T::not_a_number> : &test_f32<T::not_a_number>;
    case T::normal: return wide ? &test_f64<T::normal> : &test_f32<T::normal>;
    case T::subnormal: return wide ? &test_f64<T::subnormal> : &test_f32<T::subnormal>;
    case T::none: break;
  }
  return nullptr;
}

LaneFunction pick_arithmetic(const Traits& t) {
  if (t.type == Type::s32 && t.sat) {
    switch (t.opcode) {
      case Opcode::add: return &add_saturated;
      case Opcode::sub: return &sub_saturated;
      case Opcode::mad: return t.mul == ptx::MulMode::hi ? &mad_high_saturated : nullptr;
      default: return nullptr;
    }
  }
  if (t.opcode == Opcode::min && t.xor_sign) return pick_extremum<false>(t);
  if (t.opcode == Opcode::max && t.xor_sign) return pick_extremum<true>(t);
  if (t.type != Type::f32 && t.type != Type::f64) return pick_half_operation(t);
  switch (t.opcode) {
    case Opcode::add: return pick_rounded<Add>(t);
    case Opcode::sub: return pick_rounded<Sub>(t);
    case Opcode::mul: return pick_rounded<Mul>(t);
    case Opcode::mad:
    case Opcode::fma: return t.relu ? nullptr : pick_rounded<Fma>(t);
    case Opcode::div:
      if (t.approx) return t.ftz ? &div_approximate<true> : &div_approximate<false>;
      if (t.full) return t.ftz ? &div_full<true> : &div_full<false>;
      return pick_rounded<Div>(t);
    case Opcode::rcp:
      if (t.approx) return t.type == Type::f64 ? &approximate_f64<reciprocal> : pick_approximate<reciprocal>(t);
      return pick_rounded<Rcp>(t);
    case Opcode::sqrt: return t.approx ? pick_approximate<root_of>(t) : pick_rounded<Sqrt>(t);
    default: return nullptr;
  }
}

}  // namespace

LaneFunction find_lane_function(const Traits& t) {
  switch (t.opcode) {
    case Opcode::ex2: return pick_approximate<exp2_of>(t);
    case Opcode::lg2: return pick_approximate<log2_of>(t);
    case Opcode::sin: return pick_approximate<sin_of>(t);
    case Opcode::cos: return pick_approximate<cos_of>(t);
    case Opcode::tanh: return pick_approximate<tanh_of>(t);
    case Opcode::rsqrt:
      if (t.type == Type::f64) return t.ftz ? &approximate_f64<reciprocal_root> : &reciprocal_root_f64;
      return pick_approximate<reciprocal_root>(t);
    case Opcode::cvt: return pick_conversion(t);
    case Opcode::cvt_pack: return pick_packing(t);
    case Opcode::setp: return pick_comparison(t);
    case Opcode::prmt: return pick_permutation(t);
    case Opcode::testp: return pick_test(t);
    default: return pick_arithmetic(t);
  }
}

}  // namespace warplens::replay
