#include "kernels/replay/decode/warpgroup_flags.h"

#include <algorithm>

namespace warplens::replay {

std::optional<WarpgroupFlags> warpgroup_flags_of(const ptx::Instruction& instruction) {
  using ptx::Type;
  const bool is_sparse = instruction.opcode == ptx::Opcode::wgmma_mma_async_sp;
  const std::size_t of_c = is_sparse ? 5 : 3, first_scale = of_c + 1;  // Behind metadata and selector
  const std::vector<ptx::Operand>& operands = instruction.operands;
  const Type type = instruction.source_type;
  const bool is_in_registers = operands[1].kind == ptx::Operand::Kind::vector,
             is_float = instruction.type != Type::s32,
             may_be_transposed = type == Type::f16 || type == Type::bf16;
  const std::size_t scales = is_float ? 2 : 0, layouts = !may_be_transposed ? 0 : is_in_registers ? 1 : 2;
  if (operands.size() != first_scale + scales + layouts) return std::nullopt;
  const auto is_immediate = [](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::immediate;
  };
  if (!std::all_of(operands.begin() + static_cast<std::ptrdiff_t>(first_scale), operands.end(), is_immediate))
    return std::nullopt;
  const auto is_minus = [&](std::size_t k) { return static_cast<std::int64_t>(operands[k].bits) < 0; };
  return WarpgroupFlags{.negates_a = is_float && is_minus(first_scale),
                        .negates_b = is_float && is_minus(first_scale + 1),
                        .a_is_mn_major = layouts == 2 && operands[first_scale + scales].bits != 0,
                        .b_is_mn_major = layouts != 0 && operands.back().bits != 0,
                        .a_is_in_registers = is_in_registers,
                        .c_negated = operands[of_c].negated,
                        .is_sparse = is_sparse};
}

}  // namespace warplens::replay
