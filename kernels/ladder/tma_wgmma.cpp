#include "kernels/base/texts.h"
#include "kernels/ladder/hopper_tile.h"

namespace warplens {
namespace {

LaunchPlan plan_tma_wgmma(const Problem& problem) {
  LaunchPlan plan = plan_wgmma_tile(problem, "tma_wgmma", kWgmmaTile);
  const auto stages = static_cast<std::uint32_t>(problem.parameter("S"));
  lay_out_stages(plan, stages, kWgmmaTile, stages * kBarrierBytes);
  return plan;
}

const RegisterKernel kTmaWgmma{
    {.rank = 207,
     .id = "tma_wgmma",
     .source_file = "tma_wgmma.cu",
     .shows =
         marked("Hopper: one thread copies whole tiles (TMA), and 4 warps at once multiply them where they "
                "lie in shared memory (wgmma)"),
     .parameters = {{"S", marked("Stages S"), 4, {3, 4}}},
     .value_types = {"f16", "bf16"},
     .plan = plan_tma_wgmma,
     .opening = {.line = "[%0], [%1, {%2, %3}], [%4];"},
     .global_loads = {"3 m n p / 256", "256 / 3", [](const Problem&, const LaunchPlan& plan) {
                        return multiply_adds(plan) / kWgmmaTile.m + multiply_adds(plan) / kWgmmaTile.n;
                      }}}};

}  // namespace
}  // namespace warplens
