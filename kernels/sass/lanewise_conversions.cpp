// Lane functions: conversions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "kernels/arithmetic/directed.h"
#include "kernels/arithmetic/half.h"
#include "kernels/sass/lanewise_parts.h"

namespace warplens::sass {
namespace {

template <class From, Rounding kRounding, bool kToDouble>
Bits integer_to_number(Bits a, Bits, Bits) {
  const From v = static_cast<From>(a);
  const bool negative = std::is_signed_v<From> && v < From{0};
  const Bits wide = static_cast<Bits>(static_cast<std::int64_t>(v));
  const Bits magnitude = negative ? 0 - wide : std::is_signed_v<From> ? wide : static_cast<Bits>(v);
  return kToDouble ? bits_of(arithmetic::integer_to_double(negative, magnitude, kRounding))
                   : bits_of(arithmetic::integer_to_float(negative, magnitude, kRounding));
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
/// Converts to a half. The upper half of the register is 0: ptxas stores the result where a source widens it
/// to 32 bits.
Bits float_to_half(Bits a, Bits, Bits) {
  return arithmetic::Float16::narrow(static_cast<double>(f32(a)));
}
template <class From>
Bits integer_to_half(Bits a, Bits, Bits) {
  return arithmetic::Float16::narrow(static_cast<double>(static_cast<From>(a)));
}
Lanewise pick_from_integer_type(const Instruction& i) {
  if (i.has("F16")) {
    const bool is_word =
        i.modifiers.size() == 1 || (i.modifiers.size() == 2 && (i.has("U32") || i.has("S32")));
    if (!is_word) return nullptr;
    return i.has("U32") ? &integer_to_half<std::uint32_t> : &integer_to_half<std::int32_t>;
  }
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
  return bits_of(arithmetic::narrow_rounded(f64(a), kRounding));
}
template <class H, Rounding kRounding>
Bits packed(Bits a, Bits b, Bits) {
  const auto half = [](Bits bits) { return Bits{H::narrow(static_cast<double>(f32(bits)), kRounding)}; };
  return half(a) << 16 | half(b);
}

template <bool kUpper>
Bits half_widened(Bits a, Bits, Bits) {
  return bits_of(
      static_cast<float>(arithmetic::Float16::widen(static_cast<std::uint16_t>(kUpper ? a >> 16 : a))));
}

}  // namespace

LanewiseForm conversion_form(const Instruction& i) {
  if (i.opcode == "FRND" && !i.has("F16")) {
    const bool wide = i.has("F64");
    return {.function = wide ? pick_whole<double>(i) : pick_whole<float>(i),
            .sign = wide ? Sign::f64 : Sign::f32,
            .wide_sources = wide ? 1u : 0u,
            .wide_result = wide};
  }
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
    if (i.modifiers.size() == 2 && i.modifiers[0] == "F16" && i.modifiers[1] == "F32")
      return {.function = &float_to_half, .sign = Sign::f32};
    if (i.modifiers[0] == "F32" && i.modifiers[1] == "F64" && rounding_of(i) == Rounding::rn) {
      return {.function = &narrowed<Rounding::rn>, .sign = Sign::f64, .wide_sources = 1};
    }
  }
  if (i.opcode == "F2FP" && i.has("PACK_AB") && !i.has("RELU")) {  // "F2FP.PACK_AB" of CC 8: to binary16
    const bool down = i.has("RZ");
    if (!i.has("BF16")) {
      return {.function = down ? &packed<arithmetic::Float16, Rounding::rz>
                               : &packed<arithmetic::Float16, Rounding::rn>,
              .sign = Sign::f32,
              .sources = 2};
    }
    if (i.has("BF16")) {
      return {.function = down ? &packed<arithmetic::Bfloat16, Rounding::rz>
                               : &packed<arithmetic::Bfloat16, Rounding::rn>,
              .sign = Sign::f32,
              .sources = 2};
    }
  }
  return {};
}

Lanewise half_to_float(bool upper) {
  return upper ? &half_widened<true> : &half_widened<false>;
}

}  // namespace warplens::sass
