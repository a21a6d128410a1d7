// Finds the instructions that may access a register while a wgmma uses it. PTX ISA, "wgmma.wait_group",
// "wgmma.fence".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/module.h"

namespace warplens::replay {

/// What accesses registers of wgmma.
enum class RegisterAccessKind : std::uint8_t {
  ordinary,
  copy,     ///< mov, which compilers add
  spill,    ///< To and from local memory and parameters, which compilers add, too
  product,  ///< wgmma: reads A, if it is in registers, and accumulates in what it writes
  fence     ///< wgmma.fence
};

/// An instruction that is checked when it is executed (WgmmaRegisters). Registers are given by their number
/// in the plan.
struct WgmmaRegisterCheck {
  std::uint32_t instruction = 0;
  RegisterAccessKind kind = RegisterAccessKind::ordinary;
  std::vector<std::uint32_t> reads, writes;
};

struct WgmmaRegisterPlan {
  std::vector<WgmmaRegisterCheck> checks;  ///< By instruction, ascending; empty where nothing can be wrong
  std::vector<std::uint32_t> registers;    ///< By number: the index in Function::registers

  [[nodiscard]] std::optional<std::uint32_t> check_of(std::uint32_t instruction) const;
};

/// `entries`: where the pieces of the function begin, ascending.
[[nodiscard]] WgmmaRegisterPlan plan_wgmma_register_checks(const ptx::Function& function,
                                                           const ptx::ControlFlow& flow,
                                                           const std::vector<std::uint32_t>& entries);

}  // namespace warplens::replay
