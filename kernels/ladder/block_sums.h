// The task of the two kernels that are wrong on purpose: the sum of each block's elements.
#pragma once

#include "kernels/catalog/workload.h"
#include "kernels/ladder/parameters.h"

namespace warplens {

inline constexpr std::uint32_t kSumThreads = 256;  // As in the .cu files

[[nodiscard]] inline LaunchPlan plan_block_sums(const Problem& problem, const char* entry) {
  LaunchPlan plan;
  plan.entry = entry;
  plan.block = {kSumThreads, 1, 1};
  plan.grid = grid_over(problem.n, kSumThreads, 1, 1);
  plan.a = {1, problem.n, 1, problem.n};
  plan.c = {1, plan.grid.x, 1, plan.grid.x};
  plan.shared_arrays = {{.name = "values", .rows = 1, .pitch = kSumThreads}};
  return plan;
}

[[nodiscard]] inline Workload block_sums_workload(const Problem& problem, const LaunchPlan& plan) {
  const NamedMatrix in{"in", plan.a, integer_matrix(1, problem.n, 1)};
  NamedMatrix sums{"sums", plan.c, std::vector<float>(plan.c.columns)};
  for (std::uint64_t at = 0; at < problem.n; ++at) sums.values[at / kSumThreads] += in.values[at];
  return known_workload(plan, {in}, sums, {static_cast<std::int64_t>(problem.n)});
}

}  // namespace warplens
