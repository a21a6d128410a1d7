#include <algorithm>

#include "kernels/base/texts.h"
#include "kernels/catalog/workload.h"
#include "kernels/ladder/parameters.h"

namespace warplens {
namespace {

constexpr std::uint32_t kBlurEdge = 16;

LaunchPlan plan_box_blur(const Problem& problem) {
  LaunchPlan plan;
  plan.entry = "box_blur";
  plan.block = {kBlurEdge, kBlurEdge, 1};
  plan.grid = grid_over(problem.n, kBlurEdge, problem.m, kBlurEdge);
  plan.a = plan.c = {problem.m, problem.n, problem.m, problem.n};
  plan.output = {.rows = kBlurEdge, .columns = kBlurEdge};
  return plan;
}

// The image's values are small integers, so that their sum is exact.
float mean_around(const Neighbourhood& image, std::uint64_t row, std::uint64_t column, std::uint64_t radius) {
  const auto from = [&](std::uint64_t at) { return at - std::min(at, radius); };
  float sum = 0;
  int pixels = 0;
  for (std::uint64_t y = from(row); y < std::min(row + radius + 1, image.row + image.rows); ++y) {
    for (std::uint64_t x = from(column); x < std::min(column + radius + 1, image.column + image.columns);
         ++x) {
      sum += image.at(y, x);
      ++pixels;
    }
  }
  return sum / static_cast<float>(pixels);
}

Stencil blur(const Problem& problem) {
  const std::int64_t radius = problem.parameter("R");
  const auto reach = static_cast<std::uint64_t>(radius);
  return {.input = "image",
          .result = "blurred",
          .reach = reach,
          .ints = {static_cast<std::int64_t>(problem.m), static_cast<std::int64_t>(problem.n), radius},
          .element = [reach](const Neighbourhood& image, std::uint64_t row, std::uint64_t column) {
            return mean_around(image, row, column, reach);
          }};
}

Workload box_blur_workload(const Problem& problem, const LaunchPlan& plan) {
  return stencil_workload(plan, blur(problem));
}
Workload partial_box_blur_workload(const Problem& problem, const LaunchPlan& plan) {
  return partial_stencil_workload(plan, blur(problem));
}

const RegisterKernel kBoxBlur{
    {.rank = 220,
     .id = "box_blur",
     .source_file = "box_blur.cu",
     .shows = marked("A stencil: (2 R + 1)^2 loads per pixel, nearly all of them of what neighbours load "
                     "too, and most straddle a sector"),
     .group = KernelGroup::demonstrator,
     .extents = {{.name = 'm', .label = marked("Rows of the image"), .default_value = 100},
                 {.name = 'n', .label = marked("Columns of the image"), .default_value = 100}},
     .parameters = {{"R", marked("Radius R"), 1, {1, 2, 3, 4, 5, 6, 7, 8}}},
     .plan = plan_box_blur,
     .workload = box_blur_workload,
     .partial_workload = partial_box_blur_workload}};

}  // namespace
}  // namespace warplens
