#include "kernels/ladder/block_tile.h"

#include "kernels/base/texts.h"

namespace warplens {
namespace {

const RegisterKernel kVectorLoad{
    {.rank = 170,
     .id = "vector_load",
     .source_file = "vector_load.cu",
     .shows = marked("Loads and stores of 16 bytes, A's tile transposed for them: a quarter of the "
                     "instructions that access memory"),
     .plan = [](const Problem& problem) { return plan_transposed_block_tile(problem, "vector_load"); },
     .opening = {.line = "&bs[term]"},
     .global_loads = loads_of_block_tiles()}};

}  // namespace
}  // namespace warplens
