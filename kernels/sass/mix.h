// What machine code spends its instructions on.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/sass/listing.h"

namespace warplens::sass {

/// A loop as the assembler lays it out: from the target of a branch backward to that branch.
struct Loop {
  std::uint32_t first = 0, end = 0;  ///< Instructions
  bool innermost = true;             ///< No other loop lies within it
};
/// Finds the loops, in the order of their ends. A branch to itself, which fills the end of a function, is
/// none; nor is one that waits for an mbarrier, or takes the lanes of a warp one after the other.
[[nodiscard]] std::vector<Loop> find_loops(const Function& function);

enum class InstructionKind : std::uint8_t {
  multiply_add,
  floating,
  shared,
  global,
  local,
  integer,
  control,
  other
};
inline constexpr std::size_t kInstructionKinds = 8;
[[nodiscard]] const char* name_of(InstructionKind kind);  ///< "multiply-add"; to be shown by tr()
/// multiply_add: FFMA, DFMA, HFMA2 (but not where it only writes a constant) and the matrix units. IMAD,
/// which computes addresses too, is `integer`.
[[nodiscard]] InstructionKind kind_of(const Instruction& instruction);

struct InstructionMix {
  std::uint64_t total = 0;
  std::array<std::uint64_t, kInstructionKinds> by_kind{};
  [[nodiscard]] double share(InstructionKind kind) const;
};
/// Counts the instructions [first, end), each as often as `executed` says. In a function without
/// floating-point multiply-adds, a plain IMAD of registers counts as one.
[[nodiscard]] InstructionMix instruction_mix(const Function& function,
                                             const std::vector<std::uint64_t>& executed, std::uint32_t first,
                                             std::uint32_t end);

/// The innermost loop that most executed instructions belong to; none if no loop was entered.
[[nodiscard]] std::optional<Loop> hottest_loop(const Function& function,
                                               const std::vector<std::uint64_t>& executed);

}  // namespace warplens::sass
