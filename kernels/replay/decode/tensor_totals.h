// Which instructions of a kernel multiply matrices on tensor cores, and how often they are executed.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/module.h"
#include "kernels/recording/recording.h"

namespace warplens::replay {

/// In the order of the text, not executed yet.
[[nodiscard]] std::vector<TensorTotals> list_tensor_instructions(const ptx::Function& function);

/// By PTX instruction, and behind the last one: how many of `listed` stand before it. Empty if none is
/// listed.
[[nodiscard]] std::vector<std::uint32_t> tensor_instructions_before(const std::vector<TensorTotals>& listed,
                                                                    std::size_t instructions);

/// Adds executions by warps, as they are listed.
void add_tensor_executions(Recording& recording, const std::vector<std::uint64_t>& executions,
                           std::uint64_t times = 1);

}  // namespace warplens::replay
