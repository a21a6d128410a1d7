#include "kernels/replay/decode/warpgroup_flags.h"

#include <algorithm>

namespace warplens::replay {

std::optional<WarpgroupFlags> warpgroup_flags_of(const ptx::Instruction& instruction) {
  using ptx::Type;
  constexpr std::size_t kScales = 4;
  const std::vector<ptx::Operand>& operands = instruction.operands;
  const Type type = instruction.source_type;
  const bool is_in_registers = operands[1].kind == ptx::Operand::Kind::vector,
             is_float = instruction.type != Type::s32,
             may_be_transposed = type == Type::f16 || type == Type::bf16;
  const std::size_t scales = is_float ? 2 : 0, layouts = !may_be_transposed ? 0 : is_in_registers ? 1 : 2;
  if (operands.size() != kScales + scales + layouts) return std::nullopt;
  const auto is_immediate = [](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::immediate;
  };
  if (!std::all_of(operands.begin() + kScales, operands.end(), is_immediate)) return std::nullopt;
  const auto is_minus = [&](std::size_t k) { return static_cast<std::int64_t>(operands[k].bits) < 0; };
  return WarpgroupFlags{.negates_a = is_float && is_minus(kScales),
                        .negates_b = is_float && is_minus(kScales + 1),
                        .a_is_mn_major = layouts == 2 && operands[kScales + scales].bits != 0,
                        .b_is_mn_major = layouts != 0 && operands.back().bits != 0,
                        .a_is_in_registers = is_in_registers,
                        .c_negated = operands[3].negated};
}

}  // namespace warplens::replay
