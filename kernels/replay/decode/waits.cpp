#include "kernels/replay/decode/waits.h"

#include <algorithm>

#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"

namespace warplens::replay {
namespace {

using ptx::Effect;
using ptx::StateSpace;

/// The blocks of natural loops, and what decides on leaving them.
class Loops {
 public:
  Loops(const Program::Code& code, const std::vector<std::uint32_t>& headers)
      : function_(code.function),
        flow_(code.flow),
        inside_(code.flow.blocks.size()),
        wanted_(function_.registers.size()) {
    for (const std::uint32_t header : headers) add(header);
  }

  std::optional<Wait> wait() {
    for (std::uint32_t b = 0; b < inside_.size(); ++b) {
      if (inside_[b] && leads_out(b)) want_decision(b);
    }
    follow();
    if (sources_.empty()) return std::nullopt;
    Wait wait{.instruction = *std::ranges::min_element(sources_)};
    for (const std::uint32_t source : sources_) {
      const ptx::Instruction& instruction = function_.instructions[source];
      if (ptx::is_access(instruction) && instruction.space == StateSpace::shared) continue;
      wait.for_others = true;
      wait.instruction = source;
    }
    return wait;
  }

 private:
  // From where the loop jumps back, against the direction of control, up to the header.
  void add(std::uint32_t header) {
    inside_[header] = true;
    std::vector<std::uint32_t> to_do;
    for (const std::uint32_t from : flow_.blocks[header].predecessors) {
      if (from >= header) to_do.push_back(from);
    }
    while (!to_do.empty()) {
      const std::uint32_t block = to_do.back();
      to_do.pop_back();
      if (inside_[block]) continue;
      inside_[block] = true;
      const auto& before = flow_.blocks[block].predecessors;
      to_do.insert(to_do.end(), before.begin(), before.end());
    }
  }

  [[nodiscard]] bool leads_out(std::uint32_t block) const {
    const ptx::BasicBlock& b = flow_.blocks[block];
    return b.leaves || std::ranges::any_of(b.successors, [&](std::uint32_t to) { return !inside_[to]; });
  }

  // What the last instruction of a block looks at.
  void want_decision(std::uint32_t block) {
    for (const std::uint32_t r : ptx::register_use(function_.instructions[flow_.blocks[block].end - 1]).reads)
      want(r);
  }

  void want(std::uint32_t r) {
    if (!wanted_[r]) to_follow_.push_back(r);
    wanted_[r] = true;
  }

  // Backwards through all that writes what is wanted, and the branches that lead there.
  void follow() {
    while (!to_follow_.empty()) {
      const std::uint32_t wanted = to_follow_.back();
      to_follow_.pop_back();
      for (std::uint32_t b = 0; b < inside_.size(); ++b) {
        if (!inside_[b]) continue;
        for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
          const ptx::RegisterUse use = ptx::register_use(function_.instructions[i]);
          if (std::ranges::find(use.writes, wanted) != use.writes.end()) follow(i, b, use);
        }
      }
    }
  }

  void follow(std::uint32_t i, std::uint32_t block, const ptx::RegisterUse& use) {
    const ptx::Instruction& instruction = function_.instructions[i];
    const Effect effect = ptx::effect_of(instruction);
    const bool loads = effect == Effect::load || effect == Effect::atomic;
    const bool fixed = instruction.space == StateSpace::param || instruction.space == StateSpace::constant ||
                       instruction.non_coherent;
    if ((loads && !fixed && instruction.space != StateSpace::local) || effect == Effect::call)
      sources_.push_back(i);
    for (const std::uint32_t r : use.reads) want(r);
    for (const std::uint32_t before : flow_.blocks[block].predecessors) {
      if (inside_[before] && flow_.blocks[before].successors.size() > 1) want_decision(before);
    }
  }

  const ptx::Function& function_;
  const ptx::ControlFlow& flow_;
  std::vector<bool> inside_;  ///< By block
  std::vector<bool> wanted_;  ///< By register
  std::vector<std::uint32_t> to_follow_, sources_;
};

}  // namespace

std::optional<Wait> find_wait(const Program::Code& code, const std::vector<std::uint32_t>& headers) {
  return Loops(code, headers).wait();
}

bool reads_clock_in_loops(const Program::Code& code) {
  const auto is_clock = [](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::special && operand.special >= ptx::SpecialRegister::clock &&
           operand.special <= ptx::SpecialRegister::globaltimer;
  };
  for (std::size_t i = 0; i < code.function.instructions.size(); ++i) {
    if (!std::ranges::any_of(code.function.instructions[i].operands, is_clock)) continue;
    const bool in_kernel = code.pieces.size() == 1;  // A function may be called in a loop
    if (!in_kernel || code.flow.blocks[code.flow.block_of[i]].loop_depth > 0) return true;
  }
  return false;
}

bool may_end_wait(const Program::Code& code, const Wait& wait, std::uint32_t instruction) {
  const std::vector<std::uint64_t> origins = origins_of_accesses(code.function);
  const ptx::Instruction& waits = code.function.instructions[wait.instruction];
  const auto changes_it = [&](std::uint32_t i) {
    const ptx::Instruction& other = code.function.instructions[i];
    if (!ptx::is_access(other) || ptx::effect_of(other) == Effect::load) return false;
    if (!ptx::is_access(waits)) return true;
    const bool shared = waits.space == StateSpace::shared, other_shared = other.space == StateSpace::shared;
    if (shared || other_shared)
      return shared == other_shared || waits.space == StateSpace::generic ||
             other.space == StateSpace::generic;
    return other.space != StateSpace::local &&
           ((origins[i] & origins[wait.instruction]) != 0 ||
            ((origins[i] | origins[wait.instruction]) & kFromAnywhere) != 0);
  };
  std::vector<bool> seen(code.flow.blocks.size());
  std::vector<std::uint32_t> to_do{code.flow.block_of[instruction]};
  bool first = true;
  while (!to_do.empty()) {
    const std::uint32_t b = to_do.back();
    to_do.pop_back();
    if (seen[b]) continue;
    seen[b] = true;
    const ptx::BasicBlock& block = code.flow.blocks[b];
    bool stopped = false;
    for (std::uint32_t i = first ? instruction : block.first; i < block.end && !stopped; ++i) {
      if (changes_it(i)) return true;
      stopped = ptx::is_barrier(code.function.instructions[i]);
    }
    first = false;
    if (!stopped) to_do.insert(to_do.end(), block.successors.begin(), block.successors.end());
  }
  return false;
}

}  // namespace warplens::replay
