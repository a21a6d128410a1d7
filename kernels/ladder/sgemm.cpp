#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

// As in the .cu file.
constexpr std::uint32_t kM = 256, kN = 128, kPadding = 4, kThreads = 384, kBarrierBytes = 8;

LaunchPlan plan_sgemm(const Problem& problem) {
  const auto k = static_cast<std::uint32_t>(problem.parameter("K")),
             stages = static_cast<std::uint32_t>(problem.parameter("S"));
  LaunchPlan plan = padded_plan(problem, kM, k, kN);
  plan.entry = fmt::format("sgemm<{}, {}>", k, stages);
  plan.block = {kThreads, 1, 1};
  plan.grid = grid_over(problem.n, kN, problem.m, kM);
  plan.output = {.rows = kM, .columns = kN};
  plan.b_box = {k, kN, TensorSwizzle::none};
  const std::uint32_t stage_bytes = k * (kN + kM + kPadding) * 4;
  plan.dynamic_shared_bytes = stages * (stage_bytes + 2 * kBarrierBytes);
  plan.shared_arrays = {
      {.name = "memory", .element_bytes = 4, .rows = plan.dynamic_shared_bytes / 4 / kN, .pitch = kN}};
  return plan;
}

const RegisterKernel kSgemm{
    {.rank = 209,
     .id = "sgemm",
     .source_file = "sgemm.cu",
     .shows = marked("FP32: one warpgroup copies, two do next to nothing but multiply-adds"),
     .parameters = {{"K", marked("Columns of A a step K"), 16, {8, 16}},
                    {"S", marked("Stages S"), 3, {3, 4}}},
     .plan = plan_sgemm,
     .opening = {.line = "ld.shared.v4.f32"},
     .global_loads = {"3 m n p / 256", "256 / 3", [](const Problem&, const LaunchPlan& plan) {
                        return multiply_adds(plan) / kM + multiply_adds(plan) / kN;
                      }}}};

}  // namespace
}  // namespace warplens
