#include "kernels/ladder/block_tile.h"

#include "kernels/base/texts.h"

namespace warplens {
namespace {

const RegisterKernel kRegisterBlock{
    {.rank = 160,
     .id = "register_block",
     .source_file = "register_block.cu",
     .shows = marked("8 x 8 elements of C a thread out of tiles in shared memory: 16 shared reads for "
                     "64 multiply-adds"),
     .plan =
         [](const Problem& problem) {
           return plan_block_tile(problem, "register_block", kBlockTile, kBlockTileK, 1);
         },
     .opening = {.line = "b[i] = bs"},
     .global_loads = loads_of_block_tiles()}};

}  // namespace
}  // namespace warplens
