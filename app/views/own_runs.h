// The runs on a GPU that a window has made, to stand beside formulas and published figures.
#pragma once

#include <vector>

#include "app/views/gpu_model.h"

namespace warplens::app {

/// Every verified run of a product that is still known, of all kernels, the latest kind first: the last
/// single run, the ladder, the sweep.
[[nodiscard]] std::vector<const gpu::RunResult*> own_runs(const GpuModel& gpu);

/// 2 m p n over the kernel's time alone, or over both transfers and the kernel. 0: not measured.
[[nodiscard]] double rate_with(const gpu::RunResult& run, bool transfers);

}  // namespace warplens::app
