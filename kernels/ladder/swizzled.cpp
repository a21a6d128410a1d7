#include "kernels/ladder/block_tile.h"

#include "kernels/base/texts.h"

namespace warplens {
namespace {

constexpr std::uint32_t kSwizzledStages = 3;  // As in the .cu file

const RegisterKernel kSwizzled{
    {.rank = 201,
     .id = "swizzled",
     .source_file = "swizzled.cu",
     .shows =
         marked("An XOR of the address in place of padding: as few bank conflicts, and no memory unused"),
     .plan =
         [](const Problem& problem) {
           return plan_block_tile(problem, "swizzled", kBlockTileK, kBlockTile, kSwizzledStages);
         },
     .opening = {.line = "&as[used][term]"},
     .global_loads = loads_of_block_tiles()}};

}  // namespace
}  // namespace warplens
