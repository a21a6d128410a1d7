#include "kernels/ptx/grid_barrier.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace warplens::ptx {
namespace {

/// Adds those of the functions named by an operand that the module has bodies of.
void add_named(const Module& module, const Operand& operand, std::vector<const Function*>& functions) {
  for (const Operand& element : operand.elements) add_named(module, element, functions);
  if (operand.kind != Operand::Kind::function) return;
  const auto found = std::ranges::find(module.functions, operand.text, &Function::name);
  if (found != module.functions.end()) functions.push_back(&*found);
}

}  // namespace

bool reads_grid_workspace(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.special == SpecialRegister::grid_workspace_high ||
           operand.special == SpecialRegister::grid_workspace_low;
  });
}

bool waits_for_grid(const Module& module, const Function& entry) {
  std::set<const Function*> seen;
  for (std::vector<const Function*> left{&entry}; !left.empty();) {
    const Function* const function = left.back();
    left.pop_back();
    if (!seen.insert(function).second) continue;
    for (const Instruction& instruction : function->instructions) {
      if (reads_grid_workspace(instruction)) return true;
      for (const Operand& operand : instruction.operands) add_named(module, operand, left);
    }
  }
  return false;
}

}  // namespace warplens::ptx
