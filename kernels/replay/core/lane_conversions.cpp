// Conversions lane by lane.
#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/arithmetic/directed.h"
#include "kernels/arithmetic/float8.h"
#include "kernels/arithmetic/half.h"
#include "kernels/replay/core/lane_bits.h"

namespace warplens::replay {
namespace {

using ptx::Rounding;
using ptx::Type;

// Conversions that are not in the cores: those of half precision, and integers to floats in directed
// roundings.
enum class Clamp : std::uint8_t { none, to_one, to_finite };  // .sat, .satfinite

template <class H, Rounding kRounding, bool kRelu, Clamp kClamp>
Bits f32_to_half(Bits a, Bits, Bits) {
  double v = static_cast<double>(f32(a));
  if (kRelu) v = relu_of(v);
  if (kClamp == Clamp::to_one) v = saturate_of(v);
  if (kClamp == Clamp::to_finite && !std::isnan(v)) v = std::clamp(v, -H::largest(), H::largest());
  return H::narrow(v, kRounding);
}
// The first source goes to the upper half.
template <class H, Rounding kRounding, bool kRelu, Clamp kClamp>
Bits f32_pair_to_half(Bits a, Bits b, Bits) {
  return f32_to_half<H, kRounding, kRelu, kClamp>(a, 0, 0) << 16 |
         f32_to_half<H, kRounding, kRelu, kClamp>(b, 0, 0);
}

// Floats of 8 bits, always .satfinite. The first source goes to the upper half.
template <class To, bool kRelu>
Bits narrowed(double v) {
  return To::narrow(kRelu ? relu_of(v) : v);
}
template <class F, bool kRelu>
Bits f32_pair_to_float8(Bits a, Bits b, Bits) {
  return narrowed<F, kRelu>(static_cast<double>(f32(a))) << 8 |
         narrowed<F, kRelu>(static_cast<double>(f32(b)));
}
template <class F, bool kRelu>
Bits f16_pair_to_float8(Bits a, Bits, Bits) {
  const double high = arithmetic::Float16::widen(static_cast<std::uint16_t>(a >> 16)),
               low = arithmetic::Float16::widen(static_cast<std::uint16_t>(a));
  return narrowed<F, kRelu>(high) << 8 | narrowed<F, kRelu>(low);
}
template <class F, bool kRelu>
Bits float8_pair_to_f16(Bits a, Bits, Bits) {
  const double high = F::widen(static_cast<std::uint8_t>(a >> 8)),
               low = F::widen(static_cast<std::uint8_t>(a));
  return narrowed<arithmetic::Float16, kRelu>(high) << 16 | narrowed<arithmetic::Float16, kRelu>(low);
}
template <class F, bool kRelu>
LaneFunction pick_float8(const Traits& t) {
  if (t.type == Type::f16x2) return t.sat_finite ? nullptr : &float8_pair_to_f16<F, kRelu>;
  if (!t.sat_finite) return nullptr;
  return t.source_type == Type::f32     ? &f32_pair_to_float8<F, kRelu>
         : t.source_type == Type::f16x2 ? &f16_pair_to_float8<F, kRelu>
                                        : nullptr;
}
LaneFunction pick_float8(const Traits& t) {
  using arithmetic::E4m3, arithmetic::E5m2;
  const Type type = t.type == Type::f16x2 ? t.source_type : t.type;
  if (t.rounding != Rounding::rn || t.ftz || t.sat) return nullptr;
  if (type == Type::e4m3x2) return t.relu ? pick_float8<E4m3, true>(t) : pick_float8<E4m3, false>(t);
  return t.relu ? pick_float8<E5m2, true>(t) : pick_float8<E5m2, false>(t);
}
bool is_float8_pair(Type type) {
  return type == Type::e4m3x2 || type == Type::e5m2x2;
}
template <Rounding kRounding>
Bits flushed_f32_to_bfloat16(Bits a, Bits, Bits) {
  return arithmetic::Bfloat16::narrow(static_cast<double>(in<true>(a)), kRounding);
}
Bits bfloat16_to_flushed_f32(Bits a, Bits, Bits) {
  return bits_of(in<true>((a & 0xffff) << 16));
}
template <class H>
Bits half_to_f32(Bits a, Bits, Bits) {
  return H::kFraction == 7 ? (a & 0xffff) << 16
                           : bits_of(static_cast<float>(H::widen(static_cast<std::uint16_t>(a))));
}
template <class H>
Bits saturated_half_to_f32(Bits a, Bits, Bits) {
  return bits_of(static_cast<float>(saturate_of(H::widen(static_cast<std::uint16_t>(a)))));
}
template <class H>
Bits saturated_half_to_f64(Bits a, Bits, Bits) {
  return bits_of(saturate_of(H::widen(static_cast<std::uint16_t>(a))));
}
// NaNs keep their sign and what fits of their fraction.
template <class H>
Bits half_to_f64(Bits a, Bits, Bits) {
  const double v = H::widen(static_cast<std::uint16_t>(a));
  if (!std::isnan(v)) return bits_of(v);
  return (a & 0x8000) << 48 | 0x7ff8000000000000u |
         (a & ((Bits{1} << H::kFraction) - 1)) << (52 - H::kFraction);
}
template <class H, Rounding kRounding, bool kSat>
Bits f64_to_half(Bits a, Bits, Bits) {
  if (kSat) return H::narrow(saturate_of(f64(a)), kRounding);
  if (!std::isnan(f64(a))) return H::narrow(f64(a), kRounding);
  constexpr Bits kQuiet = 0x7fff & ~((Bits{1} << (H::kFraction - 1)) - 1);
  return (a >> 48 & 0x8000) | kQuiet | (a >> (52 - H::kFraction) & ((Bits{1} << H::kFraction) - 1));
}
// A double that is rounded from an integer to a half as the integer itself is: exact, or odd in its last bit
// where it is not.
template <class From>
double to_be_rounded(From v) {
  constexpr Bits kBeyond = 0x7ff;  // What a double has no room for, of 64 bits
  const bool negative = v < From(0);
  auto magnitude = static_cast<Bits>(std::int64_t{0} + v);
  if (negative) magnitude = Bits{0} - magnitude;
  if (magnitude >> 53 != 0 && (magnitude & kBeyond) != 0) magnitude = (magnitude & ~kBeyond) | (kBeyond + 1);
  return negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
}
template <class H, class From, Rounding kRounding, bool kSat>
Bits integer_to_half(Bits a, Bits, Bits) {
  const double v = to_be_rounded(static_cast<From>(a));
  return H::narrow(kSat ? saturate_of(v) : v, kRounding);
}
template <class H, class From, Rounding kRounding>
Bits half_to_half(Bits a, Bits, Bits) {
  return H::narrow(From::widen(static_cast<std::uint16_t>(a)), kRounding);
}
template <class H>
Bits same_half(Bits a, Bits, Bits) {
  return (a & 0x7fff) > H::kInfinity ? H::kNan : a & 0xffff;
}
Bits saturated_half(Bits a, Bits, Bits) {
  return arithmetic::Float16::narrow(saturate_of(arithmetic::Float16::widen(static_cast<std::uint16_t>(a))));
}
double round_integral(double v, Rounding rounding) {
  switch (rounding) {
    case Rounding::rni: return std::nearbyint(v);
    case Rounding::rmi: return std::floor(v);
    case Rounding::rpi: return std::ceil(v);
    default: return std::trunc(v);
  }
}
template <class H, Rounding kRounding, bool kSat>
Bits half_integral(Bits a, Bits, Bits) {
  const double whole = round_integral(H::widen(static_cast<std::uint16_t>(a)), kRounding);
  return H::narrow(kSat ? saturate_of(whole) : whole);
}
// tf32 keeps ten bits of fraction: ties away from zero, to even, or what is beyond cut off.
template <Rounding kRounding, bool kRelu, bool kFinite>
Bits f32_to_tf32(Bits a, Bits, Bits) {
  constexpr Bits kKept = 0xffffe000, kInfinity = 0x7f800000, kSign = 0x80000000;
  const bool is_finite = (a & kInfinity) != kInfinity, is_nan = (a & ~kSign) > kInfinity;
  if (kRounding != Rounding::rna && is_nan) return 0x7fffe000;
  if (kRelu && (a & kSign) != 0) return 0;
  const Bits half = kRounding == Rounding::rna  ? 0x1000
                    : kRounding == Rounding::rn ? 0xfff + (a >> 13 & 1)
                                                : 0;
  const Bits kept = (is_finite ? a + half : a) & kKept;
  return kFinite && (kept & kInfinity) == kInfinity ? kept - 0x2000 : kept;  // Of NaNs, too (an H200)
}
template <Rounding kRounding>
LaneFunction pick_to_tf32(const Traits& t) {
  if (t.relu)
    return t.sat_finite ? &f32_to_tf32<kRounding, true, true> : &f32_to_tf32<kRounding, true, false>;
  return t.sat_finite ? &f32_to_tf32<kRounding, false, true> : &f32_to_tf32<kRounding, false, false>;
}
LaneFunction pick_to_tf32(const Traits& t) {
  if (t.source_type != Type::f32) return nullptr;
  switch (t.rounding) {
    case Rounding::rna: return t.relu ? nullptr : pick_to_tf32<Rounding::rna>(t);
    case Rounding::rn: return pick_to_tf32<Rounding::rn>(t);
    case Rounding::rz: return pick_to_tf32<Rounding::rz>(t);
    default: return nullptr;
  }
}

template <class H, class To, Rounding kRounding>
Bits half_to_integer(Bits a, Bits, Bits) {
  const double v = H::widen(static_cast<std::uint16_t>(a));
  if (std::isnan(v)) return sizeof(To) == 8 ? Bits{1} << 63 : 0;
  const double whole = round_integral(v, kRounding);
  constexpr auto kLow = static_cast<double>(std::numeric_limits<To>::min());
  using Unsigned = std::make_unsigned_t<To>;
  if (whole < kLow) return static_cast<Unsigned>(std::numeric_limits<To>::min());
  if (whole >= std::ldexp(1.0, std::numeric_limits<To>::digits))
    return static_cast<Unsigned>(std::numeric_limits<To>::max());
  return static_cast<Unsigned>(static_cast<To>(whole));
}
template <class From, Rounding kRounding>
Bits integer_to_f32(Bits a, Bits, Bits) {
  const auto v = static_cast<From>(a);
  const bool negative = v < From(0);
  const auto wide = static_cast<Bits>(std::int64_t{0} + v);  // With its sign
  return bits_of(arithmetic::integer_to_float(negative, negative ? Bits{0} - wide : wide, kRounding));
}
template <class From, Rounding kRounding>
Bits integer_to_f64(Bits a, Bits, Bits) {
  const auto v = static_cast<From>(a);
  const bool negative = v < From(0);
  const auto wide = static_cast<Bits>(std::int64_t{0} + v);  // With its sign
  return bits_of(arithmetic::integer_to_double(negative, negative ? Bits{0} - wide : wide, kRounding));
}
// A NaN keeps its sign and what fits of its fraction.
template <Rounding kRounding, bool kFtz, bool kSat>
Bits f64_to_f32(Bits a, Bits, Bits) {
  if (std::isnan(f64(a)) && !kSat) return (a >> 32 & 0x80000000u) | 0x7fc00000u | (a >> 29 & 0x7fffffu);
  return out<kFtz, kSat>(arithmetic::narrow_rounded(f64(a), kRounding));
}

template <class H, Rounding kRounding, Clamp kClamp>
LaneFunction pick_f32_to_half(bool relu, bool pair) {
  if (relu)
    return pair ? &f32_pair_to_half<H, kRounding, true, kClamp> : &f32_to_half<H, kRounding, true, kClamp>;
  return pair ? &f32_pair_to_half<H, kRounding, false, kClamp> : &f32_to_half<H, kRounding, false, kClamp>;
}
template <class H, Rounding kRounding, bool kSat>
LaneFunction pick_number_to_half(Type from) {
  switch (from) {
    case Type::f64: return &f64_to_half<H, kRounding, kSat>;
    case Type::u8: return &integer_to_half<H, std::uint8_t, kRounding, kSat>;
    case Type::s8: return &integer_to_half<H, std::int8_t, kRounding, kSat>;
    case Type::u16: return &integer_to_half<H, std::uint16_t, kRounding, kSat>;
    case Type::s16: return &integer_to_half<H, std::int16_t, kRounding, kSat>;
    case Type::u32: return &integer_to_half<H, std::uint32_t, kRounding, kSat>;
    case Type::s32: return &integer_to_half<H, std::int32_t, kRounding, kSat>;
    case Type::u64: return &integer_to_half<H, std::uint64_t, kRounding, kSat>;
    case Type::s64: return &integer_to_half<H, std::int64_t, kRounding, kSat>;
    default: return nullptr;
  }
}
template <class H, Rounding kRounding>
LaneFunction pick_to_half(const Traits& t, bool pair) {
  switch (t.source_type) {
    case Type::f32:
      if constexpr (H::kFraction == 7) {
        if (t.ftz && !t.sat && !t.sat_finite && !t.relu && !pair) return &flushed_f32_to_bfloat16<kRounding>;
      }
      if (t.sat)
        return pair || t.relu || t.sat_finite ? nullptr : &f32_to_half<H, kRounding, false, Clamp::to_one>;
      return t.sat_finite ? pick_f32_to_half<H, kRounding, Clamp::to_finite>(t.relu, pair)
                          : pick_f32_to_half<H, kRounding, Clamp::none>(t.relu, pair);
    case Type::f16: return t.sat ? nullptr : &half_to_half<H, arithmetic::Float16, kRounding>;
    case Type::bf16: return t.sat ? nullptr : &half_to_half<H, arithmetic::Bfloat16, kRounding>;
    default:
      return t.sat ? pick_number_to_half<H, kRounding, true>(t.source_type)
                   : pick_number_to_half<H, kRounding, false>(t.source_type);
  }
}
template <class H>
LaneFunction pick_to_half(const Traits& t, bool pair) {
  if ((pair || t.relu) && t.source_type != Type::f32) return nullptr;
  switch (t.rounding) {
    case Rounding::rz: return pick_to_half<H, Rounding::rz>(t, pair);
    case Rounding::rm: return pick_to_half<H, Rounding::rm>(t, pair);
    case Rounding::rp: return pick_to_half<H, Rounding::rp>(t, pair);
    default: return pick_to_half<H, Rounding::rn>(t, pair);
  }
}
template <class H, Rounding kRounding>
LaneFunction pick_half_integral(bool sat) {
  return sat ? &half_integral<H, kRounding, true> : &half_integral<H, kRounding, false>;
}
template <class H>
LaneFunction pick_half_integral(const Traits& t) {
  if (t.rounding == Rounding::none && !t.relu && !t.ftz) {
    if (!t.sat) return &same_half<H>;
    return t.type == Type::f16 ? &saturated_half : nullptr;
  }
  if (t.relu) return nullptr;
  switch (t.rounding) {
    case Rounding::rni: return pick_half_integral<H, Rounding::rni>(t.sat);
    case Rounding::rmi: return pick_half_integral<H, Rounding::rmi>(t.sat);
    case Rounding::rpi: return pick_half_integral<H, Rounding::rpi>(t.sat);
    case Rounding::rzi: return pick_half_integral<H, Rounding::rzi>(t.sat);
    default: return nullptr;
  }
}
template <class H, Rounding kRounding>
LaneFunction pick_half_to_integer(Type to) {
  switch (to) {
    case Type::u8: return &half_to_integer<H, std::uint8_t, kRounding>;
    case Type::s8: return &half_to_integer<H, std::int8_t, kRounding>;
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
  if (t.relu) return nullptr;
  if (t.type == Type::f32 && t.ftz && !t.sat && H::kFraction == 7) return &bfloat16_to_flushed_f32;
  if (t.type == Type::f32) return t.sat ? &saturated_half_to_f32<H> : &half_to_f32<H>;
  if (t.type == Type::f64) return t.sat ? &saturated_half_to_f64<H> : &half_to_f64<H>;
  switch (t.rounding) {
    case Rounding::rni: return pick_half_to_integer<H, Rounding::rni>(t.type);
    case Rounding::rmi: return pick_half_to_integer<H, Rounding::rmi>(t.type);
    case Rounding::rpi: return pick_half_to_integer<H, Rounding::rpi>(t.type);
    default: return pick_half_to_integer<H, Rounding::rzi>(t.type);
  }
}
template <class From, Rounding kRounding>
LaneFunction pick_integer_to_float(Type to) {
  return to == Type::f32   ? &integer_to_f32<From, kRounding>
         : to == Type::f64 ? &integer_to_f64<From, kRounding>
                           : nullptr;
}
Bits saturate_f64(Bits a, Bits, Bits) {
  return bits_of(saturate_of(f64(a)));
}
template <bool kFtz>
Bits f32_to_saturated_f64(Bits a, Bits, Bits) {
  return bits_of(saturate_of(static_cast<double>(in<kFtz>(a))));
}
// An integer between 0 and 1.
template <class From, bool kWide>
Bits saturated_integer(Bits a, Bits, Bits) {
  const bool is_one = static_cast<From>(a) > From{0};
  return kWide ? bits_of(is_one ? 1.0 : 0.0) : bits_of(is_one ? 1.0f : 0.0f);
}
template <class From>
LaneFunction pick_saturated_integer(Type to) {
  return to == Type::f32   ? &saturated_integer<From, false>
         : to == Type::f64 ? &saturated_integer<From, true>
                           : nullptr;
}
LaneFunction pick_saturated_integer(const Traits& t) {
  switch (t.source_type) {
    case Type::u8: return pick_saturated_integer<std::uint8_t>(t.type);
    case Type::s8: return pick_saturated_integer<std::int8_t>(t.type);
    case Type::u16: return pick_saturated_integer<std::uint16_t>(t.type);
    case Type::s16: return pick_saturated_integer<std::int16_t>(t.type);
    case Type::u32: return pick_saturated_integer<std::uint32_t>(t.type);
    case Type::s32: return pick_saturated_integer<std::int32_t>(t.type);
    case Type::u64: return pick_saturated_integer<std::uint64_t>(t.type);
    case Type::s64: return pick_saturated_integer<std::int64_t>(t.type);
    default: return nullptr;
  }
}
template <Rounding kRounding>
LaneFunction pick_to_float(const Traits& t) {
  if (t.source_type == Type::f64 && t.type == Type::f32) {
    if (t.ftz) return t.sat ? &f64_to_f32<kRounding, true, true> : &f64_to_f32<kRounding, true, false>;
    return t.sat ? &f64_to_f32<kRounding, false, true> : &f64_to_f32<kRounding, false, false>;
  }
  if (t.sat) return pick_saturated_integer(t);
  switch (t.source_type) {
    case Type::u8: return pick_integer_to_float<std::uint8_t, kRounding>(t.type);
    case Type::s8: return pick_integer_to_float<std::int8_t, kRounding>(t.type);
    case Type::u16: return pick_integer_to_float<std::uint16_t, kRounding>(t.type);
    case Type::s16: return pick_integer_to_float<std::int16_t, kRounding>(t.type);
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
  const double whole = std::clamp<double>(round_integral(v, kRounding), std::numeric_limits<To>::min(),
                                          std::numeric_limits<To>::max());
  return static_cast<Register>(static_cast<std::int32_t>(whole));
}
template <class Register, class To, Rounding kRounding, bool kFtz>
Bits f32_to_narrow(Bits a, Bits, Bits) {
  return float_to_narrow<Register, To, kRounding>(static_cast<double>(in<kFtz>(a)), 0);
}
template <class Register, class To, Rounding kRounding>
Bits f64_to_narrow(Bits a, Bits, Bits) {
  return float_to_narrow<Register, To, kRounding>(
      f64(a), static_cast<Register>(static_cast<To>(1u << (8 * sizeof(To) - 1))));
}
template <class Register, class To, Rounding kRounding>
LaneFunction pick_narrow(const Traits& t) {
  if (t.source_type == Type::f64) return &f64_to_narrow<Register, To, kRounding>;
  return t.ftz ? &f32_to_narrow<Register, To, kRounding, true>
               : &f32_to_narrow<Register, To, kRounding, false>;
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
    case Type::u8:
      return half ? pick_narrow<std::uint16_t, std::uint8_t>(t) : pick_narrow<std::uint32_t, std::uint8_t>(t);
    case Type::s8:
      return half ? pick_narrow<std::uint16_t, std::int8_t>(t) : pick_narrow<std::uint32_t, std::int8_t>(t);
    case Type::s16: return half ? nullptr : pick_narrow<std::uint32_t, std::int16_t>(t);
    default: return nullptr;
  }
}

// Where a register is wider than its type: the source's upper bits do not count (PTX ISA, "Operand Size
// Exceeding Instruction-Type Size"), and the result is extended by by_lane.
template <class To, class From, bool kSat>
Bits integer_to_integer(Bits a, Bits, Bits) {
  const auto v = static_cast<From>(a);
  if (kSat && std::cmp_less(v, std::numeric_limits<To>::min()))
    return static_cast<std::make_unsigned_t<To>>(std::numeric_limits<To>::min());
  if (kSat && std::cmp_greater(v, std::numeric_limits<To>::max()))
    return static_cast<std::make_unsigned_t<To>>(std::numeric_limits<To>::max());
  return static_cast<std::make_unsigned_t<To>>(static_cast<To>(v));
}
template <class To, bool kSat>
LaneFunction pick_from_integer(Type from) {
  switch (from) {
    case Type::u8: return &integer_to_integer<To, std::uint8_t, kSat>;
    case Type::s8: return &integer_to_integer<To, std::int8_t, kSat>;
    case Type::u16: return &integer_to_integer<To, std::uint16_t, kSat>;
    case Type::s16: return &integer_to_integer<To, std::int16_t, kSat>;
    case Type::u32: return &integer_to_integer<To, std::uint32_t, kSat>;
    case Type::s32: return &integer_to_integer<To, std::int32_t, kSat>;
    case Type::u64: return &integer_to_integer<To, std::uint64_t, kSat>;
    case Type::s64: return &integer_to_integer<To, std::int64_t, kSat>;
    default: return nullptr;
  }
}
/// f32 and f64 to 16 bits and more. A NaN becomes 0, or 2^(bits - 1) where one of the two types has 64 bits,
/// as in CvtFromFloat.
template <class To, Rounding kRounding, bool kFtz, bool kWide>
Bits float_to_integer(Bits a, Bits, Bits) {
  const double v = kWide ? f64(a) : static_cast<double>(in<kFtz>(a));
  if (std::isnan(v)) return kWide || sizeof(To) == 8 ? Bits{1} << (8 * sizeof(To) - 1) : 0;
  const double whole = round_integral(v, kRounding);
  using Unsigned = std::make_unsigned_t<To>;
  if (whole < static_cast<double>(std::numeric_limits<To>::min()))
    return static_cast<Unsigned>(std::numeric_limits<To>::min());
  if (whole >= std::ldexp(1.0, std::numeric_limits<To>::digits))
    return static_cast<Unsigned>(std::numeric_limits<To>::max());
  return static_cast<Unsigned>(static_cast<To>(whole));
}
template <class To, Rounding kRounding>
LaneFunction pick_float_to_integer(const Traits& t) {
  if (t.source_type == Type::f64) return &float_to_integer<To, kRounding, false, true>;
  return t.ftz ? &float_to_integer<To, kRounding, true, false>
               : &float_to_integer<To, kRounding, false, false>;
}
template <class To>
LaneFunction pick_resizing(const Traits& t) {
  if (t.source_type != Type::f32 && t.source_type != Type::f64)
    return t.sat ? pick_from_integer<To, true>(t.source_type) : pick_from_integer<To, false>(t.source_type);
  switch (t.rounding) {
    case Rounding::rni: return pick_float_to_integer<To, Rounding::rni>(t);
    case Rounding::rmi: return pick_float_to_integer<To, Rounding::rmi>(t);
    case Rounding::rpi: return pick_float_to_integer<To, Rounding::rpi>(t);
    default: return pick_float_to_integer<To, Rounding::rzi>(t);
  }
}
/// Returns the conversion between integers.
LaneFunction pick_resizing(const Traits& t) {
  const bool narrows = t.source_bytes == 8 && ptx::size_of(t.source_type) < 8,
             widens = t.register_bytes == 8 && ptx::size_of(t.type) < 8;
  if (!narrows && !widens) return nullptr;
  switch (t.type) {
    case Type::u8: return pick_resizing<std::uint8_t>(t);
    case Type::s8: return pick_resizing<std::int8_t>(t);
    case Type::u16: return pick_resizing<std::uint16_t>(t);
    case Type::s16: return pick_resizing<std::int16_t>(t);
    case Type::u32: return pick_resizing<std::uint32_t>(t);
    case Type::s32: return pick_resizing<std::int32_t>(t);
    case Type::u64: return pick_resizing<std::uint64_t>(t);
    case Type::s64: return pick_resizing<std::int64_t>(t);
    default: return nullptr;
  }
}

template <class To>
Bits clamp_to(Bits v) {
  const std::int64_t clamped = std::clamp<std::int64_t>(
      static_cast<std::int32_t>(v), std::numeric_limits<To>::min(), std::numeric_limits<To>::max());
  return static_cast<std::make_unsigned_t<To>>(clamped);
}
// cvt.pack: two clamped integers side by side, below what `c` has in its lower part.
template <class To>
Bits pack_two(Bits a, Bits b, Bits c) {
  constexpr int kBits = 8 * sizeof(To);
  return (c << (2 * kBits) | clamp_to<To>(a) << kBits | clamp_to<To>(b)) & 0xffffffffu;
}
template <unsigned bits, bool kSigned>
Bits pack_two_small(Bits a, Bits b, Bits c) {
  constexpr std::int32_t kCount = 1 << bits, kLow = kSigned ? -kCount / 2 : 0;
  const auto clamped = [&](Bits v) {
    return static_cast<Bits>(std::clamp(static_cast<std::int32_t>(v), kLow, kLow + kCount - 1)) &
           (kCount - 1);
  };
  return (c << (2 * bits) | clamped(a) << bits | clamped(b)) & 0xffffffffu;
}

}  // namespace

LaneFunction find_packing_conversion(const Traits& t) {
  if (t.source_type != Type::s32 || !t.sat) return nullptr;
  switch (t.type) {
    case Type::u16: return &pack_two<std::uint16_t>;
    case Type::s16: return &pack_two<std::int16_t>;
    case Type::u8: return &pack_two<std::uint8_t>;
    case Type::s8: return &pack_two<std::int8_t>;
    case Type::u4: return &pack_two_small<4, false>;
    case Type::s4: return &pack_two_small<4, true>;
    case Type::u2: return &pack_two_small<2, false>;
    case Type::s2: return &pack_two_small<2, true>;
    default: return nullptr;
  }
}

LaneFunction find_conversion(const Traits& t) {
  if (is_float8_pair(t.type) || is_float8_pair(t.source_type))
    return is_float8_pair(t.type) || t.type == Type::f16x2 ? pick_float8(t) : nullptr;
  if (t.sat_finite && t.source_type != Type::f32) return nullptr;
  if (const LaneFunction resizing = pick_resizing(t)) return resizing;
  switch (t.type) {
    case Type::f16:
      return t.source_type == Type::f16 ? pick_half_integral<arithmetic::Float16>(t)
                                        : pick_to_half<arithmetic::Float16>(t, false);
    case Type::bf16:
      return t.source_type == Type::bf16 ? pick_half_integral<arithmetic::Bfloat16>(t)
                                         : pick_to_half<arithmetic::Bfloat16>(t, false);
    case Type::tf32: return pick_to_tf32(t);
    case Type::u8:
    case Type::s8:
    case Type::s16:
      if (t.source_type == Type::f32 || t.source_type == Type::f64) return pick_narrow(t);
      break;
    case Type::f16x2: return pick_to_half<arithmetic::Float16>(t, true);
    case Type::bf16x2: return pick_to_half<arithmetic::Bfloat16>(t, true);
    default: break;
  }
  if (t.source_type == Type::f16) return pick_from_half<arithmetic::Float16>(t);
  if (t.source_type == Type::bf16) return pick_from_half<arithmetic::Bfloat16>(t);
  if (t.type == Type::f64 && t.source_type == Type::f64) return &saturate_f64;
  if (t.type == Type::f64 && t.source_type == Type::f32 && t.sat)
    return t.ftz ? &f32_to_saturated_f64<true> : &f32_to_saturated_f64<false>;
  switch (t.rounding) {
    case Rounding::rz: return pick_to_float<Rounding::rz>(t);
    case Rounding::rm: return pick_to_float<Rounding::rm>(t);
    case Rounding::rp: return pick_to_float<Rounding::rp>(t);
    default: return pick_to_float<Rounding::rn>(t);
  }
}

}  // namespace warplens::replay
