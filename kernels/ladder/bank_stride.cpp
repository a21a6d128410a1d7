#include <numeric>

#include "kernels/base/texts.h"
#include "kernels/catalog/workload.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

constexpr std::uint32_t kLanes = 32;

LaunchPlan plan_bank_stride(const Problem& problem) {
  const auto stride = static_cast<std::uint32_t>(problem.parameter("stride"));
  const auto pitch = kLanes + static_cast<std::uint32_t>(problem.parameter("padding"));
  const std::uint64_t words = std::uint64_t{kLanes} * stride,
                      padded = (problem.n + words - 1) / words * words;
  LaunchPlan plan;
  plan.entry = "bank_stride";
  plan.block = {kLanes, 1, 1};
  plan.grid = grid_over(padded, words, 1, 1);
  plan.dynamic_shared_bytes = stride * pitch * sizeof(float);
  plan.a = plan.c = {1, problem.n, 1, padded};
  plan.output = {.rows = 1, .columns = words};
  plan.shared_arrays = {{.name = "words", .rows = stride, .pitch = pitch}};
  return plan;
}

// Padding moves with the rest, so all of the padded output is known.
Workload bank_stride_workload(const Problem& problem, const LaunchPlan& plan) {
  const NamedMatrix in{"in", plan.a, integer_matrix(1, problem.n, 1)};
  const auto stride = static_cast<std::uint64_t>(problem.parameter("stride"));
  NamedMatrix out{
      "out", {1, plan.c.padded_columns, 1, plan.c.padded_columns}, std::vector<float>(plan.c.padded_columns)};
  for (std::uint64_t at = 0; at < problem.n; ++at) {
    const std::uint64_t first = at / (kLanes * stride) * (kLanes * stride), word = at - first;
    out.values[first + word % stride * kLanes + word / stride] = in.values[at];
  }
  return known_workload(
      plan, {in}, out,
      {problem.parameter("stride"), problem.parameter("padding"), problem.parameter("swizzle")});
}

std::vector<std::int64_t> range(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(last - first + 1));
  std::iota(values.begin(), values.end(), first);
  return values;
}

const RegisterKernel kBankStride{
    {.rank = 240,
     .id = "bank_stride",
     .source_file = "bank_stride.cu",
     .shows = marked("A warp reads shared memory `stride` words apart: the bank conflicts of every stride, "
                     "and padding and a swizzle against them"),
     .group = KernelGroup::demonstrator,
     .extents = {{.name = 'n', .label = marked("Words"), .default_value = 4096}},
     .parameters = {{"stride", marked("Stride"), 32, range(1, 33)},
                    {"padding", marked("Padding"), 0, range(0, 8)},
                    {"swizzle", marked("XOR swizzle"), 0, {0, 1}}},
     .plan = plan_bank_stride,
     .workload = bank_stride_workload}};

}  // namespace
}  // namespace warplens
