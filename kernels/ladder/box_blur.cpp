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

// The mean around one pixel; the image's values are small integers, so that their sum is exact.
float mean_around(const NamedMatrix& image, std::int64_t row, std::int64_t column, std::int64_t radius) {
  const auto rows = static_cast<std::int64_t>(image.layout.rows), columns = static_cast<std::int64_t>(image.layout.columns);
  float sum = 0;
  int pixels = 0;
  for (std::int64_t y = std::max<std::int64_t>(row - radius, 0); y <= std::min(row + radius, rows - 1); ++y) {
    for (std::int64_t x = std::max<std::int64_t>(column - radius, 0); x <= std::min(column + radius, columns - 1); ++x) {
      sum += image.values[static_cast<std::size_t>(y * columns + x)];
      ++pixels;
    }
  }
  return sum / static_cast<float>(pixels);
}

Workload box_blur_workload(const Problem& problem, const LaunchPlan& plan) {
  const NamedMatrix image{"image", plan.a, integer_matrix(problem.m, problem.n, 1)};
  const auto rows = static_cast<std::int64_t>(problem.m), columns = static_cast<std::int64_t>(problem.n);
  const std::int64_t radius = problem.parameter("R");
  NamedMatrix blurred{"blurred", plan.c, {}};
  blurred.values.reserve(image.values.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) blurred.values.push_back(mean_around(image, row, column, radius));
  }
  return known_workload(plan, {image}, blurred, {rows, columns, radius});
}

const RegisterKernel kBoxBlur{
    {.rank = 220,
     .id = "box_blur",
     .source_file = "box_blur.cu",
     .shows = marked("A stencil: (2 R + 1)^2 loads a pixel, nearly all of them of what neighbours load too, and most straddle a sector"),
     .group = KernelGroup::demonstrator,
     .extents = {{.name = 'm', .label = marked("Rows of the image"), .default_value = 100},
                 {.name = 'n', .label = marked("Columns of the image"), .default_value = 100}},
     .parameters = {{"R", marked("Radius R"), 1, {1, 2, 3, 4, 5, 6, 7, 8}}},
     .plan = plan_box_blur,
     .workload = box_blur_workload}};

}  // namespace
}  // namespace warplens
