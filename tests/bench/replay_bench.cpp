// The replay's rate in PTX warp instructions a second, every check and count on: the ladder's kernels at 256
// x 256 x 256. With events, every access of every block is kept too, as in the window.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <thread>

#include "app/session/loaded.h"
#include "kernels/replay/replay.h"

namespace warplens {
namespace {

void replay_kernel(benchmark::State& state, const std::string& kernel,
                   const std::vector<NamedValue>& parameters, bool events, unsigned threads) {
  app::LaunchRequest request = app::launch_of_kernel(kernel, parameters);
  request.threads = threads;
  if (events) request.event_blocks = app::BlockChoice{};
  std::uint64_t instructions = 0;
  double seconds = 0;
  for (auto _ : state) {
    const auto recording = app::record(request);
    if (!recording) {
      state.SkipWithError(recording.error().message().c_str());
      return;
    }
    instructions += recording->warp_instructions;
    seconds += recording->seconds;
    state.SetIterationTime(
        recording->seconds);  // without the reference product and the set-up of the matrices
  }
  state.counters["warp_instructions_per_second"] = static_cast<double>(instructions) / seconds;
  state.SetLabel(replay::instruction_set());
}

void register_replays() {
  struct Case {
    const char* name;
    const char* kernel;
    std::vector<NamedValue> parameters;
    bool events = false;
  };
  const Case cases[] = {
      {"tiled_32", "tiled", {{"T", 32}}},
      {"tiled_16", "tiled", {{"T", 16}}},
      {"tiled_8", "tiled", {{"T", 8}}},
      {"tiled_32_events", "tiled", {{"T", 32}}, true},
      {"naive", "naive", {}},
      {"naive_uncoalesced", "naive_uncoalesced", {}},
      {"volkov_transposed", "volkov_transposed", {}},
      {"volkov_padded", "volkov_padded", {}},
  };
  for (const Case& c : cases) {
    for (const unsigned threads : {1u, std::max(1u, std::thread::hardware_concurrency())}) {
      const std::string name = "replay/" + std::string(c.name) + "/threads:" + std::to_string(threads);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [c, threads](benchmark::State& state) {
                                     replay_kernel(state, c.kernel, c.parameters, c.events, threads);
                                   })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

const int kReplaysRegistered = (register_replays(), 0);

}  // namespace
}  // namespace warplens
