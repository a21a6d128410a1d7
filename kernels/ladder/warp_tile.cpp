#include "kernels/ladder/block_tile.h"

#include "kernels/base/texts.h"

namespace warplens {
namespace {

const RegisterKernel kWarpTile{
    {.rank = 180,
     .id = "warp_tile",
     .source_file = "warp_tile.cu",
     .shows = marked("A part of C for each warp, so that neighbouring lanes share rows or columns: every "
                     "16-byte load of a tile takes 2 wavefronts"),
     .plan = [](const Problem& problem) { return plan_transposed_block_tile(problem, "warp_tile"); },
     .opening = {.line = "&bs[term]"},
     .global_loads = loads_of_block_tiles()}};

}  // namespace
}  // namespace warplens
