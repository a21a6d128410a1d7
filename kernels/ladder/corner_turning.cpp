#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

LaunchPlan plan_corner_turning(const Problem& problem) {
  const auto t = static_cast<std::uint32_t>(problem.parameter("T")),
             padding = static_cast<std::uint32_t>(problem.parameter("P"));
  LaunchPlan plan = square_tile_plan(problem, t);
  plan.entry = fmt::format("corner_turning<{}, {}>", t, padding);
  plan.b = {plan.b.columns, plan.b.rows, plan.b.padded_columns, plan.b.padded_rows};
  plan.b_lies_by_columns = true;
  plan.shared_arrays = {{.name = "as", .rows = t, .pitch = t},
                        {.name = "bs", .rows = t, .pitch = t + padding}};
  return plan;
}

const RegisterKernel kCornerTurning{
    {.rank = 230,
     .id = "corner_turning",
     .source_file = "corner_turning.cu",
     .shows = marked("B lies column by column, and both tiles are filled coalesced all the same: the corner "
                     "is turned in shared memory"),
     .group = KernelGroup::demonstrator,
     .parameters = {{"T", marked("Tile T"), 32, {8, 16, 32}}, {"P", marked("Padding P"), 1, {0, 1}}},
     .plan = plan_corner_turning,
     .opening = {.line = "bs[x][y] ="}}};

}  // namespace
}  // namespace warplens
