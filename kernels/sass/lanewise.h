// What instructions compute lane by lane, on bits: floating point, conversions, and the rarer integer
// operations. Private to kernels/sass.
//
// Names and operand orders as nvdisasm prints them; arithmetic as IEEE 754 has it, and approximate functions
// (MUFU) as the replay computes those of PTX that they are made for, so that both see the same values.
#pragma once

#include <cstdint>

#include "kernels/sass/listing.h"

namespace warplens::sass {

/// Computes what an instruction writes, or a bit, from the bits of one lane's sources: 64 bits where it reads
/// pairs.
using Lanewise = std::uint64_t (*)(std::uint64_t a, std::uint64_t b, std::uint64_t c);

/// What a minus does to a source.
enum class Sign : std::uint8_t { integer, f32, f64, halves };

/// How an instruction is computed: sources are the operands after its results, in order.
struct LanewiseForm {
  Lanewise function = nullptr;  ///< Null: it is not known
  Lanewise other_function =
      nullptr;  ///< Where the last operand, a predicate, does not hold; null: there is none
  Sign sign = Sign::integer;
  int sources = 1;                 ///< 1 to 3
  std::uint32_t wide_sources = 0;  ///< Bit i: source i is a pair
  bool wide_result = false;
  bool is_test = false;      ///< Results are predicates
  bool joins_bytes = false;  ///< Bytes of a and c that b picks; of what is known of them as well
};
[[nodiscard]] LanewiseForm lanewise_form(const Instruction& instruction);
/// An instruction on pairs of halves.
struct HalvesForm {
  Lanewise function = nullptr;        ///< Null: it is not known. Of a comparison: a bit for each half
  Lanewise other_function = nullptr;  ///< As LanewiseForm's
  int sources = 2;
  bool is_test = false;
  std::uint32_t truth = 0;  ///< What a half is where the comparison holds; 0: it is none
};
[[nodiscard]] HalvesForm halves_form(const Instruction& instruction);
/// Returns the function of MUFU.TANH.F16 or MUFU.EX2.F16 for one half in the lower half of a word whose upper
/// half is 0: ptxas stores it where a source widens it to 32 bits. Null for other instructions.
[[nodiscard]] Lanewise half_function(const Instruction& instruction);
/// A binary16 in the lower or upper half of a word, as a float.
[[nodiscard]] Lanewise half_to_float(bool upper);

/// What an atomic operation leaves, of what was there (a) and its operand (b); null: it is not known.
/// Compare-and-swap: c where a is b.
[[nodiscard]] Lanewise atomic_function(const Instruction& instruction);
/// Returns how REDUX combines the words of two lanes.
[[nodiscard]] Lanewise reduction_function(const Instruction& instruction);

}  // namespace warplens::sass
