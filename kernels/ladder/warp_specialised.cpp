#include <algorithm>

#include "kernels/base/texts.h"
#include "kernels/ladder/hopper_tile.h"

namespace warplens {
namespace {

// As in the .cu file.
constexpr TensorTile kTile{.m = 128, .n = 256, .k = 64, .threads = 384};
constexpr std::uint32_t kCluster = 2, kGroup = 8, kStoredColumns = 32, kWarpgroupRows = 64;
constexpr std::uint32_t kStoreBytes = 2 * 2 * kWarpgroupRows * kStoredColumns * 4;
/// The multiprocessors of an H100 and of an H200, on each of which one block runs.
constexpr std::uint64_t kMultiprocessors = 132;

LaunchPlan plan_warp_specialised(const Problem& problem) {
  const auto stages = static_cast<std::uint32_t>(problem.parameter("S"));
  LaunchPlan plan = plan_wgmma_tile(problem, "warp_specialised", kTile);
  const LaunchPlan padded = padded_plan(problem, std::uint64_t{kCluster} * kTile.m, kTile.k, kTile.n);
  plan.a = padded.a;
  plan.b = padded.b;
  plan.c = padded.c;
  plan.c_box = {kWarpgroupRows, kStoredColumns, TensorSwizzle::bytes128};
  const std::uint64_t tiles = plan.kernel_m() / kTile.m * (plan.kernel_n() / kTile.n);
  plan.grid = {static_cast<std::uint32_t>(std::min(tiles, kMultiprocessors)), 1, 1};
  plan.output.group_rows = kGroup;
  lay_out_stages(plan, stages, kTile, kStoreBytes + 2 * stages * kBarrierBytes);
  return plan;
}

const RegisterKernel kWarpSpecialised{
    {.rank = 208,
     .id = "warp_specialised",
     .source_file = "warp_specialised.cu",
     .shows = marked(
         "Warpgroups with roles, pairs of blocks that share copies, several tiles a block, and C stored "
         "by TMA"),
     .parameters = {{"S", marked("Stages S"), 4, {3, 4}}},
     .value_types = {"f16", "bf16"},
     .plan = plan_warp_specialised,
     .opening = {.line = "[%0], [%1, {%2, %3}], [%4], %5;"},
     .global_loads = {"m n p / 128", "128", [](const Problem&, const LaunchPlan& plan) {
                        return multiply_adds(plan) / kTile.n + multiply_adds(plan) / (kCluster * kTile.m);
                      }}}};

}  // namespace
}  // namespace warplens
