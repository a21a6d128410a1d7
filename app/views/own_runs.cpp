#include "app/views/own_runs.h"

namespace warplens::app {

std::vector<const gpu::RunResult*> own_runs(const GpuModel& gpu) {
  std::vector<const gpu::RunResult*> runs;
  const auto add = [&](const gpu::RunResult& run) {
    if (run.verified && run.gflops > 0) runs.push_back(&run);
  };
  if (gpu.last_run) add(*gpu.last_run);
  for (const gpu::RunResult& run : gpu.ladder.results) add(run);
  for (const Sweep::Point& point : gpu.sweep.points) add(point.result);
  return runs;
}

double rate_with(const gpu::RunResult& run, bool transfers) {
  if (!transfers) return run.gflops;
  if (run.total_ms <= 0) return 0;
  return 2.0 * static_cast<double>(run.m) * static_cast<double>(run.p) * static_cast<double>(run.n) /
         run.total_ms * 1e-6;
}

}  // namespace warplens::app
