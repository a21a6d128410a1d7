#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ladder/block_tile.h"

namespace warplens {
namespace {

LaunchPlan plan_async_copy(const Problem& problem) {
  const auto stages = static_cast<std::uint32_t>(problem.parameter("S"));
  return plan_transposed_block_tile(problem, fmt::format("async_copy<{}>", stages), stages);
}

const RegisterKernel kAsyncCopy{
    {.rank = 200,
     .id = "async_copy",
     .source_file = "async_copy.cu",
     .shows = marked("Asynchronous copies into S stages of shared memory: tiles are loaded S - 1 steps "
                     "ahead, without registers"),
     .parameters = {{"S", marked("Stages S"), 3, {2, 3, 4}}},
     .plan = plan_async_copy,
     .opening = {.line = "&A[(row + a_row)"},
     .global_loads = loads_of_block_tiles()}};

}  // namespace
}  // namespace warplens
