#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/module.h"

namespace warplens::ptx {

inline constexpr std::uint32_t kNoBlock = 0xffffffffu;

struct BasicBlock {
  std::uint32_t first = 0, end = 0;  ///< Instructions [first, end)
  /// Blocks without repeats. A guarded branch, ret, exit or trap has the next block among them.
  std::vector<std::uint32_t> successors, predecessors;
  bool is_bare_exit = false;  ///< Only a ret, exit or trap, or only a branch to such a block: where lanes do
                              ///< nothing but leave
  bool leaves = false;  ///< Control may leave the function at its end: ret, exit, trap, guarded or not, or a
                        ///< call from which some do not come back
  /// Where lanes that part at this block's end meet again: the first block that every path from here to the
  /// exit passes; kNoBlock: the exit itself. Lanes that leave meet nobody, so three kinds of paths do not
  /// count or are added:
  ///   - a guarded ret, exit or trap does not count as a way out;
  ///   - nor does an edge to a bare exit, if another edge leads forward to elsewhere;
  ///   - where no way out is left, control is taken to leave at the first block of the cycle, so that every
  ///   block has a path to the exit.
  std::uint32_t immediate_post_dominator = kNoBlock;
  /// Header of the innermost natural loop that holds this block: itself for a header. An irreducible cycle,
  /// entered at several blocks, is no natural loop. kNoBlock outside any.
  std::uint32_t loop_header = kNoBlock;
  std::uint32_t loop_depth = 0;  ///< 0 outside any loop
};

struct ControlFlow {
  std::vector<BasicBlock> blocks;              ///< In instruction order; block 0 is the entry
  std::vector<std::uint32_t> block_of;         ///< By instruction
  std::vector<std::uint32_t> outermost_loops;  ///< Header blocks of the loops of depth 1
};

struct Graph;
[[nodiscard]] Graph graph_of(const ControlFlow& flow);

/// Analyses the control flow in time O(n log n). Blocks that cannot be reached from the entry are there too,
/// in no loop.
[[nodiscard]] ControlFlow analyse_control_flow(const Function& function);

}  // namespace warplens::ptx
