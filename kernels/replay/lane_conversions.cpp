// Conversions lane by lane.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/replay/directed.h"
#include "kernels/replay/half.h"
#include "kernels/replay/lane_bits.h"

namespace warplens::replay {
namespace {

using ptx::Rounding;
using ptx::Type;

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

}  // namespace

LaneFunction find_packing_conversion(const Traits& t) {
  if (t.source_type != Type::s32 || !t.sat) return nullptr;
  switch (t.type) {
    case Type::u16: return &pack_two<std::uint16_t>;
    case Type::s16: return &pack_two<std::int16_t>;
    case Type::u8: return &pack_two<std::uint8_t>;
    case Type::s8: return &pack_two<std::int8_t>;
    default: return nullptr;
  }
}

LaneFunction find_conversion(const Traits& t) {
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

}  // namespace warplens::replay
