#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

LaunchPlan plan_tiled(const Problem& problem) {
  const auto t = static_cast<std::uint32_t>(problem.parameter("T"));
  LaunchPlan plan = square_tile_plan(problem, t);
  plan.entry = fmt::format("tiled<{}>", t);
  plan.shared_arrays = {{.name = "as", .rows = t, .pitch = t}, {.name = "bs", .rows = t, .pitch = t}};
  return plan;
}

const RegisterKernel kTiled{{.rank = 80,
                             .id = "tiled",
                             .source_file = "tiled.cu",
                             .shows = marked("Tiles of A and B in shared memory: each value loaded is used T "
                                             "times, so global loads fall to 1/T of those of naive"),
                             .parameters = {block_edge(marked("Tile T"))},
                             .plan = plan_tiled,
                             .global_loads = loads_of_tiles()}};

}  // namespace
}  // namespace warplens
