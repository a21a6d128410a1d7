#include "kernels/base/texts.h"
#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

LaunchPlan plan_tiled_padded(const Problem& problem) {
  const auto t = static_cast<std::uint32_t>(problem.parameter("T"));
  LaunchPlan plan = square_tile_plan(problem, t);
  plan.entry = "tiled_padded";
  plan.dynamic_shared_bytes = 2 * t * t * sizeof(float);
  plan.shared_arrays = {{.name = "tiles", .rows = 2 * t, .pitch = t}};
  return plan;
}

const RegisterKernel kTiledPadded{
    {.rank = 70,
     .id = "tiled_padded",
     .source_file = "tiled_padded.cu",
     .shows = marked("tiled_dynamic without its guards, on matrices padded to whole tiles: the cost of the "
                     "interior alone"),
     .parameters = {{"T", marked("Tile T"), 32, {1, 2, 4, 8, 12, 16, 20, 24, 32}}},
     .plan = plan_tiled_padded,
     .global_loads = loads_of_tiles()}};

}  // namespace
}  // namespace warplens
