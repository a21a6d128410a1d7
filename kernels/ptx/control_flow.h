#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/module.h"

namespace warplens::ptx {

inline constexpr std::uint32_t kNoBlock = 0xffffffffu;

struct BasicBlock {
  std::uint32_t first = 0, end = 0;  ///< Instructions [first, end)
  std::vector<std::uint32_t> successors, predecessors;
  std::uint32_t immediate_post_dominator = kNoBlock;  ///< kNoBlock: the function's exit
  std::uint32_t loop_header = kNoBlock;               ///< Header of the innermost natural loop that holds this block
  std::uint32_t loop_depth = 0;                       ///< 0 outside any loop
};

struct ControlFlow {
  std::vector<BasicBlock> blocks;              ///< In instruction order; block 0 is the entry
  std::vector<std::uint32_t> block_of;         ///< By instruction
  std::vector<std::uint32_t> outermost_loops;  ///< Header blocks of the loops of depth 1
};

[[nodiscard]] ControlFlow analyse_control_flow(const Function& function);

}  // namespace warplens::ptx
