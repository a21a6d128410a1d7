// How long a launch of large matrices takes without a GPU, from the request to the recording, with what is
// verified of it; and its accesses as compiled.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

#include "app/compiled/as_compiled.h"
#include "app/launch/launch.h"
#include "app/launch/launch_menus.h"
#include "app/session/loaded.h"
#include "kernels/catalog/catalog.h"

namespace warplens {
namespace {

app::LaunchRequest request_of(const std::string& kernel, std::int64_t size) {
  return app::launch_of_kernel(kernel, {{"m", size}, {"p", size}, {"n", size}});
}

void launch(benchmark::State& state, const std::string& kernel, std::int64_t size) {
  for (auto _ : state) {
    auto recording = app::record(request_of(kernel, size));
    if (!recording.ok()) {
      state.SkipWithError(recording.error().message().c_str());
      return;
    }
    benchmark::DoNotOptimize(recording);
  }
}

void compile(benchmark::State& state, const std::string& kernel, std::int64_t size) {
  const auto recording = app::record(request_of(kernel, size));
  if (!recording.ok()) {
    state.SkipWithError(recording.error().message().c_str());
    return;
  }
  for (auto _ : state) {
    app::AsCompiled compiled = app::as_compiled(*recording, {9, 0});
    if (!compiled.has_counts()) {
      state.SkipWithError(compiled.why_not().c_str());
      return;
    }
    benchmark::DoNotOptimize(compiled);
  }
}

/// Until the window can draw it: the events of one block, and what is left for later left out.
void show(benchmark::State& state, const std::string& kernel, std::int64_t size) {
  app::LaunchRequest request = request_of(kernel, size);
  const auto grid = app::grid_of(request);
  if (!grid.ok()) return state.SkipWithError(grid.error().message().c_str());
  request.event_blocks = app::BlockChoice{.all = false, .blocks = {app::middle_of(*grid)}};
  for (auto _ : state) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    Clock::time_point shown;
    const app::EarlyPicture early{std::chrono::milliseconds(0), [&](const auto&) { shown = Clock::now(); }};
    const auto loaded = app::record_loaded(request, nullptr, app::MachineCode::at_hand, early);
    if (!loaded.ok()) return state.SkipWithError(loaded.error().message().c_str());
    state.SetIterationTime(std::chrono::duration<double>(shown - begin).count());
  }
}

/// The largest of the menu that the kernel takes.
std::int64_t largest_size(const std::string& kernel) {
  for (const std::int64_t size : {16384, 8192}) {
    if (app::check(request_of(kernel, size)).ok()) return size;
  }
  return 4096;
}

void register_follows() {
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group != KernelGroup::ladder) continue;
    const auto add = [&](const std::string& what, std::int64_t size, auto measure) {
      return benchmark::RegisterBenchmark(
                 (what + "/" + kernel.id + "/" + std::to_string(size)).c_str(),
                 [measure, id = kernel.id, size](benchmark::State& state) { measure(state, id, size); })
          ->Unit(benchmark::kMillisecond);
    };
    for (const std::int64_t size : {1024, 4096}) {
      add("launch", size, launch)->UseRealTime();
      add("as_compiled", size, compile)->UseRealTime();
    }
    add("shown", largest_size(kernel.id), show)->UseManualTime();
  }
}

const bool kFollowsRegistered = (register_follows(), true);

}  // namespace
}  // namespace warplens
