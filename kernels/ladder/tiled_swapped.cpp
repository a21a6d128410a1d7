#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

LaunchPlan plan_tiled_swapped(const Problem& problem) {
  const auto t = static_cast<std::uint32_t>(problem.parameter("T"));
  LaunchPlan plan = square_tile_plan(problem, t);
  plan.entry = fmt::format("tiled_swapped<{}>", t);
  plan.shared_arrays = {{.name = "as", .rows = t, .pitch = t}, {.name = "bs", .rows = t, .pitch = t}};
  return plan;
}

const RegisterKernel kTiledSwapped{{.rank = 90,
                                    .id = "tiled_swapped",
                                    .source_file = "tiled_swapped.cu",
                                    .shows = marked("x and y of the thread swapped: an uncoalesced fill, and "
                                                    "bank conflicts up to 32-way, from one slip"),
                                    .parameters = {block_edge(marked("Tile T"))},
                                    .plan = plan_tiled_swapped,
                                    .global_loads = loads_of_tiles()}};

}  // namespace
}  // namespace warplens
