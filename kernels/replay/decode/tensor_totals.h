// Which instructions of a kernel multiply matrices on tensor cores, and how often they are executed.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/module.h"
#include "kernels/recording/recording.h"

namespace warplens::replay {

/// Lists the tensor-core instructions in text order, with 0 executions.
[[nodiscard]] std::vector<TensorTotals> list_tensor_instructions(const ptx::Function& function);

/// Returns, by PTX instruction and behind the last one, how many of `listed` stand before it. Empty if none
/// is listed.
[[nodiscard]] std::vector<std::uint32_t> tensor_instructions_before(const std::vector<TensorTotals>& listed,
                                                                    std::size_t instructions);

/// Adds `times` times the executions, indexed as Code::tensor, to recording.tensor.
void add_tensor_executions(Recording& recording, const std::vector<std::uint64_t>& executions,
                           std::uint64_t times = 1);

}  // namespace warplens::replay
