// How many threads take each guarded branch, from how many execute each basic block: what goes into a block
// comes out of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

inline constexpr std::array<std::uint32_t, 1> kFirstBlock{0};

/// Blocks at whose end a guarded branch, ret or exit stands, whose takers do not follow from the counts of
/// blocks: they must be counted themselves. `entries`: blocks where threads come in from elsewhere: the
/// first, and of a kernel with the functions that it calls each one's.
[[nodiscard]] std::vector<std::uint32_t> blocks_to_measure(
    const Function& function, const ControlFlow& flow, std::span<const std::uint32_t> entries = kFirstBlock);

/// Returns, by block, the threads for which the guard of the last instruction held; 0 where none ends it.
/// `threads`: by block, those that executed it. `measured`: by block, read only for blocks_to_measure.
[[nodiscard]] std::vector<std::uint64_t> takers(const Function& function, const ControlFlow& flow,
                                                const std::vector<std::uint64_t>& threads,
                                                const std::vector<std::uint64_t>& measured,
                                                std::span<const std::uint32_t> entries = kFirstBlock);

}  // namespace warplens::ptx
