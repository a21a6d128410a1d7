// How long a recording takes to be written and to be opened: every access of `tiled` at 256 x 256 x 256, and
// of `naive`, which makes most.
#include <benchmark/benchmark.h>

#include <string>

#include "app/session/loaded.h"
#include "kernels/recording/file.h"

namespace warplens {
namespace {

Recording recorded(const char* kernel) {
  app::LaunchRequest request = app::launch_of_kernel(kernel);
  request.event_blocks = app::BlockChoice{};
  return *app::record(request);
}

void open(benchmark::State& state, const char* kernel) {
  const std::vector<std::byte> bytes = encode(recorded(kernel));
  for (auto _ : state) {
    auto recording = decode(bytes);
    benchmark::DoNotOptimize(app::make_loaded(*std::move(recording), {9, 0}, {}));
  }
  state.counters["bytes"] = static_cast<double>(bytes.size());
}

void write(benchmark::State& state, const char* kernel) {
  const Recording recording = recorded(kernel);
  for (auto _ : state) benchmark::DoNotOptimize(encode(recording));
}

BENCHMARK_CAPTURE(open, tiled, "tiled")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(open, naive, "naive")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(write, tiled, "tiled")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace warplens
