#include "kernels/ptx/register_use.h"

#include "kernels/ptx/opcodes.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

void add_registers(const Operand& operand, bool destination, RegisterUse& use) {
  const bool is_address = operand.kind == Kind::address && operand.address_base == Kind::reg;
  if (operand.kind == Kind::reg || is_address) {
    (destination && !is_address ? use.writes : use.reads).push_back(static_cast<std::uint32_t>(operand.reg));
  }
  for (const Operand& element : operand.elements) add_registers(element, destination, use);
}

}  // namespace

RegisterUse register_use(const Instruction& instruction) {
  RegisterUse use;
  const std::size_t destinations = instruction.opcode == Opcode::call ? 1 : count_destinations(instruction);
  for (std::size_t k = 0; k < instruction.operands.size(); ++k)
    add_registers(instruction.operands[k], k < destinations, use);
  if (effect_of(instruction) == Effect::warpgroup_product)  // D is added to
    add_registers(instruction.operands[0], false, use);
  if (instruction.guard.kind == Kind::reg)
    use.reads.push_back(static_cast<std::uint32_t>(instruction.guard.reg));
  return use;
}

}  // namespace warplens::ptx
