// What a tensor core computes for one element of the result: C plus K products. The PTX ISA leaves order and
// rounding of floating point to the hardware; docs/tensor_cores.md says where these rules come from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/ptx/module.h"

namespace warplens::tensor {

enum class SumKind : std::uint8_t {
  aligned,         ///< Blocks of products and the sum so far, aligned to the greatest exponent among them
  aligned_then_c,  ///< The same from zero; C is added at the end, rounded to nearest
  fma_then_c,      ///< Fused multiply-adds of f32 from zero; C is added at the end
  pairs_onto_c,    ///< Sums of two products in f32, added to C one after the other
  fma,             ///< Fused multiply-adds of f64 from C on
  integer,
  bits,  ///< Set bits of words that are combined by and, or exclusive or
};

/// Types: of the elements of A, B, C and D. Products are added in the order in which they are given.
struct SumRule {
  SumKind kind = SumKind::aligned;
  ptx::Type a = ptx::Type::none, b = ptx::Type::none, c = ptx::Type::none, d = ptx::Type::none;
  std::uint16_t block = 0;          ///< Products that are added at once
  std::uint8_t fraction_bits = 25;  ///< What is kept of an aligned term, behind the point
  std::uint8_t result_bits = 23;    ///< What is kept of a sum in f32
  bool normalises = false;          ///< Factors are converted to f16, of which all of e4m3 are normal numbers
  bool saturates = false;           ///< Integers: the sum is clamped
  bool exclusive = false;           ///< Bits: exclusive or
  ptx::Rounding rounding = ptx::Rounding::rn;  ///< Of f64
};

/// A finite number as the adders take it: significand * 2^(exponent - bits), its subnormals not normalised.
struct AlignedNumber {
  std::int32_t significand = 0;
  std::int32_t exponent = 0;
};
inline constexpr int kFactorBits = 10;                  ///< Behind the point, of factors of any type
inline constexpr int kAccumulatorBits = 23;             ///< Of the sum so far
inline constexpr std::int32_t kExponentOfZero = -4096;  ///< Raises no other term's shift

/// Elements of a, b: bits of the types of the rule. Returns the bits of the element of D.
[[nodiscard]] std::uint64_t dot_product(const SumRule& rule, std::span<const std::uint64_t> a,
                                        std::span<const std::uint64_t> b, std::uint64_t c);

/// A term of an AlignedBlock: significand * 2^(exponent - bits), and what remains of it after alignment.
struct AlignedTerm {
  std::int64_t significand = 0;
  std::int32_t exponent = 0;
  std::int32_t bits = 0;
  std::int64_t kept = 0;  ///< Times 2^(AlignedBlock::exponent - SumRule::fraction_bits)
};
/// Products that are added at once, and the sum so far.
struct AlignedBlock {
  std::int32_t exponent = 0;       ///< The greatest of the terms'
  std::vector<AlignedTerm> terms;  ///< The sum so far, then the products in their order
  std::uint64_t sum = 0;           ///< Bits of f32, or of f16 where C and D are
};
/// Returns the blocks by which an element of D is summed with SumKind::aligned or aligned_then_c. Ends before
/// a block with an infinity or NaN; empty for other kinds.
[[nodiscard]] std::vector<AlignedBlock> aligned_blocks(const SumRule& rule, std::span<const std::uint64_t> a,
                                                       std::span<const std::uint64_t> b, std::uint64_t c);

/// Return the bits of an f32 or f16 for the sum of one block of finite numbers. `bits`: how many are kept of
/// a sum in f32.
[[nodiscard]] std::uint32_t float_of_sum(std::int64_t sum, int exponent, int bits);
[[nodiscard]] std::uint16_t half_of_sum(std::int64_t sum, int exponent);

}  // namespace warplens::tensor
