// Grids counted from a few blocks, against the same grids replayed block by block.
#include "kernels/replay/extrapolate.h"

#include <gtest/gtest.h>

#include "analysis/golden_kernels.h"
#include "app/compiled/as_compiled.h"
#include "app/launch/launch_support.h"
#include "kernels/ptx/parser.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::app {
namespace {

struct Launchable {
  replay::Program program;
  replay::Launch launch;
  replay::Memory memory;
};

Launchable launchable(const KernelDescriptor& kernel, const Problem& problem) {
  const LaunchPlan plan = kernel.plan(problem);
  const auto module = ptx::parse(ladder_ptx(kernel.source_file), kernel.id);
  EXPECT_TRUE(module.ok());
  auto program = replay::Program::decode(*module, module->find_entry(plan.entry)->name);
  EXPECT_TRUE(program.ok());
  Workload workload = make_workload(kernel, problem, plan);
  LaunchResult result = make_memory(workload);
  replay::Launch launch =
      make_launch({plan.grid, plan.block, plan.dynamic_shared_bytes}, workload, result.memory);
  return {*program, std::move(launch), std::move(result.memory)};
}

Problem problem_of(const KernelDescriptor& kernel, std::uint64_t m, std::uint64_t p, std::uint64_t n,
                   std::int64_t value) {
  std::vector<NamedValue> values;
  for (const auto& [name, extent] : {std::pair{"m", m}, std::pair{"p", p}, std::pair{"n", n}}) {
    if (kernel.has_extent(name[0])) values.push_back({name, static_cast<std::int64_t>(extent)});
  }
  if (value != 0) values.push_back({kernel.parameters.front().name, value});
  const Result<Problem> problem = make_problem(kernel, values, kernel.value_types.front());
  EXPECT_TRUE(problem.ok()) << kernel.id;
  return *problem;
}

replay::Options options_of(Dim3 grid) {
  replay::Options options;
  options.pattern_cost = analysis::pattern_cost;
  options.event_blocks = {
      {0, 0, 0}, {grid.x - 1, grid.y - 1, grid.z - 1}, {grid.x / 2, grid.y / 2, grid.z / 2}};
  return options;
}

class Extrapolate : public testing::TestWithParam<std::string> {};

TEST_P(Extrapolate, EqualsTheReplayOfEveryBlock) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  constexpr std::uint64_t kShapes[][3] = {{1, 1, 1},      {33, 65, 129}, {1, 7, 300},
                                          {100, 20, 100}, {300, 1, 280}, {20, 300, 40}};
  for (const auto& [m, p, n] : kShapes) {
    std::vector<std::int64_t> values{0};
    if (!kernel.parameters.empty()) values = kernel.parameters.front().values;
    for (const std::int64_t value : values) {
      SCOPED_TRACE(testing::Message() << m << " x " << p << " x " << n << ", parameter " << value);
      Launchable one = launchable(kernel, problem_of(kernel, m, p, n, value));
      const replay::Options options = options_of(one.launch.grid);
      const auto followed = replay::extrapolate(one.program, one.launch, one.memory, options);
      ASSERT_TRUE(followed.ok()) << followed.error().message();
      ASSERT_TRUE(followed->recording) << followed->obstacle;
      auto replayed = replay::run(one.program, one.launch, one.memory, options);
      ASSERT_TRUE(replayed.ok()) << replayed.error().message();
      replayed->blocks_extrapolated = followed->recording->blocks_extrapolated;
      replayed->seconds = followed->recording->seconds;
      EXPECT_TRUE(*followed->recording == *replayed);
    }
  }
}

TEST_P(Extrapolate, MachineCodeEqualsEveryBlock) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  constexpr std::uint64_t kShapes[][3] = {{1, 1, 1}, {33, 65, 129}, {1, 7, 300}, {100, 100, 100}};
  for (const auto& [m, p, n] : kShapes) {
    LaunchRequest request = launch_of_kernel(kernel.id);
    for (const auto& [name, extent] : {std::pair{"m", m}, std::pair{"p", p}, std::pair{"n", n}}) {
      if (kernel.has_extent(name[0])) request.set(name, static_cast<std::int64_t>(extent));
    }
    const Result<Recording> recording = record(request);
    ASSERT_TRUE(recording.ok());
    std::vector<Dim3> every;
    for (std::uint64_t block = 0; block < recording->grid.count(); ++block)
      every.push_back(index_from_linear(recording->grid, block));
    Recording of_blocks = *recording;  // Of all of them, but it does not say so: each is followed by itself
    ++of_blocks.blocks_total;
    for (const analysis::ComputeCapability cc : {analysis::ComputeCapability{7, 5}, {8, 6}, {9, 0}}) {
      SCOPED_TRACE(testing::Message() << m << " x " << p << " x " << n << " on " << cc.name());
      const AsCompiled whole = as_compiled(*recording, cc), one_by_one = as_compiled(of_blocks, cc, every);
      ASSERT_EQ(whole.why_no_counts, one_by_one.why_no_counts);
      EXPECT_EQ(whole.executed, one_by_one.executed);
      EXPECT_EQ(whole.accesses.shapes, one_by_one.accesses.shapes);
      EXPECT_EQ(whole.accesses.totals, one_by_one.accesses.totals);
    }
  }
}

std::vector<std::string> all_kernels() {
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (ladder_capability(kernel.source_file) < 90)
      ids.push_back(kernel.id);  // Bulk copies are not extrapolated
  }
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Ladder, Extrapolate, testing::ValuesIn(all_kernels()),
                         [](const auto& kernel) { return kernel.param; });

}  // namespace
}  // namespace warplens::app
