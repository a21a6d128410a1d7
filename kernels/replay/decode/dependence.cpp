#include "kernels/replay/decode/dependence.h"

#include <algorithm>

#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"

namespace warplens::replay {

Dependence::Dependence(const ptx::Function& function, const ptx::ControlFlow& flow)
    : function_(function), flow_(flow), readers_(function.registers.size()) {
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    for (const std::uint32_t r : ptx::register_use(function.instructions[i]).reads) readers_[r].push_back(i);
  }
}

std::vector<bool> Dependence::registers_from(const std::vector<std::uint32_t>& instructions) const {
  std::vector<bool> found(function_.registers.size());
  std::vector<std::uint32_t> todo = instructions;
  while (!todo.empty()) {
    const std::uint32_t i = todo.back();
    todo.pop_back();
    for (const std::uint32_t r : ptx::register_use(function_.instructions[i]).writes) {
      if (found[r]) continue;
      found[r] = true;
      for (const std::uint32_t reader : readers_[r]) {
        if (ptx::effect_of(function_.instructions[reader]) == ptx::Effect::none) todo.push_back(reader);
      }
    }
  }
  return found;
}

const std::vector<bool>& Dependence::registers_of(std::uint32_t instruction) {
  const auto [entry, is_new] = known_.try_emplace(instruction);
  if (is_new) entry->second = registers_from({instruction});
  return entry->second;
}

bool Dependence::depends(std::uint32_t later, std::uint32_t earlier) {
  const auto [answer, is_new] = answers_.try_emplace({later, earlier});
  if (!is_new) return answer->second;
  const std::vector<bool>& registers = registers_of(earlier);
  const std::vector<std::uint32_t> reads = ptx::register_use(function_.instructions[later]).reads;
  answer->second = std::ranges::any_of(reads, [&](std::uint32_t r) { return registers[r]; }) ||
                   is_decided_by(later, registers);
  return answer->second;
}

/// A branch decides on a block that one of its ways leads to before they meet again.
bool Dependence::is_decided_by(std::uint32_t instruction, const std::vector<bool>& registers) const {
  const std::uint32_t wanted = flow_.block_of[instruction];
  for (const ptx::BasicBlock& block : flow_.blocks) {
    const ptx::Operand& guard = function_.instructions[block.end - 1].guard;
    if (block.successors.size() < 2 || guard.kind != ptx::Operand::Kind::reg ||
        !registers[static_cast<std::uint32_t>(guard.reg)])
      continue;
    std::vector<bool> seen(flow_.blocks.size());
    std::vector<std::uint32_t> todo = block.successors;
    while (!todo.empty()) {
      const std::uint32_t b = todo.back();
      todo.pop_back();
      if (b == block.immediate_post_dominator || seen[b]) continue;
      if (b == wanted) return true;
      seen[b] = true;
      todo.insert(todo.end(), flow_.blocks[b].successors.begin(), flow_.blocks[b].successors.end());
    }
  }
  return false;
}

}  // namespace warplens::replay
