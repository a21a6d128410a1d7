// Reads a GPU's own counters of a launch, through CUPTI.
#pragma once

#include "kernels/base/result.h"
#include "kernels/gpu/run.h"
#include "kernels/recording/launch_counters.h"

namespace warplens::gpu {

/// Launches the kernel once for each group of counters that the GPU can count at a time, and once for those
/// of each instruction; L2 is filled with other data before each. Blocking. Times measured afterwards in the
/// same process are not to be trusted: the profiler stays in it.
[[nodiscard]] Result<LaunchCounters> count_launch(const RunRequest& request, Progress* progress = nullptr);

}  // namespace warplens::gpu
