#include "kernels/base/texts.h"
#include "kernels/ladder/buffered.h"
#include "kernels/ladder/loads.h"

namespace warplens {
namespace {

LaunchPlan plan_buffered_column(const Problem& problem) {
  LaunchPlan plan = plan_buffered(problem, "column", problem.m);
  plan.entry = "buffered_column";
  plan.grid = grid_over(problem.n, 1, 1, 1);
  plan.output = {.rows = problem.m, .columns = 1};
  return plan;
}

const RegisterKernel kBufferedColumn{
    {.rank = 30,
     .id = "buffered_column",
     .source_file = "buffered_column.cu",
     .shows = marked("A block buffers its column of B in shared memory, and loses: the fill, the loads of A "
                     "and the stores are all strided"),
     .plan = plan_buffered_column,
     .global_loads = {"m n p + n p", "m / (2 m + 2)", [](const Problem&, const LaunchPlan& plan) {
                        return multiply_adds(plan) +
                               plan.kernel_n() * plan.kernel_p();  // A for every term; the fill
                      }}}};

}  // namespace
}  // namespace warplens
