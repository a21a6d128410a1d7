#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ladder/tensor_tile.h"

namespace warplens {
namespace {

// As in the .cu file.
constexpr TensorTile kPipelinedTile{.m = 128, .n = 256, .k = 32, .threads = 256};
constexpr std::uint32_t kPipelinedBytes = 2, kPipelinedPitch = 64;  // 64 elements of 2 bytes span all banks

LaunchPlan plan_mma_pipelined(const Problem& problem) {
  const auto stages = static_cast<std::uint32_t>(problem.parameter("S"));
  LaunchPlan plan = plan_tensor_tile(
      problem, fmt::format("mma_pipelined<{}, {}>", value_type_of(problem.value_type).cpp_name, stages),
      kPipelinedTile);
  const std::uint32_t elements = stages * (kPipelinedTile.m + kPipelinedTile.n) * kPipelinedTile.k;
  plan.dynamic_shared_bytes = elements * kPipelinedBytes;
  plan.shared_arrays = {{.name = "stages",
                         .element_bytes = kPipelinedBytes,
                         .rows = elements / kPipelinedPitch,
                         .pitch = kPipelinedPitch}};
  return plan;
}

const RegisterKernel kMmaPipelined{
    {.rank = 206,
     .id = "mma_pipelined",
     .source_file = "mma_pipelined.cu",
     .shows =
         marked("Asynchronous copies into S stages, 64 x 64 elements of C a warp, and fragments loaded one "
                "step ahead: tensor cores need not wait"),
     .parameters = {{"S", marked("Stages S"), 4, {3, 4}}},
     .value_types = {"f16", "bf16"},
     .plan = plan_mma_pipelined,
     .opening = {.line = "stage].b[b_row][b_col]"},
     .global_loads = {"3 m n p / 256", "256 / 3", [](const Problem&, const LaunchPlan& plan) {
                        return multiply_adds(plan) / kPipelinedTile.m +
                               multiply_adds(plan) / kPipelinedTile.n;
                      }}}};

}  // namespace
}  // namespace warplens
