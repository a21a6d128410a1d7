#include "kernels/base/texts.h"
#include "kernels/ladder/tensor_tile.h"

namespace warplens {
namespace {

const RegisterKernel kMmaPlain{
    {.rank = 204,
     .id = "mma_plain",
     .source_file = "mma_plain.cu",
     .shows =
         marked("Tensor cores by ldmatrix and mma: the 8 rows of a matrix in a plain tile lie on the same "
                "banks, 8 wavefronts instead of one"),
     .value_types = {"f16", "bf16"},
     .plan = [](const Problem& problem) { return plan_mma_tile(problem, "mma_plain"); },
     .opening = {.line = "shared(&as["},
     .global_loads = loads_of_tensor_tiles()}};

}  // namespace
}  // namespace warplens
