#include "kernels/ladder/block_tile.h"

#include "kernels/base/texts.h"

namespace warplens {
namespace {

const RegisterKernel kDoubleBuffered{
    {.rank = 190,
     .id = "double_buffered",
     .source_file = "double_buffered.cu",
     .shows = marked("Two buffers for each tile: the next tiles are loaded while these are used, and one "
                     "barrier a step is enough"),
     .plan = [](const Problem& problem) { return plan_transposed_block_tile(problem, "double_buffered", 2); },
     .opening = {.line = "(k + K + b_row)"},
     .global_loads = loads_of_block_tiles()}};

}  // namespace
}  // namespace warplens
