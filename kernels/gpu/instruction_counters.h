// Reads what a GPU counts of each instruction of a launch. Private to kernels/gpu.
#pragma once

#include <vector>

#include "kernels/base/result.h"
#include "kernels/gpu/bench.h"
#include "kernels/gpu/cupti.h"
#include "kernels/recording/launch_counters.h"

namespace warplens::gpu {

/// Launches the kernel once, with counting code that CUPTI puts before its accesses. Those that access
/// memory, by offset.
[[nodiscard]] Result<std::vector<InstructionCounters>> count_instructions(const cupti::Api& api, Bench& bench,
                                                                          Progress& progress);

}  // namespace warplens::gpu
