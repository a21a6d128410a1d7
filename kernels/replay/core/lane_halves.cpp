// Half precision lane by lane: arithmetic and comparisons.
#include "kernels/arithmetic/half.h"
#include "kernels/replay/core/lane_bits.h"

namespace warplens::replay {
namespace {

using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

// Half precision, one value or two in a register. The operations are exact in double, so that narrowing
// rounds once.
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
  // The product is exact; a sum that is not is rounded to odd, which narrowing cannot tell from the exact
  // one.
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
         half_one<H, kOperation, kSat, kRelu, kFtz>(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff)
             << 16;
}
template <HalfOperation kOperation, bool kSat, bool kRelu, bool kFtz>
LaneFunction pick_half(Type type) {
  switch (type) {
    case Type::f16: return &half_one<arithmetic::Float16, kOperation, kSat, kRelu, kFtz>;
    case Type::f16x2: return &half_two<arithmetic::Float16, kOperation, kSat, kRelu, kFtz>;
    case Type::bf16: return kFtz ? nullptr : &half_one<arithmetic::Bfloat16, kOperation, kSat, kRelu, false>;
    case Type::bf16x2:
      return kFtz ? nullptr : &half_two<arithmetic::Bfloat16, kOperation, kSat, kRelu, false>;
    default: return nullptr;
  }
}
template <HalfOperation kOperation, bool kFtz>
LaneFunction pick_half(const Traits& t) {
  if (t.relu) return t.sat ? nullptr : pick_half<kOperation, false, true, kFtz>(t.type);
  return t.sat ? pick_half<kOperation, true, false, kFtz>(t.type)
               : pick_half<kOperation, false, false, kFtz>(t.type);
}
template <HalfOperation kOperation>
LaneFunction pick_half(const Traits& t) {
  if (t.xor_sign || t.absolute || (t.rounding != Rounding::none && t.rounding != Rounding::rn))
    return nullptr;
  return t.ftz ? pick_half<kOperation, true>(t) : pick_half<kOperation, false>(t);
}

// min and max .xorsign.abs: of the magnitudes, with the product of the signs.
template <class H, HalfOperation kOperation, bool kFtz, bool kPair>
Bits half_of_magnitudes(Bits a, Bits b, Bits) {
  constexpr Bits kSign = kPair ? 0x80008000 : 0x8000, kMagnitude = kPair ? 0x7fff7fff : 0x7fff;
  const Bits x = a & kMagnitude, y = b & kMagnitude;
  const Bits magnitude = kPair ? half_two<H, kOperation, false, false, kFtz>(x, y, 0)
                               : half_one<H, kOperation, false, false, kFtz>(x, y, 0);
  Bits sign = (a ^ b) & kSign;
  if ((magnitude & 0x7fff) > H::kInfinity) sign &= ~Bits{0x8000};
  if (kPair && (magnitude >> 16 & 0x7fff) > H::kInfinity) sign &= ~Bits{0x80000000};
  return magnitude | sign;
}
template <HalfOperation kOperation, bool kFtz>
LaneFunction pick_half_of_magnitudes(Type type) {
  switch (type) {
    case Type::f16: return &half_of_magnitudes<arithmetic::Float16, kOperation, kFtz, false>;
    case Type::f16x2: return &half_of_magnitudes<arithmetic::Float16, kOperation, kFtz, true>;
    case Type::bf16:
      return kFtz ? nullptr : &half_of_magnitudes<arithmetic::Bfloat16, kOperation, false, false>;
    case Type::bf16x2:
      return kFtz ? nullptr : &half_of_magnitudes<arithmetic::Bfloat16, kOperation, false, true>;
    default: return nullptr;
  }
}
template <HalfOperation kOperation>
LaneFunction pick_half_extremum(const Traits& t) {
  if (t.sources != 2) return nullptr;
  if (!t.xor_sign) return pick_half<kOperation>(t);
  return t.ftz ? pick_half_of_magnitudes<kOperation, true>(t.type)
               : pick_half_of_magnitudes<kOperation, false>(t.type);
}

// Approximate functions: worked out in double and rounded once, within the errors that the PTX ISA states.
double exp2_of(double a, double, double) {
  return std::exp2(a);
}
double tanh_of(double a, double, double) {
  return std::tanh(a);
}
/// ex2.approx.ftz.bf16 flushes, where all else of bf16 keeps subnormals.
template <bool kPair>
Bits exp2_of_bfloats(Bits a, Bits, Bits) {
  return kPair ? half_two<arithmetic::Bfloat16, exp2_of, false, false, true>(a, 0, 0)
               : half_one<arithmetic::Bfloat16, exp2_of, false, false, true>(a, 0, 0);
}
LaneFunction pick_half_exp2(const Traits& t) {
  if (t.type == Type::bf16) return t.ftz ? &exp2_of_bfloats<false> : nullptr;
  if (t.type == Type::bf16x2) return t.ftz ? &exp2_of_bfloats<true> : nullptr;
  return pick_half<exp2_of>(t);
}

double neg_of(double a, double, double) {
  return -a;
}
double abs_of(double a, double, double) {
  return std::fabs(a);
}
// One bit for each half; both, where there is but one.
template <class H, ptx::Compare kCompare, bool kFtz>
bool compare_one(Bits a, Bits b) {
  using C = ptx::Compare;
  const double x = half_in<H>(a, kFtz), y = half_in<H>(b, kFtz);
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
template <class H, ptx::Compare kCompare, bool kFtz, bool kPair>
Bits compare_half(Bits a, Bits b, Bits) {
  const bool low = compare_one<H, kCompare, kFtz>(a, b),
             high = kPair ? compare_one<H, kCompare, kFtz>(a >> 16, b >> 16) : low;
  return Bits{low} | Bits{high} << 1;
}
template <class H, bool kFtz, bool kPair>
LaneFunction pick_half_comparison(ptx::Compare compare) {
  using C = ptx::Compare;
  switch (compare) {
    case C::eq: return &compare_half<H, C::eq, kFtz, kPair>;
    case C::ne: return &compare_half<H, C::ne, kFtz, kPair>;
    case C::lt: return &compare_half<H, C::lt, kFtz, kPair>;
    case C::le: return &compare_half<H, C::le, kFtz, kPair>;
    case C::gt: return &compare_half<H, C::gt, kFtz, kPair>;
    case C::ge: return &compare_half<H, C::ge, kFtz, kPair>;
    case C::equ: return &compare_half<H, C::equ, kFtz, kPair>;
    case C::neu: return &compare_half<H, C::neu, kFtz, kPair>;
    case C::ltu: return &compare_half<H, C::ltu, kFtz, kPair>;
    case C::leu: return &compare_half<H, C::leu, kFtz, kPair>;
    case C::gtu: return &compare_half<H, C::gtu, kFtz, kPair>;
    case C::geu: return &compare_half<H, C::geu, kFtz, kPair>;
    case C::num: return &compare_half<H, C::num, kFtz, kPair>;
    case C::nan: return &compare_half<H, C::nan, kFtz, kPair>;
    default: return nullptr;
  }
}
LaneFunction pick_half_comparison(Type type, ptx::Compare compare, bool ftz) {
  switch (type) {
    case Type::f16:
      return ftz ? pick_half_comparison<arithmetic::Float16, true, false>(compare)
                 : pick_half_comparison<arithmetic::Float16, false, false>(compare);
    case Type::f16x2:
      return ftz ? pick_half_comparison<arithmetic::Float16, true, true>(compare)
                 : pick_half_comparison<arithmetic::Float16, false, true>(compare);
    case Type::bf16: return ftz ? nullptr : pick_half_comparison<arithmetic::Bfloat16, false, false>(compare);
    case Type::bf16x2:
      return ftz ? nullptr : pick_half_comparison<arithmetic::Bfloat16, false, true>(compare);
    default: return nullptr;
  }
}
/// PTX ISA, "set": from one half an integer or a half of the same kind, from two of them 32 bits of ones or a
/// pair of the same kind.
bool is_result_of_set(Type result, Type source) {
  if (result == source || result == Type::u32 || result == Type::s32) return true;
  return (source == Type::f16 || source == Type::bf16) && (result == Type::u16 || result == Type::s16);
}

}  // namespace

LaneFunction find_half_function(const Traits& t) {
  switch (t.opcode) {
    case Opcode::add: return pick_half<add_of>(t);
    case Opcode::sub: return pick_half<sub_of>(t);
    case Opcode::mul: return pick_half<mul_of>(t);
    case Opcode::fma: return pick_half<fma_of>(t);
    case Opcode::ex2: return pick_half_exp2(t);
    case Opcode::tanh: return pick_half<tanh_of>(t);
    case Opcode::min:
      return t.nan ? pick_half_extremum<extremum_of<false, true>>(t)
                   : pick_half_extremum<extremum_of<false, false>>(t);
    case Opcode::max:
      return t.nan ? pick_half_extremum<extremum_of<true, true>>(t)
                   : pick_half_extremum<extremum_of<true, false>>(t);
    case Opcode::neg: return pick_half<neg_of>(t);
    case Opcode::abs: return pick_half<abs_of>(t);
    default: return nullptr;
  }
}
LaneFunction find_half_comparison(const Traits& t) {
  if (t.opcode == Opcode::setp) return pick_half_comparison(t.type, t.compare, t.ftz);
  return is_result_of_set(t.type, t.source_type) ? pick_half_comparison(t.source_type, t.compare, t.ftz)
                                                 : nullptr;
}
LaneFunction find_half_atomic(ptx::AtomicOp operation, Type type) {
  switch (operation) {
    case ptx::AtomicOp::add: return pick_half<add_of, false, false, false>(type);
    case ptx::AtomicOp::min: return pick_half<extremum_of<false, false>, false, false, false>(type);
    case ptx::AtomicOp::max: return pick_half<extremum_of<true, false>, false, false, false>(type);
    default: return nullptr;
  }
}

}  // namespace warplens::replay
