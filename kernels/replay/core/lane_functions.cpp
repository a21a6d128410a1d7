#include "kernels/replay/core/lane_functions.h"

#include <algorithm>

#include "kernels/replay/core/lane_bits.h"
#include "kernels/replay/core/mbarrier_object.h"

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
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(high + static_cast<std::int32_t>(c), INT32_MIN, INT32_MAX));
}

Bits mad24_high_saturated(Bits a, Bits b, Bits c) {
  const auto low24 = [](Bits bits) {
    return static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits) << 8) >> 8);
  };
  const std::int64_t high = static_cast<std::int32_t>(low24(a) * low24(b) >> 16);
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(high + static_cast<std::int32_t>(c), INT32_MIN, INT32_MAX));
}

// Two integers of 16 bits in a register, and .relu of min and max: at least 0.
enum class PairOperation : std::uint8_t { add, min, max };

template <class T, PairOperation kOperation, bool kRelu>
T of_pair(T a, T b) {
  switch (kOperation) {
    case PairOperation::add: return static_cast<T>(a + b);
    case PairOperation::min: a = std::min(a, b); break;
    case PairOperation::max: a = std::max(a, b); break;
  }
  return kRelu ? std::max(a, T{0}) : a;
}
template <class T, PairOperation kOperation, bool kRelu>
Bits pair_of_integers(Bits a, Bits b, Bits) {
  const auto half = [&](int at) {
    return Bits{static_cast<std::uint16_t>(
        of_pair<T, kOperation, kRelu>(static_cast<T>(a >> at), static_cast<T>(b >> at)))};
  };
  return half(16) << 16 | half(0);
}
template <PairOperation kOperation>
Bits integer_or_zero(Bits a, Bits b, Bits) {
  return static_cast<std::uint32_t>(
      of_pair<std::int32_t, kOperation, true>(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)));
}
template <PairOperation kOperation>
LaneFunction pick_extremum_of_pairs(const Traits& t) {
  if (t.sources != 2) return nullptr;
  if (t.type == Type::s32) return t.relu ? &integer_or_zero<kOperation> : nullptr;
  if (t.type == Type::u16x2) return t.relu ? nullptr : &pair_of_integers<std::uint16_t, kOperation, false>;
  return t.relu ? &pair_of_integers<std::int16_t, kOperation, true>
                : &pair_of_integers<std::int16_t, kOperation, false>;
}
LaneFunction pick_pair_of_integers(const Traits& t) {
  switch (t.opcode) {
    case Opcode::add:
      return t.sat || t.carry_out ? nullptr : &pair_of_integers<std::uint16_t, PairOperation::add, false>;
    case Opcode::min: return pick_extremum_of_pairs<PairOperation::min>(t);
    case Opcode::max: return pick_extremum_of_pairs<PairOperation::max>(t);
    default: return nullptr;
  }
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

LaneFunction pick_saturated(const Traits& t) {
  switch (t.opcode) {
    case Opcode::add: return &add_saturated;
    case Opcode::sub: return &sub_saturated;
    case Opcode::mad: return t.mul == ptx::MulMode::hi ? &mad_high_saturated : nullptr;
    case Opcode::mad24: return t.mul == ptx::MulMode::hi ? &mad24_high_saturated : nullptr;
    default: return nullptr;
  }
}

Bits pending_count(Bits state, Bits, Bits) {
  return MbarrierObject::of(state).pending;
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
    case Opcode::mbarrier_pending_count: return &pending_count;
    default: break;
  }
  if (t.type == Type::s32 && t.sat) return pick_saturated(t);
  if (t.type == Type::u16x2 || t.type == Type::s16x2 || (t.type == Type::s32 && t.relu))
    return pick_pair_of_integers(t);
  return t.type == Type::f32 || t.type == Type::f64 || t.type == Type::f32x2 ? find_float_function(t)
                                                                             : find_half_function(t);
}

}  // namespace warplens::replay
