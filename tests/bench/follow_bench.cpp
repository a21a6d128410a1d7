// How long a launch of large matrices takes without a GPU, from the request to the recording, with what is verified of it; and its accesses as
// compiled.
#include <benchmark/benchmark.h>

#include <string>

#include "app/session/as_compiled.h"
#include "app/session/launch.h"
#include "kernels/catalog/catalog.h"

namespace warplens {
namespace {

app::LaunchRequest request_of(const std::string& kernel, std::int64_t size) {
  return app::launch_of_rung(kernel, {{"m", size}, {"p", size}, {"n", size}});
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

void register_follows() {
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group != KernelGroup::ladder) continue;
    for (const std::int64_t size : {1024, 4096}) {
      const std::string name = kernel.id + "/" + std::to_string(size);
      const auto add = [&](const std::string& what, auto measure) {
        benchmark::RegisterBenchmark((what + name).c_str(), [measure, id = kernel.id, size](benchmark::State& state) { measure(state, id, size); })
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
      };
      add("launch/", launch);
      add("as_compiled/", compile);
    }
  }
}

const bool kFollowsRegistered = (register_follows(), true);

}  // namespace
}  // namespace warplens
