#include "kernels/ptx/uniformity.h"

#include <algorithm>
#include <cstdint>

#include "kernels/ptx/liveness.h"
#include "kernels/ptx/opcodes.h"
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
    case SpecialRegister::ctaid_z:
    case SpecialRegister::clusterid_x:
    case SpecialRegister::clusterid_y:
    case SpecialRegister::clusterid_z:
    case SpecialRegister::cluster_ctaid_x:
    case SpecialRegister::cluster_ctaid_y:
    case SpecialRegister::cluster_ctaid_z:
    case SpecialRegister::cluster_ctarank: return scope == Scope::launch;
    case SpecialRegister::none:
    case SpecialRegister::ntid_x:
    case SpecialRegister::ntid_y:
    case SpecialRegister::ntid_z:
    case SpecialRegister::nctaid_x:
    case SpecialRegister::nctaid_y:
    case SpecialRegister::nctaid_z:
    case SpecialRegister::nclusterid_x:
    case SpecialRegister::nclusterid_y:
    case SpecialRegister::nclusterid_z:
    case SpecialRegister::cluster_nctaid_x:
    case SpecialRegister::cluster_nctaid_y:
    case SpecialRegister::cluster_nctaid_z:
    case SpecialRegister::cluster_nctarank:
    case SpecialRegister::gridid:
    case SpecialRegister::dynamic_smem_size:
    case SpecialRegister::total_smem_size:
    case SpecialRegister::reserved_smem_offset_begin:
    case SpecialRegister::reserved_smem_offset_end:
    case SpecialRegister::reserved_smem_offset_cap:
    case SpecialRegister::aggr_smem_size:
    case SpecialRegister::grid_workspace_high:
    case SpecialRegister::grid_workspace_low:
    case SpecialRegister::zero: return false;
    default: return true;
  }
}

bool has_differing_source(const Operand& operand, const Function& function, Scope scope) {
  if (operand.kind == Kind::special && differs(operand.special, scope)) return true;
  if (operand.kind == Kind::variable && function.variables[operand.variable].space == StateSpace::local)
    return true;
  return std::any_of(operand.elements.begin(), operand.elements.end(),
                     [&](const Operand& element) { return has_differing_source(element, function, scope); });
}

/// A function's parameters, and what calls give back, are each lane's own; a kernel's are the launch's.
bool is_passed(const Instruction& instruction, const Function& function) {
  if (effect_of(instruction) == Effect::call) return true;
  if (effect_of(instruction) != Effect::load || instruction.space != StateSpace::param) return false;
  const Operand& address = address_of(instruction);
  const bool of_kernel = address.address_base != Kind::variable ||
                         std::find(function.parameters.begin(), function.parameters.end(),
                                   address.variable) != function.parameters.end();
  return !function.is_entry || !of_kernel;
}

/// Whether its result is the same wherever its sources are.
bool keeps_uniform(const Instruction& instruction, const Function& function, Scope scope) {
  return is_uniform_if_operands_are(instruction) && !is_passed(instruction, function) &&
         std::none_of(instruction.operands.begin(), instruction.operands.end(),
                      [&](const Operand& operand) { return has_differing_source(operand, function, scope); });
}

class Uniformity {
 public:
  Uniformity(const Function& function, const ControlFlow& flow, Scope scope)
      : function_(function),
        flow_(flow),
        scope_(scope),
        uses_(uses_of(function)),
        live_(find_liveness(function, flow, uses_)),
        varies_(function.registers.size()),
        readers_(function.registers.size()),
        parts_(flow.blocks.size()),
        seen_for_(flow.blocks.size(), kNoBlock) {
    for (std::uint32_t i = 0; i < uses_.size(); ++i) {
      for (const std::uint32_t r : uses_[i].reads) readers_[r].push_back(i);
      if (!keeps_uniform(function_.instructions[i], function_, scope_)) vary(uses_[i].writes);
    }
  }

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

  void vary(const std::vector<std::uint32_t>& registers) {
    for (const std::uint32_t r : registers) {
      if (varies_[r]) continue;
      varies_[r] = true;
      varied_.push_back(r);
    }
  }

  void follow_values() {
    while (!varied_.empty()) {
      const std::uint32_t r = varied_.back();
      varied_.pop_back();
      for (const std::uint32_t reader : readers_[r]) vary(uses_[reader].writes);
    }
  }

  /// Where that is not known, everything is.
  [[nodiscard]] bool is_live(std::uint32_t block, std::uint32_t reg) const {
    return !live_.ok() || live_->is_live(block, reg);
  }

  /// Whether there are more of them than before.
  bool find_partings() {
    bool more = false;
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      if (parts_[b] || !may_part(flow_.blocks[b])) continue;
      parts_[b] = more = true;
      spread(b);
    }
    return more;
  }

  [[nodiscard]] bool may_part(const BasicBlock& block) const {
    const Instruction& last = function_.instructions[block.end - 1];
    const bool guard_varies =
        last.guard.kind == Kind::reg && varies_[static_cast<std::uint32_t>(last.guard.reg)];
    if (effect_of(last) != Effect::indexed_branch) return ends_block(last) && guard_varies;
    const Operand& index = last.operands[0];
    return guard_varies || (index.kind == Kind::reg && varies_[static_cast<std::uint32_t>(index.reg)]);
  }

  /// Lanes that part there come to the join with what they wrote on their own ways. Threads of different
  /// warps meet, in the same code, wherever ways do.
  void spread(std::uint32_t block) {
    const BasicBlock& parting = flow_.blocks[block];
    const std::uint32_t join = parting.immediate_post_dominator;
    if (scope_ == Scope::warp && join == kNoBlock) return;
    std::vector<std::uint32_t> meetings;
    std::vector<std::uint32_t> written;
    if (join != kNoBlock) {
      seen_for_[join] = block;
      meetings.push_back(join);
    }
    std::vector<std::uint32_t> todo{parting.successors};
    while (!todo.empty()) {
      const std::uint32_t b = todo.back();
      todo.pop_back();
      if (seen_for_[b] == block) continue;
      seen_for_[b] = block;
      todo.insert(todo.end(), flow_.blocks[b].successors.begin(), flow_.blocks[b].successors.end());
      if (scope_ == Scope::launch && flow_.blocks[b].predecessors.size() > 1) meetings.push_back(b);
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
        written.insert(written.end(), uses_[i].writes.begin(), uses_[i].writes.end());
      }
    }
    for (const std::uint32_t r : written) {
      if (varies_[r]) continue;
      if (std::any_of(meetings.begin(), meetings.end(), [&](std::uint32_t b) { return is_live(b, r); }))
        vary({r});
    }
  }

  const Function& function_;
  const ControlFlow& flow_;
  const Scope scope_;
  const std::vector<RegisterUse> uses_;
  const Result<Liveness> live_;
  std::vector<bool> varies_;           ///< By register
  std::vector<std::uint32_t> varied_;  ///< Registers that vary, and whose readers do not know yet
  std::vector<std::vector<std::uint32_t>> readers_;  ///< By register: instructions
  std::vector<bool> parts_;                          ///< By block
  std::vector<std::uint32_t> seen_for_;  ///< By block: the parting whose ways it was last found on
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
