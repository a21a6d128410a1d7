#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

constexpr std::uint32_t kElements = 4;  // As in the .cu file

LaunchPlan plan_tiled_unroll4(const Problem& problem) {
  const auto t = static_cast<std::uint32_t>(problem.parameter("T"));
  LaunchPlan plan = square_tile_plan(problem, t);
  plan.entry = fmt::format("tiled_unroll4<{}>", t);
  plan.block = {t, t / kElements, 1};
  plan.shared_arrays = {{.name = "as", .rows = t, .pitch = t}, {.name = "bs", .rows = t, .pitch = t}};
  return plan;
}

const RegisterKernel kTiledUnroll4{
    {.rank = 110,
     .id = "tiled_unroll4",
     .source_file = "tiled_unroll4.cu",
     .shows = marked("Four elements of C a thread: a value of B's tile is read once and used four times, 5 "
                     "shared reads for 4 multiply-adds"),
     .parameters = {{"T", marked("Tile T"), 32, {4, 8, 16, 32}}},
     .plan = plan_tiled_unroll4,
     .global_loads = loads_of_tiles()}};

}  // namespace
}  // namespace warplens
