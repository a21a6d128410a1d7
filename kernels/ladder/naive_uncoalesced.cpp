#include "kernels/base/texts.h"
#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

LaunchPlan plan_naive_uncoalesced(const Problem& problem) {
  const auto t = static_cast<std::uint32_t>(problem.parameter("T"));
  LaunchPlan plan = padded_plan(problem, 1, 1, 1);
  plan.entry = "naive_uncoalesced";
  plan.block = {t, t, 1};
  plan.grid = grid_over(problem.m, t, problem.n, t);
  plan.output = {.rows = t, .columns = t, .x_along_rows = true};
  return plan;
}

const RegisterKernel kNaiveUncoalesced{
    {.rank = 20,
     .id = "naive_uncoalesced",
     .source_file = "naive_uncoalesced.cu",
     .shows = marked(
         "Each lane stands in another row: loads of A and stores of C touch up to 32 sectors per request"),
     .parameters = {block_edge(marked("Block T × T"))},
     .plan = plan_naive_uncoalesced,
     .global_loads = loads_of_every_operand()}};

}  // namespace
}  // namespace warplens
