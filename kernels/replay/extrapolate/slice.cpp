#include "kernels/replay/extrapolate/slice.h"

#include <algorithm>
#include <vector>

#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"
#include "kernels/replay/core/core.h"

namespace warplens::replay {
namespace {

using ptx::Effect;

/// Registers that an instruction needs to know what it accesses and where it goes, other than those of what
/// is stored.
std::vector<std::uint32_t> decisive_reads(const ptx::Instruction& instruction) {
  const Effect effect = ptx::effect_of(instruction);
  const bool has_data =
      ptx::is_access(instruction) || effect == Effect::store_matrices || effect == Effect::store_fragment;
  if (!has_data) return ptx::register_use(instruction).reads;
  std::vector<std::uint32_t> reads;
  const auto add = [&](const ptx::Operand& operand, ptx::Operand::Kind kind) {
    if (kind == ptx::Operand::Kind::reg) reads.push_back(static_cast<std::uint32_t>(operand.reg));
  };
  const ptx::Operand& address = ptx::address_of(instruction);
  add(address, address.address_base);
  if (effect == Effect::store_fragment && instruction.operands.size() > 2)
    add(instruction.operands[2], instruction.operands[2].kind);  // The stride
  if (instruction.guard.kind == ptx::Operand::Kind::reg)
    reads.push_back(static_cast<std::uint32_t>(instruction.guard.reg));
  return reads;
}

/// Whether its mask may leave out lanes that take part, which is a finding.
bool may_leave_lanes_out(const ptx::Instruction& instruction) {
  const ptx::Operand* const mask = ptx::member_mask_of(instruction);
  if (mask == nullptr || ptx::row_of(instruction.opcode).value != ptx::Value::of_lanes) return false;
  return mask->kind != ptx::Operand::Kind::immediate || static_cast<std::uint32_t>(mask->bits) != 0xffffffffu;
}

/// Returns, by PTX instruction, whether it must be run.
std::vector<bool> find_needed(const ptx::Function& function) {
  const auto& instructions = function.instructions;
  std::vector<std::vector<std::uint32_t>> writers(function.registers.size());
  std::vector<bool> needed(instructions.size()), wanted(function.registers.size());
  std::vector<std::uint32_t> todo;
  const auto want = [&](const std::vector<std::uint32_t>& registers) {
    for (const std::uint32_t r : registers) {
      if (!wanted[r]) todo.push_back(r);
      wanted[r] = true;
    }
  };
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    const ptx::Instruction& instruction = instructions[i];
    const bool uses_carry = instruction.carry_out || ptx::reads_carry(instruction);
    needed[i] = ptx::effect_of(instruction) != Effect::none || uses_carry || may_leave_lanes_out(instruction);
    if (needed[i]) want(decisive_reads(instruction));
    if (instruction.guard.kind == ptx::Operand::Kind::reg)
      want({static_cast<std::uint32_t>(instruction.guard.reg)});
    for (const std::uint32_t r : ptx::register_use(instruction).writes) writers[r].push_back(i);
  }
  while (!todo.empty()) {
    const std::uint32_t r = todo.back();
    todo.pop_back();
    for (const std::uint32_t i : writers[r]) {
      if (needed[i]) continue;
      needed[i] = true;
      want(ptx::register_use(instructions[i]).reads);
    }
  }
  return needed;
}

class Slicer {
 public:
  explicit Slicer(const Program::Code& code) : code_(code), needed_(find_needed(code.function)) {}

  Program::Code run(std::span<const std::uint32_t> watched, Handler watch) {
    Program::Code result = code_;
    result.instructions.clear();
    moved_.resize(code_.instructions.size() + 1);
    for (std::size_t at = 0; at < code_.instructions.size(); ++at) {
      moved_[at] = static_cast<std::uint32_t>(result.instructions.size());
      const Instr& instr = code_.instructions[at];
      if (runs_ahead(*code_.core, instr)) continue;  // Some of what it does may be left out
      if (is_run(instr)) {
        result.instructions.push_back(instr);
      } else if (counts_from(at)) {
        result.instructions.push_back({.run = nop, .index = instr.index});
      }
    }
    moved_.back() = static_cast<std::uint32_t>(result.instructions.size());
    for (Instr& instr : result.instructions) {
      if (jumps(instr)) relocate(instr.target, result);
      relocate(instr.join, result);
      if (is_helper(instr) || !std::ranges::binary_search(watched, instr.index)) continue;
      instr.run = watch;
    }
    return result;
  }

 private:
  [[nodiscard]] const ptx::Instruction& ptx_of(const Instr& instr) const {
    return code_.function.instructions[instr.index];
  }
  [[nodiscard]] static bool is_helper(const Instr& instr) { return (instr.flags & kHelper) != 0; }
  [[nodiscard]] bool is_run(const Instr& instr) const {
    return is_helper(instr) || needed_[instr.index] || instr.run == code_.core->unsupported;
  }
  [[nodiscard]] bool jumps(const Instr& instr) const {
    return !is_helper(instr) && ptx::effect_of(ptx_of(instr)) == Effect::branch;
  }

  /// Whether something may go on here, or comes back here: behind a guard or a barrier, and where a block
  /// begins. Where targets are found by their distance, everything stays in its place.
  [[nodiscard]] bool counts_from(std::size_t at) const {
    const std::uint32_t index = code_.instructions[at].index;
    if (has_distances_ || code_.flow.blocks[code_.flow.block_of[index]].first == index || at == 0)
      return true;
    const Instr& before = code_.instructions[at - 1];
    const Effect effect = ptx::effect_of(ptx_of(before));
    return is_helper(before) || (effect != Effect::none && effect != Effect::load && effect != Effect::store);
  }

  void relocate(const Instr*& place, Program::Code& result) const {
    if (place != nullptr)
      place =
          result.instructions.data() + moved_[static_cast<std::size_t>(place - code_.instructions.data())];
  }

  const Program::Code& code_;
  std::vector<bool> needed_;
  std::vector<std::uint32_t> moved_;
  bool has_distances_ = std::ranges::any_of(code_.function.instructions, [](const ptx::Instruction& i) {
    return ptx::effect_of(i) == Effect::indexed_branch;
  });
};

}  // namespace

Program::Code slice(const Program::Code& code, std::span<const std::uint32_t> watched, Handler watch) {
  return Slicer(code).run(watched, watch);
}

}  // namespace warplens::replay
