#include "kernels/replay/block/bulk_reduction.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/arithmetic/half.h"

namespace warplens::replay {
namespace {

using ptx::AtomicOp;
using ptx::Type;

template <class T>
T reduced_integer(AtomicOp op, T old, T with) {
  switch (op) {
    case AtomicOp::and_: return static_cast<T>(old & with);
    case AtomicOp::or_: return static_cast<T>(old | with);
    case AtomicOp::xor_: return static_cast<T>(old ^ with);
    case AtomicOp::add:
      return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(with));
    case AtomicOp::inc: return old >= with ? T{0} : static_cast<T>(old + 1);
    case AtomicOp::dec: return old == 0 || old > with ? with : static_cast<T>(old - 1);
    case AtomicOp::min: return std::min(old, with);
    case AtomicOp::max: return std::max(old, with);
    case AtomicOp::none:
    case AtomicOp::cas:
    case AtomicOp::exch: break;
  }
  return with;
}

/// A NaN beside a number leaves the number.
double reduced_float(AtomicOp op, double old, double with) {
  if (op == AtomicOp::add) return old + with;
  return op == AtomicOp::min ? std::fmin(old, with) : std::fmax(old, with);
}

template <class Narrow>
std::uint64_t reduced_narrow(AtomicOp op, std::uint64_t old, std::uint64_t with) {
  return Narrow::narrow(reduced_float(op, Narrow::widen(static_cast<std::uint16_t>(old)),
                                      Narrow::widen(static_cast<std::uint16_t>(with))));
}

std::uint32_t without_subnormals(std::uint32_t bits) {
  constexpr std::uint32_t kExponent = 0x7f800000, kSign = 0x80000000;
  return (bits & kExponent) == 0 ? bits & kSign : bits;
}

std::uint32_t sum_of_singles(std::uint32_t old, std::uint32_t with, bool flushes_subnormals) {
  constexpr std::uint32_t kNan = 0x7fffffff;
  if (flushes_subnormals) {
    old = without_subnormals(old);
    with = without_subnormals(with);
  }
  const float sum = std::bit_cast<float>(old) + std::bit_cast<float>(with);
  if (std::isnan(sum)) return kNan;
  const auto bits = std::bit_cast<std::uint32_t>(sum);
  return flushes_subnormals ? without_subnormals(bits) : bits;
}

}  // namespace

ptx::Type reduced_type(TensorElement element) {
  switch (element) {
    case TensorElement::u8: return Type::u8;
    case TensorElement::u16: return Type::u16;
    case TensorElement::u32: return Type::u32;
    case TensorElement::i32: return Type::s32;
    case TensorElement::u64: return Type::u64;
    case TensorElement::i64: return Type::s64;
    case TensorElement::f16: return Type::f16;
    case TensorElement::f32:
    case TensorElement::f32_ftz:
    case TensorElement::tf32:
    case TensorElement::tf32_ftz: return Type::f32;
    case TensorElement::f64: return Type::f64;
    case TensorElement::bf16: break;
  }
  return Type::bf16;
}

bool can_reduce(AtomicOp op, Type type) {
  const bool is_narrow_float = type == Type::f16 || type == Type::bf16;
  const bool is_integer = !ptx::is_float(type) && ptx::size_of(type) >= 4;
  if (op == AtomicOp::add) return (is_integer && type != Type::s64) || ptx::is_float(type);
  if (op == AtomicOp::min || op == AtomicOp::max) return is_integer || is_narrow_float;
  if (op == AtomicOp::inc || op == AtomicOp::dec) return type == Type::u32;
  return is_integer && (op == AtomicOp::and_ || op == AtomicOp::or_ || op == AtomicOp::xor_);
}

std::uint64_t reduced(AtomicOp op, Type type, std::uint64_t old, std::uint64_t with,
                      bool flushes_subnormals) {
  switch (type) {
    case Type::f16: return reduced_narrow<arithmetic::Float16>(op, old, with);
    case Type::bf16: return reduced_narrow<arithmetic::Bfloat16>(op, old, with);
    case Type::f32:
      return sum_of_singles(static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(with),
                            flushes_subnormals);
    case Type::f64:
      return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(with));
    case Type::s32:
      return static_cast<std::uint32_t>(
          reduced_integer(op, static_cast<std::int32_t>(old), static_cast<std::int32_t>(with)));
    case Type::s64:
      return static_cast<std::uint64_t>(
          reduced_integer(op, static_cast<std::int64_t>(old), static_cast<std::int64_t>(with)));
    case Type::u64:
    case Type::b64: return reduced_integer(op, old, with);
    default: break;
  }
  return reduced_integer(op, static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(with));
}

}  // namespace warplens::replay
