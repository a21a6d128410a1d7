#include "kernels/ptx/instrument/operand_groups.h"

#include "kernels/ptx/opcodes.h"

namespace warplens::ptx {
namespace {

using Holds = RecordedOperand::Holds;

std::vector<RecordedOperand> operands_of_bulk_copy(const Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  const bool to_global = instruction.to_space == StateSpace::global, is_tensor = instruction.dimensions != 0;
  const std::size_t shared = !to_global ? 0 : is_tensor ? 2 : 1;
  std::vector<RecordedOperand> recorded{{operands[shared], Holds::shared_address}};
  if (is_tensor) {
    const std::size_t map = to_global ? 0 : 1;
    recorded.push_back({operands[map], Holds::address_of_map});
    const Operand& coordinates = operands[map + 1];
    const std::vector<Operand> single{coordinates};
    for (const Operand& one : coordinates.kind == Operand::Kind::vector ? coordinates.elements : single)
      recorded.push_back({one, Holds::number});
  } else {
    const bool between = instruction.space == instruction.to_space;
    recorded.push_back(
        {operands[to_global ? 0 : 1], between ? Holds::shared_address : Holds::global_address});
    recorded.push_back({operands[2], Holds::number});
  }
  std::size_t ranks = 4;
  if (instruction.im2col && !to_global) {  // Offsets stand before them
    for (const Operand& one : operands[ranks++].elements) recorded.push_back({one, Holds::number});
  }
  if (instruction.multicast && operands.size() > ranks) recorded.push_back({operands[ranks], Holds::number});
  return recorded;
}

}  // namespace

std::vector<RecordedOperand> recorded_operands(const Instruction& instruction) {
  if (is_bulk_copy(instruction)) return operands_of_bulk_copy(instruction);
  std::vector<RecordedOperand> recorded;
  if (effect_of(instruction) == Effect::warpgroup_product) {
    for (const MemoryEffect& effect : memory_effects(instruction))
      recorded.push_back({instruction.operands[effect.address], Holds::number});
  }
  return recorded;
}

}  // namespace warplens::ptx
