#include "kernels/replay/lane_functions.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "kernels/replay/lane_bits.h"

namespace warplens::replay {
namespace {

using ptx::Opcode;
using ptx::Type;

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

// vabsdiff2, vabsdiff4: the differences of 2 halves or 4 bytes, each as wide again, or added up. PTX ISA, "SIMD Video Instructions".
enum class Differences : std::uint8_t { cut_off, clamped_unsigned, clamped_signed, added };

template <class Part>
std::int32_t part_of(Bits bits, int at) {
  return static_cast<Part>(bits >> (8 * sizeof(Part) * static_cast<unsigned>(at)));
}

template <class A, class B, Differences kKept>
Bits absolute_differences(Bits a, Bits b, Bits c) {
  using Unsigned = std::make_unsigned_t<A>;
  constexpr int kParts = 4 / sizeof(A);
  std::uint32_t sum = static_cast<std::uint32_t>(c), packed = 0;
  for (int at = 0; at < kParts; ++at) {
    std::int32_t difference = std::abs(part_of<A>(a, at) - part_of<B>(b, at));
    if (kKept == Differences::clamped_unsigned) difference = std::min<std::int32_t>(difference, std::numeric_limits<Unsigned>::max());
    if (kKept == Differences::clamped_signed) difference = std::min<std::int32_t>(difference, std::numeric_limits<std::make_signed_t<A>>::max());
    sum += static_cast<std::uint32_t>(difference);
    packed |= std::uint32_t{static_cast<Unsigned>(difference)} << (8 * sizeof(A) * static_cast<unsigned>(at));
  }
  return kKept == Differences::added ? sum : packed;
}
template <class A, class B>
LaneFunction pick_differences(const Traits& t) {
  using D = Differences;
  if (t.accumulate) return t.sat ? nullptr : &absolute_differences<A, B, D::added>;
  if (!t.sat) return &absolute_differences<A, B, D::cut_off>;
  return t.type == Type::s32 ? &absolute_differences<A, B, D::clamped_signed> : &absolute_differences<A, B, D::clamped_unsigned>;
}
template <class Part>
LaneFunction pick_differences(const Traits& t) {
  using Unsigned = std::make_unsigned_t<Part>;
  for (const Type type : {t.type, t.source_type, t.b_type}) {
    if (type != Type::u32 && type != Type::s32) return nullptr;
  }
  if (t.source_type == Type::s32) return t.b_type == Type::s32 ? pick_differences<Part, Part>(t) : pick_differences<Part, Unsigned>(t);
  return t.b_type == Type::s32 ? pick_differences<Unsigned, Part>(t) : pick_differences<Unsigned, Unsigned>(t);
}

LaneFunction pick_saturated(const Traits& t) {
  switch (t.opcode) {
    case Opcode::add: return &add_saturated;
    case Opcode::sub: return &sub_saturated;
    case Opcode::mad: return t.mul == ptx::MulMode::hi ? &mad_high_saturated : nullptr;
    default: return nullptr;
  }
}

}  // namespace

LaneFunction find_lane_function(const Traits& t) {
  switch (t.opcode) {
    case Opcode::cvt: return find_conversion(t);
    case Opcode::cvt_pack: return find_packing_conversion(t);
    case Opcode::setp:
    case Opcode::set: return find_half_comparison(t);
    case Opcode::prmt: return pick_permutation(t);
    case Opcode::testp: return find_float_function(t);
    case Opcode::vabsdiff2: return pick_differences<std::int16_t>(t);
    case Opcode::vabsdiff4: return pick_differences<std::int8_t>(t);
    default: break;
  }
  if (t.type == Type::s32 && t.sat) return pick_saturated(t);
  return t.type == Type::f32 || t.type == Type::f64 ? find_float_function(t) : find_half_function(t);
}

}  // namespace warplens::replay
