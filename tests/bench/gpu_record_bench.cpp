// What recording on the GPU costs: kernel times of a recording over that of the plain launch. Nothing is
// measured where there is no GPU.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/session/loaded.h"
#include "device/problems.h"
#include "kernels/gpu/device.h"
#include "kernels/gpu/record.h"
#include "kernels/gpu/run.h"
#include "kernels/ptx/parser.h"

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
  app::LaunchRequest request = app::launch_of_kernel(kernel, {{"m", extent}, {"p", extent}, {"n", extent}});
  request.engine = app::Engine::gpu;
  const KernelDescriptor& descriptor = *catalog().find(kernel);
  const auto problem = make_problem(descriptor, size, size, size, {}, descriptor.value_types.front());
  if (!plain.ok() || !problem.ok())
    return state.SkipWithError(plain.ok() ? problem.error().message().c_str()
                                          : plain.error().message().c_str());
  request.event_blocks = sixteen_blocks(descriptor.plan(*problem).grid);

  gpu::RecordTimes proved, times;
  const Result<Recording> by_proof = app::record(request, nullptr, &proved);
  if (!by_proof.ok()) return state.SkipWithError(by_proof.error().message().c_str());
  gpu::RecordTimes once;  // The plain kernel, launched as a recording is: once, cold
  app::LaunchRequest without = request;
  without.event_blocks = app::BlockChoice{.all = false, .blocks = {}};
  if (const auto plainly = app::record(without, nullptr, &once); !plainly.ok())
    return state.SkipWithError(plainly.error().message().c_str());
  request.whole_result = true;  // All totals are recorded, whatever can be proved
  for (auto _ : state) {
    times = {};
    const Result<Recording> recording = app::record(request, nullptr, &times);
    if (!recording.ok()) return state.SkipWithError(recording.error().message().c_str());
    state.SetIterationTime(times.totals_ms / 1e3);
  }
  state.counters["plain_ms"] = plain->times.median_ms;
  state.counters["plain_once_ms"] = once.events_ms;
  state.counters["proved_over_once"] = (proved.totals_ms + proved.events_ms) / once.events_ms;
  state.counters["proved_over_plain"] = (proved.totals_ms + proved.events_ms) / plain->times.median_ms;
  state.counters["totals_over_plain"] = times.totals_ms / plain->times.median_ms;
  state.counters["events_over_plain"] = times.events_ms / plain->times.median_ms;
  state.counters["compile_ms"] = times.compile_ms;
}

/// Kernels that call functions, on a grid of many blocks.
void record_calls_on_gpu(benchmark::State& state, const gpu::ProblemToRun& problem) {
  const Result<gpu::ContextPointer> context = gpu::Context::open();
  if (!context.ok()) return state.SkipWithError(context.error().message().c_str());
  const ptx::Module module = *ptx::parse(problem.ptx, "calls.ptx");
  const replay::Program program = *replay::Program::decode(module, problem.entry);
  const replay::Options options{.shared_base = 1024};
  replay::Options with_events = options;
  with_events.event_blocks = sixteen_blocks(problem.launch.grid).blocks;
  gpu::RecordTimes totals, plain, events;
  for (auto _ : state) {
    totals = plain = events = {};
    replay::Memory memory = problem.memory, again = problem.memory, last = problem.memory;
    const Result<Recording> recorded =
        gpu::record(*context, module, program, problem.launch, memory, options, &totals);
    if (!recorded.ok()) return state.SkipWithError(recorded.error().message().c_str());
    const Result<Recording> known =
        gpu::record(*context, module, program, problem.launch, again, options, &plain, &*recorded);
    const Result<Recording> both =
        gpu::record(*context, module, program, problem.launch, last, with_events, &events, &*recorded);
    if (!known.ok() || !both.ok())
      return state.SkipWithError(known.ok() ? both.error().message().c_str()
                                            : known.error().message().c_str());
    state.SetIterationTime(totals.totals_ms / 1e3);
  }
  state.counters["plain_ms"] = plain.events_ms;
  state.counters["totals_over_plain"] = totals.totals_ms / plain.events_ms;
  state.counters["events_over_plain"] = events.events_ms / plain.events_ms;
  state.counters["compile_ms"] = totals.compile_ms;
}

void register_gpu_records() {
  if (!gpu::check_driver().missing.empty()) return;
  for (const std::string name :
       {"weigh_rows", "walk_tree", "take_steps", "find_some", "end_early", "turn_tiles"}) {
    constexpr std::uint32_t kBlocks = 20000;
    benchmark::RegisterBenchmark(("gpu_record/calls/" + name).c_str(),
                                 [name](benchmark::State& state) {
                                   record_calls_on_gpu(state, gpu::kernel_that_calls(name, "sm_75", kBlocks));
                                 })
        ->UseManualTime()
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
  }
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group != KernelGroup::ladder) continue;
    for (const std::uint64_t size : kSizes) {
      const std::string name = "gpu_record/" + kernel.id + "/" + std::to_string(size);
      benchmark::RegisterBenchmark(
          name.c_str(), [id = kernel.id, size](benchmark::State& state) { record_on_gpu(state, id, size); })
          ->UseManualTime()
          ->Iterations(3)
          ->Unit(benchmark::kMillisecond);
    }
  }
}

const int kGpuRecordsRegistered = (register_gpu_records(), 0);

}  // namespace
}  // namespace warplens
