#include "kernels/ptx/register_use.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

int count_destinations(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::st:
    case Opcode::red:
    case Opcode::bra:
    case Opcode::brx_idx:
    case Opcode::bar_warp_sync:
    case Opcode::exit:
    case Opcode::ret:
    case Opcode::call:
    case Opcode::trap:
    case Opcode::brkpt:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::nanosleep:
    case Opcode::prefetch:
    case Opcode::stmatrix:
    case Opcode::cp_async:
    case Opcode::cp_async_commit_group:
    case Opcode::cp_async_wait_all:
    case Opcode::cp_async_wait_group:
    case Opcode::unsupported: return 0;
    case Opcode::bar:
    case Opcode::barrier: return instruction.barrier >= BarrierMode::red_popc ? 1 : 0;
    default: return instruction.paired_destination ? 2 : 1;
  }
}

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
  const int destinations = count_destinations(instruction);
  for (int k = 0; k < static_cast<int>(instruction.operands.size()); ++k) {
    add_registers(instruction.operands[static_cast<std::size_t>(k)], k < destinations, use);
  }
  if (instruction.guard.kind == Kind::reg) use.reads.push_back(static_cast<std::uint32_t>(instruction.guard.reg));
  return use;
}

}  // namespace warplens::ptx
