// What is computed from what: by registers, along all ways through the code.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/module.h"

namespace warplens::replay {

class Dependence {
 public:
  Dependence(const ptx::Function& function, const ptx::ControlFlow& flow);

  /// Registers that may hold what is computed from the results of these instructions, those results among
  /// them; not by way of memory.
  [[nodiscard]] std::vector<bool> registers_from(const std::vector<std::uint32_t>& instructions) const;
  /// Whether an operand of `later`, or a branch that decides whether it is executed, may depend on the result
  /// of `earlier`.
  [[nodiscard]] bool depends(std::uint32_t later, std::uint32_t earlier);

 private:
  [[nodiscard]] const std::vector<bool>& registers_of(std::uint32_t instruction);
  [[nodiscard]] bool is_decided_by(std::uint32_t instruction, const std::vector<bool>& registers) const;

  const ptx::Function& function_;
  const ptx::ControlFlow& flow_;
  std::vector<std::vector<std::uint32_t>> readers_;  ///< By register
  std::map<std::uint32_t, std::vector<bool>> known_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> answers_;
};

}  // namespace warplens::replay
