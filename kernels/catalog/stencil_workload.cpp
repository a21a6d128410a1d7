#include <algorithm>

#include "kernels/catalog/elements.h"
#include "kernels/catalog/workload.h"

namespace warplens {
namespace {

constexpr std::uint64_t kSeedOfInput = 1;
constexpr auto kStencilType = ElementType::f32;

/// What elements of a part of the result are made of.
Neighbourhood neighbourhood_of(const LaunchPlan& plan, const Stencil& stencil, const Part& part) {
  const auto from = [&](std::uint64_t first) { return first - std::min(first, stencil.reach); };
  Neighbourhood around;
  around.row = from(part.row);
  around.column = from(part.column);
  around.rows = std::min(part.row + part.rows + stencil.reach, plan.a.rows) - around.row;
  around.columns = std::min(part.column + part.columns + stencil.reach, plan.a.columns) - around.column;
  around.values = integer_matrix_part(around.row, around.rows, around.column, around.columns, plan.a.columns,
                                      kSeedOfInput);
  return around;
}

bool stencil_is_right(const LaunchPlan& plan, const Stencil& stencil, std::span<const std::byte> result,
                      const Part& part) {
  const Part inside = without_padding(plan.c, part);
  const Neighbourhood around = neighbourhood_of(plan, stencil, inside);
  std::vector<float> expected;
  expected.reserve(inside.rows * inside.columns);
  for (std::uint64_t row = inside.row; row < inside.row + inside.rows; ++row) {
    for (std::uint64_t column = inside.column; column < inside.column + inside.columns; ++column) {
      expected.push_back(stencil.element(around, row, column));
    }
  }
  return part_equals(plan.c, kStencilType, result, part, expected);
}

/// Divides parts into bands whose neighbourhoods take little memory.
std::vector<Part> in_bands(const std::vector<Part>& parts) {
  constexpr std::uint64_t kBand = 64;
  std::vector<Part> bands;
  for (const Part& part : parts) {
    for (std::uint64_t row = 0; row < part.rows; row += kBand) {
      bands.push_back({part.row + row, std::min(kBand, part.rows - row), part.column, part.columns});
    }
  }
  return bands;
}

void fill_neighbourhood(const LaunchPlan& plan, const Neighbourhood& around, std::byte* input) {
  const auto size = static_cast<std::uint64_t>(size_of(kStencilType));
  for (std::uint64_t row = 0; row < around.rows; ++row) {
    store_elements(input + ((around.row + row) * plan.a.padded_columns + around.column) * size,
                   around.values.data() + row * around.columns, around.columns, kStencilType);
  }
}

}  // namespace

Workload partial_stencil_workload(const LaunchPlan& plan, const Stencil& stencil) {
  Workload workload;
  workload.buffers = {matrix_buffer(stencil.input, plan.a, kStencilType),
                      matrix_buffer(stencil.result, plan.c, kStencilType)};
  workload.arguments = {0u, 1u};
  for (const std::int64_t value : stencil.ints) workload.arguments.emplace_back(kernel_int(value));
  workload.output = 1;
  workload.fill = [plan, stencil](const std::vector<Dim3>& blocks, std::span<std::byte* const> buffers) {
    for (const Part& part : parts_of(plan, blocks)) {
      fill_neighbourhood(plan, neighbourhood_of(plan, stencil, without_padding(plan.c, part)), buffers[0]);
      poison_part(buffers[1], plan.c, kStencilType, part);
    }
  };
  workload.verify = [plan, stencil](std::span<const std::byte> result,
                                    const std::optional<std::vector<Dim3>>& blocks) {
    return std::ranges::all_of(in_bands(parts_of(plan, blocks)), [&](const Part& part) {
      return stencil_is_right(plan, stencil, result, part);
    });
  };
  return workload;
}

Workload stencil_workload(const LaunchPlan& plan, const Stencil& stencil) {
  Workload workload = partial_stencil_workload(plan, stencil);
  workload.fill = nullptr;
  workload.contents = {
      padded_bytes(plan.a, integer_matrix(plan.a.rows, plan.a.columns, kSeedOfInput), kStencilType),
      poisoned_bytes(plan.c, kStencilType)};
  return workload;
}

}  // namespace warplens
