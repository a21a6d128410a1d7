#include "kernels/base/texts.h"
#include "kernels/ladder/tensor_tile.h"

namespace warplens {
namespace {

const RegisterKernel kMmaSwizzled{
    {.rank = 205,
     .id = "mma_swizzled",
     .source_file = "mma_swizzled.cu",
     .shows = marked(
         "The same with an XOR of the column with the row: the 8 rows of a matrix lie on all 32 banks, "
         "one wavefront each"),
     .value_types = {"f16", "bf16"},
     .plan = [](const Problem& problem) { return plan_mma_tile(problem, "mma_swizzled"); },
     .opening = {.line = "shared(&as["},
     .global_loads = loads_of_tensor_tiles()}};

}  // namespace
}  // namespace warplens
