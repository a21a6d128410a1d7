#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

constexpr std::uint32_t kBlockEdge = 16;

LaunchPlan plan_register_tile(const Problem& problem) {
  const auto t = static_cast<std::uint32_t>(problem.parameter("T"));
  const std::uint32_t edge = kBlockEdge * t;
  LaunchPlan plan = padded_plan(problem, edge, 1, edge);
  plan.entry = fmt::format("register_tile<{}, {}>", t, value_type_of(problem.value_type).cpp_name);
  plan.block = {kBlockEdge, kBlockEdge, 1};
  plan.grid = grid_over(problem.n, edge, problem.m, edge);
  plan.output = {.rows = edge, .columns = edge};
  return plan;
}

const RegisterKernel kRegisterTile{
    {.rank = 120,
     .id = "register_tile",
     .source_file = "register_tile.cu",
     .shows = marked("T x T elements of C in a thread's registers: loads fall to 1/T, until the sums spill "
                     "to local memory and blocks are too few"),
     .parameters = {{"T", marked("Tile T"), 4, {1, 2, 4, 8, 16, 32, 64}}},
     .value_types = {"f32", "i32"},
     .plan = plan_register_tile,
     .global_loads = loads_of_tiles()}};

}  // namespace
}  // namespace warplens
