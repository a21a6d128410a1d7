#include "kernels/ptx/uniformity.h"

#include <algorithm>
#include <cstdint>

#include "kernels/ptx/register_use.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

/// Among what a value is asked to be the same.
enum class Scope : std::uint8_t { warp, launch };

bool differs(SpecialRegister special, Scope scope) {
  switch (special) {
    case SpecialRegister::ctaid_x:
    case SpecialRegister::ctaid_y:
    case SpecialRegister::ctaid_z: return scope == Scope::launch;
    case SpecialRegister::none:
    case SpecialRegister::ntid_x:
    case SpecialRegister::ntid_y:
    case SpecialRegister::ntid_z:
    case SpecialRegister::nctaid_x:
    case SpecialRegister::nctaid_y:
    case SpecialRegister::nctaid_z:
    case SpecialRegister::gridid:
    case SpecialRegister::dynamic_smem_size:
    case SpecialRegister::total_smem_size:
    case SpecialRegister::reserved_smem_offset_begin:
    case SpecialRegister::reserved_smem_offset_end:
    case SpecialRegister::reserved_smem_offset_cap: return false;
    default: return true;
  }
}

bool has_differing_source(const Operand& operand, const Function& function, Scope scope) {
  if (operand.kind == Kind::special && differs(operand.special, scope)) return true;
  if (operand.kind == Kind::variable && function.variables[operand.variable].space == StateSpace::local) return true;
  return std::any_of(operand.elements.begin(), operand.elements.end(),
                     [&](const Operand& element) { return has_differing_source(element, function, scope); });
}

/// Whether its result is the same wherever its sources are.
bool keeps_uniform(const Instruction& instruction, const Function& function, Scope scope) {
  switch (instruction.opcode) {
    case Opcode::ld:
      if (instruction.space != StateSpace::param && instruction.space != StateSpace::constant) return false;
      break;
    case Opcode::activemask:
    case Opcode::addc:  // They read the carry flag, which no register stands for
    case Opcode::subc:
    case Opcode::madc:
    case Opcode::atom:
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::elect:
    case Opcode::ldmatrix:
    case Opcode::ldu:
    case Opcode::match:
    case Opcode::mma:
    case Opcode::movmatrix:
    case Opcode::redux:
    case Opcode::shfl:
    case Opcode::unsupported:
    case Opcode::vote: return false;
    default: break;
  }
  return std::none_of(instruction.operands.begin(), instruction.operands.end(),
                      [&](const Operand& operand) { return has_differing_source(operand, function, scope); });
}

using Bits = std::vector<bool>;

/// By block: registers that are read from its beginning on before they are written.
class LiveRegisters {
 public:
  LiveRegisters(const Function& function, const ControlFlow& flow, const std::vector<RegisterUse>& uses) : live_(flow.blocks.size()) {
    std::vector<Bits> written(flow.blocks.size());
    for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
      live_[b].resize(function.registers.size());
      written[b].resize(function.registers.size());
      for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].end; ++i) {
        for (const std::uint32_t r : uses[i].reads) live_[b][r] = live_[b][r] || !written[b][r];
        if (function.instructions[i].guard.kind == Kind::reg) continue;  // Where it does not hold, what was there is still there
        for (const std::uint32_t r : uses[i].writes) written[b][r] = true;
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = flow.blocks.size(); b-- > 0;) {
        for (const std::uint32_t next : flow.blocks[b].successors) changed = add(live_[next], written[b], live_[b]) || changed;
      }
    }
  }

  [[nodiscard]] bool at_begin(std::uint32_t block, std::uint32_t reg) const { return live_[block][reg]; }

 private:
  static bool add(const Bits& from, const Bits& written, Bits& to) {
    bool changed = false;
    for (std::size_t r = 0; r < from.size(); ++r) {
      if (!from[r] || written[r] || to[r]) continue;
      to[r] = true;
      changed = true;
    }
    return changed;
  }

  std::vector<Bits> live_;
};

class Uniformity {
 public:
  Uniformity(const Function& function, const ControlFlow& flow, Scope scope)
      : function_(function),
        flow_(flow),
        scope_(scope),
        uses_(uses_of(function)),
        live_(function, flow, uses_),
        varies_(function.registers.size()),
        parts_(flow.blocks.size()) {}

  void run() {
    do {
      follow_values();
    } while (find_partings());
  }
  [[nodiscard]] const std::vector<bool>& parts() const { return parts_; }
  [[nodiscard]] const std::vector<bool>& varies() const { return varies_; }

 private:
  static std::vector<RegisterUse> uses_of(const Function& function) {
    std::vector<RegisterUse> uses;
    for (const Instruction& instruction : function.instructions) uses.push_back(register_use(instruction));
    return uses;
  }

  void follow_values() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < uses_.size(); ++i) {
        const bool varies = !keeps_uniform(function_.instructions[i], function_, scope_) ||
                            std::any_of(uses_[i].reads.begin(), uses_[i].reads.end(), [&](std::uint32_t r) { return varies_[r]; });
        if (!varies) continue;
        for (const std::uint32_t r : uses_[i].writes) {
          changed = changed || !varies_[r];
          varies_[r] = true;
        }
      }
    }
  }

  /// Whether there are more of them than before.
  bool find_partings() {
    bool more = false;
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      if (parts_[b] || !may_part(flow_.blocks[b])) continue;
      parts_[b] = more = true;
      spread(flow_.blocks[b]);
    }
    return more;
  }

  [[nodiscard]] bool may_part(const BasicBlock& block) const {
    const Instruction& last = function_.instructions[block.end - 1];
    const bool guard_varies = last.guard.kind == Kind::reg && varies_[static_cast<std::uint32_t>(last.guard.reg)];
    switch (last.opcode) {
      case Opcode::bra:
      case Opcode::ret:
      case Opcode::exit:
      case Opcode::trap: return guard_varies;
      case Opcode::brx_idx: {
        const Operand& index = last.operands[0];
        return guard_varies || (index.kind == Kind::reg && varies_[static_cast<std::uint32_t>(index.reg)]);
      }
      default: return false;
    }
  }

  /// Lanes that part there come to the join with what they wrote on their own ways. Threads of different warps meet, in the same code, wherever ways
  /// do.
  void spread(const BasicBlock& parting) {
    const std::uint32_t join = parting.immediate_post_dominator;
    if (scope_ == Scope::warp && join == kNoBlock) return;
    std::vector<std::uint32_t> meetings;
    std::vector<std::uint32_t> written;
    std::vector<bool> seen(flow_.blocks.size());
    if (join != kNoBlock) {
      seen[join] = true;
      meetings.push_back(join);
    }
    std::vector<std::uint32_t> todo{parting.successors};
    while (!todo.empty()) {
      const std::uint32_t b = todo.back();
      todo.pop_back();
      if (seen[b]) continue;
      seen[b] = true;
      todo.insert(todo.end(), flow_.blocks[b].successors.begin(), flow_.blocks[b].successors.end());
      if (scope_ == Scope::launch && flow_.blocks[b].predecessors.size() > 1) meetings.push_back(b);
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
        written.insert(written.end(), uses_[i].writes.begin(), uses_[i].writes.end());
      }
    }
    for (const std::uint32_t r : written) {
      varies_[r] = varies_[r] || std::any_of(meetings.begin(), meetings.end(), [&](std::uint32_t b) { return live_.at_begin(b, r); });
    }
  }

  const Function& function_;
  const ControlFlow& flow_;
  const Scope scope_;
  const std::vector<RegisterUse> uses_;
  const LiveRegisters live_;
  std::vector<bool> varies_;  ///< By register
  std::vector<bool> parts_;   ///< By block
};

}  // namespace

std::vector<bool> find_partings(const Function& function, const ControlFlow& flow) {
  Uniformity of_warp(function, flow, Scope::warp);
  of_warp.run();
  return of_warp.parts();
}

std::vector<bool> find_launch_constants(const Function& function, const ControlFlow& flow) {
  Uniformity of_launch(function, flow, Scope::launch);
  of_launch.run();
  std::vector<bool> constant = of_launch.varies();
  constant.flip();
  return constant;
}

}  // namespace warplens::ptx
