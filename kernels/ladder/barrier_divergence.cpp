#include "kernels/base/texts.h"
#include "kernels/ladder/block_sums.h"

namespace warplens {
namespace {

const RegisterKernel kBarrierDivergence{
    {.rank = 250,
     .id = "barrier_divergence",
     .source_file = "barrier_divergence.cu",
     .shows = marked(
         "A barrier inside a divergent branch: the replay stops there, and says which lanes are missing"),
     .group = KernelGroup::demonstrator,
     .extents = {{.name = 'n', .label = marked("Elements"), .default_value = 1024}},
     .plan = [](const Problem& problem) { return plan_block_sums(problem, "barrier_divergence"); },
     .workload = block_sums_workload,
     .fault = FindingKind::barrier_divergence}};

}  // namespace
}  // namespace warplens
