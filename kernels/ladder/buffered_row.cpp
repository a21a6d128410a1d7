#include "kernels/base/texts.h"
#include "kernels/ladder/buffered.h"
#include "kernels/ladder/loads.h"

namespace warplens {
namespace {

LaunchPlan plan_buffered_row(const Problem& problem) {
  LaunchPlan plan = plan_buffered(problem, "buffer", problem.n);
  plan.entry = "buffered_row";
  plan.grid = grid_over(problem.m, 1, 1, 1);
  plan.output = {.rows = 1, .columns = problem.n, .x_along_rows = true};
  return plan;
}

const RegisterKernel kBufferedRow{
    {.rank = 40,
     .id = "buffered_row",
     .source_file = "buffered_row.cu",
     .shows = marked("A block buffers its row of A in shared memory, all coalesced: half of naive's global "
                     "loads, 2x at most"),
     .plan = plan_buffered_row,
     .global_loads = {"m n p + m p", "n / (2 n + 2)", [](const Problem&, const LaunchPlan& plan) {
                        return multiply_adds(plan) +
                               plan.kernel_m() * plan.kernel_p();  // B for every term; the fill
                      }}}};

}  // namespace
}  // namespace warplens
