#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ladder/tensor_tile.h"

namespace warplens {
namespace {

// As in the .cu file.
constexpr std::uint32_t kFragmentEdge = 16;
constexpr TensorTile kWmmaNaiveTile{
    .m = 4 * kFragmentEdge, .n = kFragmentEdge, .k = kFragmentEdge, .threads = 128};

LaunchPlan plan_wmma_naive(const Problem& problem) {
  const std::string value = value_type_of(problem.value_type).cpp_name;
  const std::string arguments = problem.value_type == "tf32" ? value + ", nvcuda::wmma::precision::tf32, 8"
                                                             : fmt::format("{0}, {0}, 16", value);
  return plan_tensor_tile(problem, "wmma_naive<" + arguments + ">", kWmmaNaiveTile);
}

const RegisterKernel kWmmaNaive{
    {.rank = 202,
     .id = "wmma_naive",
     .source_file = "wmma_naive.cu",
     .shows = marked("Tensor cores by the C++ API: a warp multiplies fragments of 16 x 16 elements, which it "
                     "loads straight from global memory"),
     .value_types = {"f16", "bf16", "tf32"},
     .plan = plan_wmma_naive,
     .opening = {.line = "load_matrix_sync(b"},
     .global_loads = {"m n p / 8", "8, tf32 4", [](const Problem&, const LaunchPlan& plan) {
                        return 2 * multiply_adds(plan) / kFragmentEdge;
                      }}}};

}  // namespace
}  // namespace warplens
