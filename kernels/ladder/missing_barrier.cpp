#include "kernels/base/texts.h"
#include "kernels/ladder/block_sums.h"

namespace warplens {
namespace {

const RegisterKernel kMissingBarrier{
    {.rank = 260,
     .id = "missing_barrier",
     .source_file = "missing_barrier.cu",
     .shows = marked("No barrier between the rounds of a sum: warps read what others are about to write, and "
                     "the race is named"),
     .group = KernelGroup::demonstrator,
     .extents = {{.name = 'n', .label = marked("Elements"), .default_value = 1024}},
     .plan = [](const Problem& problem) { return plan_block_sums(problem, "missing_barrier"); },
     .workload = block_sums_workload,
     .fault = FindingKind::race}};

}  // namespace
}  // namespace warplens
