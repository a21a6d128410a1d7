#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

constexpr std::uint32_t kTileOfA = 16;  // As in the .cu file

LaunchPlan plan_tiled_shared_a(const Problem& problem) {
  LaunchPlan plan = square_tile_plan(problem, kTileOfA);
  plan.entry = fmt::format("tiled_shared_a<{}>", value_type_of(problem.value_type).cpp_name);
  plan.shared_arrays = {{.name = "as",
                         .element_bytes = problem.value_type == "f64" ? 8u : 4u,
                         .rows = kTileOfA,
                         .pitch = kTileOfA}};
  return plan;
}

const RegisterKernel kTiledSharedA{
    {.rank = 100,
     .id = "tiled_shared_a",
     .source_file = "tiled_shared_a.cu",
     .shows = marked("Only A's tile in shared memory: half the remedy, for B is still loaded for every term; "
                     "with double, twice the sectors"),
     .value_types = {"f32", "f64"},
     .plan = plan_tiled_shared_a,
     .global_loads = {
         "m n p / 16 + m n p", "8 / 17, double 4 / 17", [](const Problem&, const LaunchPlan& plan) {
           return multiply_adds(plan) / kTileOfA + multiply_adds(plan);  // A by tiles; B for every term
         }}}};

}  // namespace
}  // namespace warplens
