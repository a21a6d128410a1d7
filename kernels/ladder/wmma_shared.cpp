#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ladder/tensor_tile.h"

namespace warplens {
namespace {

// As in the .cu file.
constexpr TensorTile kWmmaSharedTile{.m = 128, .n = 128, .k = 64, .threads = 256};
constexpr std::uint32_t kWmmaSharedPadding = 8;

LaunchPlan plan_wmma_shared(const Problem& problem) {
  LaunchPlan plan = plan_tensor_tile(
      problem, fmt::format("wmma_shared<{}>", value_type_of(problem.value_type).cpp_name), kWmmaSharedTile);
  plan.shared_arrays = tensor_tiles_in_shared(kWmmaSharedTile, kWmmaSharedPadding);
  return plan;
}

const RegisterKernel kWmmaShared{
    {.rank = 203,
     .id = "wmma_shared",
     .source_file = "wmma_shared.cu",
     .shows = marked("Fragments from padded tiles in shared memory: a value from global memory serves 128 "
                     "terms, a fragment 2 or 4 products"),
     .value_types = {"f16", "bf16"},
     .plan = plan_wmma_shared,
     .opening = {.line = "load_matrix_sync(fragment"},
     .global_loads = loads_of_tensor_tiles()}};

}  // namespace
}  // namespace warplens
