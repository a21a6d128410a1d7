#include "kernels/base/texts.h"
#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

#include <algorithm>

namespace warplens {
namespace {

// Grid 0: as many blocks as C has tiles.
LaunchPlan plan_tiled_dynamic(const Problem& problem) {
  const auto t = static_cast<std::uint32_t>(problem.parameter("T"));
  const auto blocks = static_cast<std::uint32_t>(problem.parameter("grid"));
  LaunchPlan plan = padded_plan(problem, 1, 1, 1);
  plan.entry = "tiled_dynamic";
  plan.block = {t, t, 1};
  plan.grid = grid_over(problem.n, t, problem.m, t);
  if (blocks != 0) plan.grid = {std::min(plan.grid.x, blocks), std::min(plan.grid.y, blocks), 1};
  plan.dynamic_shared_bytes = 2 * t * t * sizeof(float);
  plan.output = {.rows = t, .columns = t};
  plan.shared_arrays = {{.name = "tiles", .rows = 2 * t, .pitch = t}};
  return plan;
}

const RegisterKernel kTiledDynamic{
    {.rank = 50,
     .id = "tiled_dynamic",
     .source_file = "tiled_dynamic.cu",
     .shows = marked("A tile of any edge, known only when launched: guards at every load and address "
                     "arithmetic in the inner loop eat the gain"),
     .parameters = {{"T", marked("Tile T"), 32, {1, 2, 4, 8, 12, 16, 20, 24, 32}},
                    {"grid", marked("Grid at most"), 0, {0, 1, 2, 3, 4, 8, 16}}},
     .plan = plan_tiled_dynamic,
     .global_loads = {
         "m p ceil(n / T) + n p ceil(m / T)", "T / 4", [](const Problem& problem, const LaunchPlan& plan) {
           return loads_of_guarded_tiles(plan, static_cast<std::uint64_t>(problem.parameter("T")));
         }}}};

}  // namespace
}  // namespace warplens
