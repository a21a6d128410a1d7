// Loads that the replay checks and counts together.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/module.h"

namespace warplens::replay {

/// Loads of one straight piece of code from one state space through one register that keeps its value from
/// the first to the last: their addresses differ by constants, and nothing between them waits for other
/// warps. All fetch the same number of bytes a lane, and lie that many apart or a multiple of it.
struct LoadGroupPlan {
  struct Load {
    std::uint32_t instruction = 0;  ///< Index in ptx::Function::instructions
    std::uint32_t above = 0;        ///< Bytes above the lowest load of the group
    std::uint32_t site = 0;
  };
  std::vector<Load> loads;  ///< In the order of instructions; sites are not set by find_load_groups
  bool in_shared = false;   ///< Else in global memory
  int bytes = 4;            ///< A lane: 4, 8 or 16
  std::int64_t lowest = 0;  ///< Constant offset of the lowest
  std::uint32_t span = 0;   ///< Bytes from the lowest to the highest
};

/// Finds the groups of two loads or more.
[[nodiscard]] std::vector<LoadGroupPlan> find_load_groups(const ptx::Function& function,
                                                          const ptx::ControlFlow& flow);

}  // namespace warplens::replay
