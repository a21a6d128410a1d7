#include "kernels/replay/decode/waits.h"

#include <algorithm>

#include "kernels/ptx/liveness.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"

namespace warplens::replay {
namespace {

using ptx::Effect;
using ptx::StateSpace;

bool reads_memory(const ptx::Instruction& instruction) {
  return std::ranges::any_of(ptx::memory_effects(instruction), &ptx::MemoryEffect::reads);
}

bool is_clock(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::special && operand.special >= ptx::SpecialRegister::clock &&
         operand.special <= ptx::SpecialRegister::globaltimer;
}

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

  [[nodiscard]] const std::vector<bool>& inside() const { return inside_; }

  std::optional<Wait> wait() {
    for (std::uint32_t b = 0; b < inside_.size(); ++b) {
      if (inside_[b] && leads_out(b)) want_decision(b);
    }
    trace();
    if (sources_.empty()) return std::nullopt;
    Wait wait{.instruction = *std::ranges::min_element(sources_)};
    for (const std::uint32_t source : sources_) {
      const ptx::Instruction& instruction = function_.instructions[source];
      const ptx::MemoryEffects effects = ptx::memory_effects(instruction);
      const bool is_of_block = !effects.empty() && std::ranges::all_of(effects, [](const auto& one) {
        return one.space == StateSpace::shared;
      });
      if (is_of_block) continue;
      wait.for_others = true;
      wait.instruction = source;
    }
    return wait;
  }

  [[nodiscard]] bool leads_out(std::uint32_t block) const {
    const ptx::BasicBlock& b = flow_.blocks[block];
    return b.leaves || std::ranges::any_of(b.successors, [&](std::uint32_t to) { return !inside_[to]; });
  }

  /// Whether registers that the instruction reads are computed from what the loop loads.
  [[nodiscard]] bool reads_what_is_loaded(const ptx::Instruction& instruction) const {
    return std::ranges::any_of(sources_of(instruction),
                               [&](std::uint32_t i) { return reads_memory(function_.instructions[i]); });
  }

  /// The instructions of the loop that read memory, or a clock, for the registers that the instruction reads.
  [[nodiscard]] std::vector<std::uint32_t> sources_of(const ptx::Instruction& instruction) const {
    std::vector<std::uint32_t> sources;
    std::vector<bool> seen(function_.registers.size());
    std::vector<std::uint32_t> to_do = ptx::register_use(instruction).reads;
    while (!to_do.empty()) {
      const std::uint32_t r = to_do.back();
      to_do.pop_back();
      if (seen[r]) continue;
      seen[r] = true;
      for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
        if (!inside_[flow_.block_of[i]]) continue;
        const ptx::RegisterUse use = ptx::register_use(function_.instructions[i]);
        if (std::ranges::find(use.writes, r) == use.writes.end()) continue;
        if (reads_memory(function_.instructions[i]) ||
            std::ranges::any_of(function_.instructions[i].operands, is_clock)) {
          sources.push_back(i);
        } else {
          to_do.insert(to_do.end(), use.reads.begin(), use.reads.end());
        }
      }
    }
    return sources;
  }

 private:
  // From where the loop jumps back, against the direction of control, up to the header.
  void add(std::uint32_t header) {
    inside_[header] = true;
    std::vector<std::uint32_t> to_do;
    for (const std::uint32_t from : flow_.blocks[header].predecessors) {
      // Compilers also place the block that jumps back before the header.
      if (from >= header || flow_.blocks[from].loop_header == header) to_do.push_back(from);
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

  // What the last instruction of a block looks at.
  void want_decision(std::uint32_t block) {
    for (const std::uint32_t r : ptx::register_use(function_.instructions[flow_.blocks[block].end - 1]).reads)
      want(r);
  }

  void want(std::uint32_t r) {
    if (!wanted_[r]) to_trace_.push_back(r);
    wanted_[r] = true;
  }

  // Backwards through all that writes what is wanted, and the branches that lead there.
  void trace() {
    while (!to_trace_.empty()) {
      const std::uint32_t wanted = to_trace_.back();
      to_trace_.pop_back();
      for (std::uint32_t b = 0; b < inside_.size(); ++b) {
        if (!inside_[b]) continue;
        for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
          const ptx::RegisterUse use = ptx::register_use(function_.instructions[i]);
          if (std::ranges::find(use.writes, wanted) != use.writes.end()) trace(i, b, use);
        }
      }
    }
  }

  void trace(std::uint32_t i, std::uint32_t block, const ptx::RegisterUse& use) {
    const ptx::Instruction& instruction = function_.instructions[i];
    const Effect effect = ptx::effect_of(instruction);
    const ptx::MemoryEffects effects = ptx::memory_effects(instruction);
    const bool loads = std::ranges::any_of(effects, &ptx::MemoryEffect::reads);
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
  std::vector<std::uint32_t> to_trace_, sources_;
};

/// Whether doing it once more, with the same operands, leaves memory and the other threads as they are.
bool can_be_repeated(const ptx::Instruction& instruction) {
  switch (ptx::effect_of(instruction)) {
    case Effect::none:
    case Effect::load:
    case Effect::branch:
    case Effect::ret:
    case Effect::no_op: return true;
    case Effect::mbarrier: return ptx::is_mbarrier_wait(instruction);
    case Effect::atomic:
      switch (instruction.atomic) {
        case ptx::AtomicOp::cas:
        case ptx::AtomicOp::exch:
        case ptx::AtomicOp::and_:
        case ptx::AtomicOp::or_:
        case ptx::AtomicOp::min:
        case ptx::AtomicOp::max: return true;
        case ptx::AtomicOp::add: {
          const ptx::Operand& added = instruction.operands.back();
          return added.kind == ptx::Operand::Kind::immediate && added.bits == 0;
        }
        case ptx::AtomicOp::none:
        case ptx::AtomicOp::xor_:
        case ptx::AtomicOp::inc:
        case ptx::AtomicOp::dec: return false;
      }
      return false;
    case Effect::store:
    case Effect::reduction:
    case Effect::load_matrices:
    case Effect::store_matrices:
    case Effect::load_fragment:
    case Effect::store_fragment:
    case Effect::texture_load:
    case Effect::texture_store:
    case Effect::copy:
    case Effect::bulk_copy:
    case Effect::copy_order:
    case Effect::tensor_map:
    case Effect::cluster_barrier:
    case Effect::warpgroup_product:
    case Effect::warpgroup_order:
    case Effect::indexed_branch:
    case Effect::trap:
    case Effect::barrier:
    case Effect::call:
    case Effect::unknown: return false;
  }
  return false;
}

/// Registers of a loop that count its iterations, or follow from those that do.
class Counters {
 public:
  Counters(const Program::Code& code, const std::vector<bool>& inside)
      : counts_(code.function.registers.size()) {
    std::vector<std::vector<std::uint32_t>> sources(counts_.size());
    for (std::uint32_t i = 0; i < code.function.instructions.size(); ++i) {
      if (!inside[code.flow.block_of[i]]) continue;
      const ptx::RegisterUse use = ptx::register_use(code.function.instructions[i]);
      const bool from_memory = reads_memory(code.function.instructions[i]);
      for (const std::uint32_t r : use.writes) {
        if (!from_memory) sources[r].insert(sources[r].end(), use.reads.begin(), use.reads.end());
        written_.push_back(r);
      }
    }
    for (const std::uint32_t r : written_) counts_[r] = reaches(sources, r, r);
    for (bool grew = true; grew;) {
      grew = false;
      for (const std::uint32_t r : written_) {
        const bool follows =
            std::ranges::any_of(sources[r], [&](std::uint32_t from) { return counts_[from]; });
        if (counts_[r] || !follows) continue;
        counts_[r] = grew = true;
      }
    }
  }
  [[nodiscard]] bool has(std::uint32_t reg) const { return counts_[reg]; }
  [[nodiscard]] bool are_read(const ptx::Instruction& instruction) const {
    return std::ranges::any_of(ptx::register_use(instruction).reads, [&](std::uint32_t r) { return has(r); });
  }

 private:
  /// Whether the value of `reg` may follow from that of `of` before.
  static bool reaches(const std::vector<std::vector<std::uint32_t>>& sources, std::uint32_t reg,
                      std::uint32_t of) {
    std::vector<bool> seen(sources.size());
    std::vector<std::uint32_t> to_do = sources[reg];
    while (!to_do.empty()) {
      const std::uint32_t r = to_do.back();
      to_do.pop_back();
      if (r == of) return true;
      if (seen[r]) continue;
      seen[r] = true;
      to_do.insert(to_do.end(), sources[r].begin(), sources[r].end());
    }
    return false;
  }

  std::vector<bool> counts_;  ///< By register
  std::vector<std::uint32_t> written_;
};

}  // namespace

bool waits_in_loop_of(const Program::Code& code, std::uint32_t header) {
  Loops loops(code, {header});
  const std::vector<bool>& inside = loops.inside();
  const auto& instructions = code.function.instructions;
  bool looks_at_memory = false;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (!inside[code.flow.block_of[i]]) continue;
    if (!can_be_repeated(instructions[i])) return false;
    looks_at_memory = looks_at_memory || reads_memory(instructions[i]);
  }
  if (!looks_at_memory) return false;
  const Counters counters(code, inside);
  bool ends_by_memory = false;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    const std::uint32_t b = code.flow.block_of[i];
    if (!inside[b]) continue;
    if (reads_memory(instructions[i]) && counters.are_read(instructions[i])) return false;
    ends_by_memory = ends_by_memory || (i + 1 == code.flow.blocks[b].end && loops.leads_out(b) &&
                                        loops.reads_what_is_loaded(instructions[i]));
  }
  if (!ends_by_memory) return false;
  std::vector<ptx::RegisterUse> uses;
  for (const ptx::Instruction& instruction : instructions) uses.push_back(ptx::register_use(instruction));
  const Result<ptx::Liveness> liveness = ptx::find_liveness(code.function, code.flow, uses);
  if (!liveness.ok()) return false;
  for (std::uint32_t b = 0; b < inside.size(); ++b) {
    if (!inside[b]) continue;
    for (const std::uint32_t next : code.flow.blocks[b].successors) {
      if (!inside[next] &&
          std::ranges::any_of(liveness->at_begin[next], [&](std::uint32_t r) { return counters.has(r); }))
        return false;
    }
  }
  return true;
}

std::optional<std::uint32_t> mbarrier_wait_of_loop(const Program::Code& code, std::uint32_t header) {
  const Loops loops(code, {header});
  const auto& instructions = code.function.instructions;
  std::optional<std::uint32_t> wait;
  for (std::uint32_t b = 0; b < loops.inside().size(); ++b) {
    if (!loops.inside()[b] || !loops.leads_out(b)) continue;
    const auto sources = loops.sources_of(instructions[code.flow.blocks[b].end - 1]);
    const bool only_waits =
        std::ranges::all_of(sources, [&](std::uint32_t i) { return ptx::is_mbarrier_wait(instructions[i]); });
    if (sources.empty() || !only_waits) return std::nullopt;
    wait = sources.front();
  }
  return wait;
}

std::uint32_t count_loop_instructions(const Program::Code& code, std::uint32_t header) {
  const Loops loops(code, {header});
  std::uint32_t count = 0;
  for (std::uint32_t b = 0; b < loops.inside().size(); ++b) {
    if (loops.inside()[b]) count += code.flow.blocks[b].end - code.flow.blocks[b].first;
  }
  return count;
}

std::optional<Wait> find_wait(const Program::Code& code, const std::vector<std::uint32_t>& headers) {
  return Loops(code, headers).wait();
}

bool reads_clock_in_loops(const Program::Code& code) {
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
    const ptx::MemoryEffects effects = ptx::memory_effects(other);
    if (std::ranges::none_of(effects, &ptx::MemoryEffect::writes)) return false;
    const ptx::MemoryEffects waited = ptx::memory_effects(waits);
    if (waited.empty()) return true;
    if (waited.begin()->space == StateSpace::shared || other.space == StateSpace::shared)
      return waited.begin()->may_be_in(StateSpace::shared) &&
             std::ranges::any_of(effects, [](const ptx::MemoryEffect& one) {
               return one.writes && one.may_be_in(StateSpace::shared);
             });
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
