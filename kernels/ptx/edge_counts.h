// How many threads take each guarded branch, from how many execute each basic block: what goes into a block comes out of it.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// Blocks at whose end a guarded branch, ret or exit stands, whose takers do not follow from the counts of blocks: they must be counted themselves.
[[nodiscard]] std::vector<std::uint32_t> blocks_to_measure(const Function& function, const ControlFlow& flow);

/// By block: threads for which the guard of the last instruction held; 0 where none ends it. `threads`: by block, those that executed it. `measured`:
/// by block, read only for blocks_to_measure.
[[nodiscard]] std::vector<std::uint64_t> takers(const Function& function, const ControlFlow& flow, const std::vector<std::uint64_t>& threads,
                                                const std::vector<std::uint64_t>& measured);

}  // namespace warplens::ptx
