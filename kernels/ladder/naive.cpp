#include "kernels/base/texts.h"
#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

LaunchPlan plan_naive(const Problem& problem) {
  const auto t = static_cast<std::uint32_t>(problem.parameter("T"));
  LaunchPlan plan = padded_plan(problem, 1, 1, 1);
  plan.entry = "naive";
  plan.block = {t, t, 1};
  plan.grid = grid_over(problem.n, t, problem.m, t);
  plan.output = {.rows = t, .columns = t};
  return plan;
}

const RegisterKernel kNaive{{.rank = 10,
                             .id = "naive",
                             .source_file = "naive.cu",
                             .shows = marked("A is broadcast (1 sector per request) and B is coalesced (4 "
                                             "sectors), but every element of C takes 2 p loads"),
                             .parameters = {block_edge(marked("Block T × T"))},
                             .plan = plan_naive,
                             .global_loads = loads_of_every_operand()}};

}  // namespace
}  // namespace warplens
