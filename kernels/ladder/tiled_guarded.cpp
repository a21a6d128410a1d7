#include "kernels/base/texts.h"
#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

constexpr std::uint32_t kTile = 16;  // As in the .cu file

LaunchPlan plan_tiled_guarded(const Problem& problem) {
  LaunchPlan plan = padded_plan(problem, 1, 1, 1);
  plan.entry = "tiled_guarded";
  plan.block = {kTile, kTile, 1};
  plan.grid = grid_over(problem.n, kTile, problem.m, kTile);
  plan.output = {.rows = kTile, .columns = kTile};
  plan.shared_arrays = {{.name = "as", .rows = kTile, .pitch = kTile},
                        {.name = "bs", .rows = kTile, .pitch = kTile}};
  return plan;
}

const RegisterKernel kTiledGuarded{{.rank = 60,
                                    .id = "tiled_guarded",
                                    .source_file = "tiled_guarded.cu",
                                    .shows = marked("Any size without padding: what lies outside of A and B "
                                                    "counts as 0, and the warps of boundary tiles diverge"),
                                    .extents = product_extents(100),
                                    .plan = plan_tiled_guarded,
                                    .opening = {.line = "as[y][x] =", .min_lanes = true},
                                    .global_loads = {"m p ceil(n / 16) + n p ceil(m / 16)", "16 / 4",
                                                     [](const Problem&, const LaunchPlan& plan) {
                                                       return loads_of_guarded_tiles(plan, kTile);
                                                     }}}};

}  // namespace
}  // namespace warplens
