// What recording on the GPU costs in warp instructions of PTX, over the plain kernel's: counted by the
// replay, the same on every machine. One block of the middle of a 1024 x 1024 x 1024 product; and one of
// kernels that call functions.
#include <benchmark/benchmark.h>

#include "device/linked_recorder.h"
#include "device/problems.h"
#include "kernels/ptx/parser.h"

namespace warplens::gpu {
namespace {

void count_instructions(benchmark::State& state, const ProblemToRun& problem) {
  const Result<ptx::Module> module = ptx::parse(problem.ptx, "kernel.ptx");
  const Result<replay::Program> program = replay::Program::decode(*module, problem.entry);
  const Dim3 block = index_from_linear(problem.launch.grid, problem.launch.grid.count() / 2);
  const replay::Options options{.replay_blocks = {{block}}, .event_blocks = {block}, .threads = 1};
  replay::Memory memory = problem.memory;
  const Result<Recording> plain = replay::run(*program, problem.launch, memory, options);
  if (!plain.ok()) return state.SkipWithError(plain.error().message().c_str());
  RecordCosts costs;
  for (auto _ : state) {
    const Result<Recording> recorded =
        record_in_replay(*module, *program, problem.launch, problem.memory, options, true, &costs);
    if (!recorded.ok()) return state.SkipWithError(recorded.error().message().c_str());
  }
  state.counters["totals_over_plain"] =
      static_cast<double>(costs.totals) / static_cast<double>(plain->warp_instructions);
  state.counters["events_over_plain"] =
      static_cast<double>(costs.events) / static_cast<double>(plain->warp_instructions);
}

const int kRegistered = [] {
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group != KernelGroup::ladder || kernel.fault) continue;
    constexpr std::uint64_t kSize = 1024;
    benchmark::RegisterBenchmark(("recorder_cost/" + kernel.id).c_str(),
                                 [&kernel](benchmark::State& state) {
                                   count_instructions(state, problem_of(kernel, kSize, kSize, kSize));
                                 })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  for (const std::string name :
       {"weigh_rows", "walk_tree", "take_steps", "find_some", "end_early", "turn_tiles", "keep_list"}) {
    benchmark::RegisterBenchmark(
        ("recorder_cost/calls/" + name).c_str(),
        [name](benchmark::State& state) { count_instructions(state, kernel_that_calls(name, "sm_75")); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  return 0;
}();

}  // namespace
}  // namespace warplens::gpu
