#include <algorithm>
#include <functional>

#include "kernels/base/texts.h"
#include "kernels/catalog/workload.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

LaunchPlan plan_vector_add(const Problem& problem) {
  const auto threads = static_cast<std::uint32_t>(problem.parameter("block"));
  LaunchPlan plan;
  plan.entry = "vector_add";
  plan.block = {threads, 1, 1};
  plan.grid = grid_over(problem.n, threads, 1, 1);
  plan.a = plan.b = plan.c = {1, problem.n, 1, problem.n};
  plan.output = {.rows = 1, .columns = threads};
  return plan;
}

Workload vector_add_workload(const Problem& problem, const LaunchPlan& plan) {
  const NamedMatrix a{"a", plan.a, integer_matrix(1, problem.n, 1)},
      b{"b", plan.b, integer_matrix(1, problem.n, 2)};
  NamedMatrix sum{"c", plan.c, a.values};
  std::transform(a.values.begin(), a.values.end(), b.values.begin(), sum.values.begin(), std::plus<>());
  return known_workload(plan, {a, b}, sum, {static_cast<std::int64_t>(problem.n)});
}

const RegisterKernel kVectorAdd{
    {.rank = 210,
     .id = "vector_add",
     .source_file = "vector_add.cu",
     .shows = marked("c = a + b: the guard at the end, and the one warp of 32 that diverges at it"),
     .group = KernelGroup::demonstrator,
     .extents = {{.name = 'n', .label = marked("Elements"), .default_value = 1000}},
     .parameters = {{"block", marked("Block"), 256, {32, 64, 128, 256, 512, 1024}}},
     .plan = plan_vector_add,
     .workload = vector_add_workload,
     .opening = {.min_lanes = true}}};

}  // namespace
}  // namespace warplens
