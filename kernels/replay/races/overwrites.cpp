#include "kernels/replay/races/overwrites.h"

#include <algorithm>

#include "kernels/ptx/opcodes.h"
#include "kernels/replay/decode/dependence.h"

namespace warplens::replay {
namespace {

/// The registers of the value that an instruction overwrites memory with; none: it does not.
std::vector<std::uint32_t> overwriting_registers(const ptx::Instruction& instruction) {
  const ptx::Effect effect = ptx::effect_of(instruction);
  const bool exchanges = ptx::is_atomic(instruction) && instruction.atomic == ptx::AtomicOp::exch;
  if (!exchanges && effect != ptx::Effect::store) return {};
  const std::size_t at = effect == ptx::Effect::atomic ? 2 : 1;
  if (instruction.operands.size() <= at) return {};
  std::vector<std::uint32_t> registers;
  const auto add = [&](const ptx::Operand& operand) {
    if (operand.kind == ptx::Operand::Kind::reg) registers.push_back(static_cast<std::uint32_t>(operand.reg));
  };
  add(instruction.operands[at]);
  for (const ptx::Operand& element : instruction.operands[at].elements) add(element);
  return registers;
}

}  // namespace

Overwrites::Overwrites(const Program::Code& code, const std::vector<std::uint32_t>& exposed,
                       const std::vector<AccessKind>& kinds) {
  std::vector<std::uint32_t> overwriting, plain_loads;
  for (const std::uint32_t i : exposed) {
    const ptx::Instruction& instruction = code.function.instructions[i];
    if (kinds[i] == AccessKind::load && ptx::effect_of(instruction) == ptx::Effect::load)
      plain_loads.push_back(i);
    const bool is_strong_write = kinds[i] == AccessKind::strong_store || kinds[i] == AccessKind::exchange;
    if (is_strong_write && !overwriting_registers(instruction).empty()) overwriting.push_back(i);
  }
  if (overwriting.empty()) return;
  const Dependence dependence(code.function, code.flow);
  for (const std::uint32_t load : plain_loads) {
    const std::vector<bool> registers = dependence.registers_from({load});
    for (const std::uint32_t access : overwriting) {
      if (std::ranges::none_of(overwriting_registers(code.function.instructions[access]),
                               [&](std::uint32_t r) { return registers[r]; }))
        continue;
      loads_of_[access].push_back(load);
      loads_.insert(load);
    }
  }
}

const std::vector<std::uint32_t>& Overwrites::loads_of(std::uint32_t access) const {
  static const std::vector<std::uint32_t> kNone;
  const auto found = loads_of_.find(access);
  return found == loads_of_.end() ? kNone : found->second;
}

}  // namespace warplens::replay
