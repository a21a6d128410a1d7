// A forward data-flow analysis over the registers of wgmma and those that their values are copied to. It says
// what may be in flight before each instruction; only where that is accessed is there anything to check.
#include "kernels/replay/decode/wgmma_registers.h"

#include <algorithm>
#include <utility>

#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"

namespace warplens::replay {
namespace {

using ptx::Effect;
using ptx::Opcode;
using ptx::StateSpace;

/// What may be true of a register before an instruction. A wgmma is open until it is committed to a group.
enum RegisterBit : std::uint8_t {
  kWrittenOpen = 1,  ///< A wgmma in flight writes the register
  kWritten = 2,
  kReadOpen = 4,  ///< A wgmma in flight reads the register
  kRead = 8,
  kResultOpen = 16,  ///< The register holds the result of a wgmma in flight
  kResult = 32,
  kComputed = 64,  ///< An ordinary instruction has written the value since the last wgmma.fence
};
constexpr std::uint8_t kOpen = kWrittenOpen | kReadOpen | kResultOpen,
                       kCommitted = kWritten | kRead | kResult,
                       kInUse = kWrittenOpen | kWritten | kReadOpen | kRead,
                       kIsResult = kResultOpen | kResult;
/// What may be true of the warp.
enum WarpBit : std::uint8_t {
  kNeverFenced = 1,         ///< It has not executed a wgmma.fence
  kUnfencedSinceWgmma = 2,  ///< Nor has it since its last wgmma
};

/// By number of a register, and behind those the WarpBits.
using State = std::vector<std::uint8_t>;

class Planner {
 public:
  Planner(const ptx::Function& function, const ptx::ControlFlow& flow) : function_(function), flow_(flow) {
    for (const ptx::Variable& variable : function.variables)
      has_local_memory_ |= variable.space == StateSpace::local;
  }

  WgmmaRegisterPlan plan(const std::vector<std::uint32_t>& entries) {
    if (!number_registers()) return {};
    for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) accesses_.push_back(accesses_of(i));
    find_states(entries);
    if (!needs_checks()) return {};
    return {checks(), registers_};
  }

 private:
  [[nodiscard]] static bool is_product(const ptx::Instruction& instruction) {
    return ptx::effect_of(instruction) == Effect::warpgroup_product;
  }

  [[nodiscard]] RegisterAccessKind kind_of(const ptx::Instruction& instruction) const {
    if (is_product(instruction)) return RegisterAccessKind::product;
    if (instruction.opcode == Opcode::mov) return RegisterAccessKind::copy;
    const Effect effect = ptx::effect_of(instruction);
    const bool is_spill_space = instruction.space == StateSpace::local ||
                                instruction.space == StateSpace::param ||
                                (instruction.space == StateSpace::generic && has_local_memory_);
    if ((effect == Effect::load || effect == Effect::store) && is_spill_space)
      return RegisterAccessKind::spill;
    return effect == Effect::call || effect == Effect::ret ? RegisterAccessKind::spill
                                                           : RegisterAccessKind::ordinary;
  }

  void number(std::uint32_t r) {
    if (number_of_[r] != kNone) return;
    number_of_[r] = static_cast<std::uint32_t>(registers_.size());
    registers_.push_back(r);
  }

  /// Numbers the registers of D and of A, and those that are connected with them by copies. Returns whether
  /// there are any.
  bool number_registers() {
    number_of_.assign(function_.registers.size(), kNone);
    std::vector<std::vector<std::uint32_t>> copies(function_.registers.size());
    for (const ptx::Instruction& instruction : function_.instructions) {
      if (is_product(instruction)) {
        for (const std::size_t k : {0u, 1u}) {
          for (const ptx::Operand& element : instruction.operands[k].elements)
            if (element.kind == ptx::Operand::Kind::reg) number(static_cast<std::uint32_t>(element.reg));
        }
      } else if (kind_of(instruction) == RegisterAccessKind::copy) {
        const ptx::RegisterUse use = ptx::register_use(instruction);
        for (const std::uint32_t from : use.reads) {
          for (const std::uint32_t to : use.writes) {
            copies[from].push_back(to);
            copies[to].push_back(from);
          }
        }
      }
    }
    for (std::size_t k = 0; k < registers_.size(); ++k) {
      for (const std::uint32_t other : copies[registers_[k]]) number(other);
    }
    return !registers_.empty();
  }

  [[nodiscard]] std::vector<std::uint32_t> numbers_of(const std::vector<std::uint32_t>& registers) const {
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t r : registers) {
      if (number_of_[r] != kNone) numbers.push_back(number_of_[r]);
    }
    return numbers;
  }

  [[nodiscard]] WgmmaRegisterCheck accesses_of(std::uint32_t i) const {
    const ptx::Instruction& instruction = function_.instructions[i];
    const ptx::RegisterUse use = ptx::register_use(instruction);
    WgmmaRegisterCheck check{.instruction = i, .kind = kind_of(instruction), .reads = {}, .writes = {}};
    check.writes = numbers_of(use.writes);
    if (check.kind == RegisterAccessKind::product) {
      for (const ptx::Operand& element : instruction.operands[1].elements) {
        if (element.kind == ptx::Operand::Kind::reg)
          check.reads.push_back(number_of_[static_cast<std::uint32_t>(element.reg)]);
      }
    } else {
      check.reads = numbers_of(use.reads);
      if (instruction.opcode == Opcode::wgmma_fence) check.kind = RegisterAccessKind::fence;
    }
    return check;
  }

  /// A guarded instruction may leave everything as it was.
  void execute(const WgmmaRegisterCheck& check, State& state) const {
    const ptx::Instruction& instruction = function_.instructions[check.instruction];
    const bool is_certain = instruction.guard.kind == ptx::Operand::Kind::none;
    const auto set = [&](std::uint8_t& bits, std::uint8_t value) {
      bits = static_cast<std::uint8_t>(is_certain ? value : bits | value);
    };
    std::uint8_t& warp = state.back();
    const std::size_t count = registers_.size();
    switch (instruction.opcode) {
      case Opcode::wgmma_fence:
        if (!is_certain) return;
        warp = 0;
        for (std::size_t r = 0; r < count; ++r) state[r] &= static_cast<std::uint8_t>(~kComputed);
        return;
      case Opcode::wgmma_commit_group: return commit(state, is_certain);
      case Opcode::call: return commit(state, false);  // What is called may do so
      case Opcode::wgmma_wait_group:
        if (!is_certain || instruction.operands[0].bits != 0) return;
        for (std::size_t r = 0; r < count; ++r) state[r] &= static_cast<std::uint8_t>(~kCommitted);
        return;
      default: break;
    }
    if (check.kind == RegisterAccessKind::product) {
      for (const std::uint32_t r : check.reads) state[r] |= kReadOpen;
      for (const std::uint32_t r : check.writes) state[r] |= kWrittenOpen | kResultOpen;
      warp |= kUnfencedSinceWgmma;
      return;
    }
    std::uint8_t value = check.kind == RegisterAccessKind::ordinary ? kComputed : 0;
    if (check.kind == RegisterAccessKind::copy) {
      for (const std::uint32_t r : check.reads)
        value = static_cast<std::uint8_t>(value | (state[r] & (kIsResult | kComputed)));
    }
    for (const std::uint32_t r : check.writes) set(state[r], value);
  }

  void commit(State& state, bool is_certain) const {
    for (std::size_t r = 0; r < registers_.size(); ++r) {
      const auto open = static_cast<std::uint8_t>(state[r] & kOpen);
      state[r] = static_cast<std::uint8_t>((is_certain ? state[r] & ~kOpen : state[r]) | open << 1);
    }
  }

  void find_states(const std::vector<std::uint32_t>& entries) {
    at_begin_.resize(flow_.blocks.size());
    std::vector<std::uint32_t> to_do;
    const auto reach = [&](std::uint32_t block, const State& state) {
      State& there = at_begin_[block];
      bool changes = there.empty();
      there.resize(state.size());
      for (std::size_t k = 0; k < state.size(); ++k) {
        changes |= (state[k] & ~there[k]) != 0;
        there[k] |= state[k];
      }
      if (changes) to_do.push_back(block);
    };
    State start(registers_.size() + 1);
    start.back() = kNeverFenced | kUnfencedSinceWgmma;
    for (const std::uint32_t entry : entries) reach(flow_.block_of[entry], start);
    while (!to_do.empty()) {
      const std::uint32_t b = to_do.back();
      to_do.pop_back();
      State state = at_begin_[b];
      const ptx::BasicBlock& block = flow_.blocks[b];
      for (std::uint32_t i = block.first; i < block.end; ++i) execute(accesses_[i], state);
      for (const std::uint32_t next : block.successors) reach(next, state);
    }
  }

  template <class Visit>
  void for_each_reached(Visit visit) const {
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      if (at_begin_[b].empty()) continue;
      State state = at_begin_[b];
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
        visit(accesses_[i], state);
        execute(accesses_[i], state);
      }
    }
  }

  [[nodiscard]] static bool any_of(const std::vector<std::uint32_t>& registers, const State& state,
                                   std::uint8_t bits) {
    return std::ranges::any_of(registers, [&](std::uint32_t r) { return (state[r] & bits) != 0; });
  }

  [[nodiscard]] bool has_several_shapes() const {
    std::optional<std::pair<std::uint16_t, std::uint16_t>> first;
    for (const ptx::Instruction& instruction : function_.instructions) {
      if (!is_product(instruction)) continue;
      const std::pair shape{instruction.n, instruction.k};
      if (first && *first != shape) return true;
      first = shape;
    }
    return false;
  }

  /// Whether a value that is in flight may be accessed, or a fence may be missing.
  [[nodiscard]] bool needs_checks() {
    const bool has_shapes = has_several_shapes();
    bool needs = false;
    for_each_reached([&](const WgmmaRegisterCheck& check, const State& state) {
      const std::uint8_t warp = state.back();
      switch (check.kind) {
        case RegisterAccessKind::product: {
          const bool is_computed =
              any_of(check.reads, state, kComputed) || any_of(check.writes, state, kComputed);
          lacks_fence_ |= (warp & kNeverFenced) != 0 || ((warp & kUnfencedSinceWgmma) != 0 && is_computed);
          needs |= any_of(check.reads, state, kIsResult) || any_of(check.writes, state, kRead | kReadOpen) ||
                   (has_shapes && any_of(check.writes, state, kInUse | kIsResult));
          break;
        }
        case RegisterAccessKind::ordinary:
          needs |= any_of(check.reads, state, kIsResult) || any_of(check.writes, state, kInUse);
          break;
        case RegisterAccessKind::copy: needs |= any_of(check.writes, state, kWritten | kWrittenOpen); break;
        case RegisterAccessKind::spill:
        case RegisterAccessKind::fence: break;
      }
    });
    return needs || lacks_fence_;
  }

  /// All wgmma; others where they access what may be in flight. Where a fence may be missing, also what
  /// computes or copies values.
  [[nodiscard]] std::vector<WgmmaRegisterCheck> checks() const {
    std::vector<WgmmaRegisterCheck> checks;
    for_each_reached([&](const WgmmaRegisterCheck& check, const State& state) {
      const bool writes = !check.writes.empty();
      const bool matters = check.kind == RegisterAccessKind::product ||
                           check.kind == RegisterAccessKind::fence || any_of(check.reads, state, kIsResult) ||
                           any_of(check.writes, state, kInUse | kIsResult) || (lacks_fence_ && writes);
      if (matters) checks.push_back(check);
    });
    return checks;
  }

  static constexpr std::uint32_t kNone = 0xffffffffu;
  const ptx::Function& function_;
  const ptx::ControlFlow& flow_;
  bool has_local_memory_ = false;
  bool lacks_fence_ = false;                  ///< Some wgmma may need a wgmma.fence that is not there
  std::vector<std::uint32_t> number_of_;      ///< By register
  std::vector<std::uint32_t> registers_;      ///< By number
  std::vector<WgmmaRegisterCheck> accesses_;  ///< By instruction
  std::vector<State> at_begin_;               ///< By basic block; empty where it is not reached
};

}  // namespace

std::optional<std::uint32_t> WgmmaRegisterPlan::check_of(std::uint32_t instruction) const {
  const auto at = std::ranges::lower_bound(checks, instruction, {}, &WgmmaRegisterCheck::instruction);
  if (at == checks.end() || at->instruction != instruction) return std::nullopt;
  return static_cast<std::uint32_t>(at - checks.begin());
}

WgmmaRegisterPlan plan_wgmma_register_checks(const ptx::Function& function, const ptx::ControlFlow& flow,
                                             const std::vector<std::uint32_t>& entries) {
  return Planner(function, flow).plan(entries);
}

}  // namespace warplens::replay
