// What recording on the GPU costs: kernel times of a recording over that of the plain launch. Nothing is measured where there is no GPU.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/session/loaded.h"
#include "kernels/gpu/device.h"
#include "kernels/gpu/run.h"

namespace warplens {
namespace {

constexpr std::uint64_t kSizes[] = {1024, 4096};

/// Sixteen blocks in the middle of the grid.
app::BlockChoice sixteen_blocks(Dim3 grid) {
  app::BlockChoice choice{.all = false, .blocks = {}};
  const std::uint64_t count = std::min<std::uint64_t>(grid.count(), 16), first = (grid.count() - count) / 2;
  for (std::uint64_t b = first; b < first + count; ++b) choice.blocks.push_back(index_from_linear(grid, b));
  return choice;
}

void record_on_gpu(benchmark::State& state, const std::string& kernel, std::uint64_t size) {
  const auto plain = gpu::run({.kernel = kernel, .m = size, .p = size, .n = size});
  const auto extent = static_cast<std::int64_t>(size);
  app::LaunchRequest request = app::launch_of_rung(kernel, {{"m", extent}, {"p", extent}, {"n", extent}});
  request.engine = app::Engine::gpu;
  const KernelDescriptor& descriptor = *catalog().find(kernel);
  const auto problem = make_problem(descriptor, size, size, size, {}, descriptor.value_types.front());
  if (!plain.ok() || !problem.ok()) return state.SkipWithError(plain.ok() ? problem.error().message().c_str() : plain.error().message().c_str());
  request.event_blocks = sixteen_blocks(descriptor.plan(*problem).grid);

  gpu::RecordTimes proved, times;
  const Result<Recording> by_proof = app::record(request, nullptr, &proved);
  if (!by_proof.ok()) return state.SkipWithError(by_proof.error().message().c_str());
  request.whole_result = true;  // All totals are recorded, whatever can be proved
  for (auto _ : state) {
    times = {};
    const Result<Recording> recording = app::record(request, nullptr, &times);
    if (!recording.ok()) return state.SkipWithError(recording.error().message().c_str());
    state.SetIterationTime(times.totals_ms / 1e3);
  }
  state.counters["plain_ms"] = plain->times.median_ms;
  state.counters["proved_over_plain"] = (proved.totals_ms + proved.events_ms) / plain->times.median_ms;
  state.counters["totals_over_plain"] = times.totals_ms / plain->times.median_ms;
  state.counters["events_over_plain"] = times.events_ms / plain->times.median_ms;
  state.counters["compile_ms"] = times.compile_ms;
}

void register_all() {
  if (!gpu::check_driver().missing.empty()) return;
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group != KernelGroup::ladder) continue;
    for (const std::uint64_t size : kSizes) {
      const std::string name = "gpu_record/" + kernel.id + "/" + std::to_string(size);
      benchmark::RegisterBenchmark(name.c_str(), [id = kernel.id, size](benchmark::State& state) { record_on_gpu(state, id, size); })
          ->UseManualTime()
          ->Iterations(3)
          ->Unit(benchmark::kMillisecond);
    }
  }
}

const int kRegistered = (register_all(), 0);

}  // namespace
}  // namespace warplens
