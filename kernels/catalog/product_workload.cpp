#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>
#include <random>

#include "kernels/catalog/elements.h"
#include "kernels/catalog/workload.h"

namespace warplens {
namespace {

constexpr std::uint64_t kSeedOfA = 1, kSeedOfB = 2, kSeedOfProjection = 3;

struct Product {
  LaunchPlan plan;
  ElementType type = ElementType::f32;
  std::vector<float> a, b;  ///< Without padding, b row by row however it lies
  [[nodiscard]] std::uint64_t m() const { return plan.c.rows; }
  [[nodiscard]] std::uint64_t p() const { return plan.a.columns; }
  [[nodiscard]] std::uint64_t n() const { return plan.c.columns; }
};

std::vector<float> columns_of(const std::vector<float>& matrix, std::uint64_t matrix_columns, std::uint64_t column, std::uint64_t columns) {
  std::vector<float> part;
  part.reserve(matrix.size() / matrix_columns * columns);
  for (std::uint64_t at = column; at < matrix.size(); at += matrix_columns) {
    part.insert(part.end(), matrix.begin() + static_cast<std::ptrdiff_t>(at), matrix.begin() + static_cast<std::ptrdiff_t>(at + columns));
  }
  return part;
}

std::vector<float> transposed(const std::vector<float>& matrix, std::uint64_t rows, std::uint64_t columns) {
  std::vector<float> result(matrix.size());
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t column = 0; column < columns; ++column) result[column * rows + row] = matrix[row * columns + column];
  }
  return result;
}

bool part_is_right(const Product& product, std::span<const std::byte> c, Part part) {
  const Part inside = without_padding(product.plan.c, part);
  const auto a_begin = product.a.begin() + static_cast<std::ptrdiff_t>(inside.row * product.p());
  const std::vector<float> rows_of_a(a_begin, a_begin + static_cast<std::ptrdiff_t>(inside.rows * product.p()));
  const std::vector<float> reference =
      reference_product(rows_of_a, columns_of(product.b, product.n(), inside.column, inside.columns), inside.rows, product.p(), inside.columns);
  return part_equals(product.plan.c, product.type, c, part, reference);
}

std::vector<std::uint64_t> random_integers(std::uint64_t count) {
  std::mt19937_64 random(kSeedOfProjection);
  std::vector<std::uint64_t> values(count);
  std::generate(values.begin(), values.end(), random);
  return values;
}

// A row of integers times x, modulo 2^64.
template <class Value>
std::uint64_t projected_row(const Value* row, const std::vector<std::uint64_t>& x) {
  std::uint64_t sum = 0;
  for (std::size_t column = 0; column < x.size(); ++column) sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(row[column])) * x[column];
  return sum;
}

std::vector<std::uint64_t> projected(const float* matrix, std::uint64_t rows, const std::vector<std::uint64_t>& x) {
  std::vector<std::uint64_t> result(rows);
  for (std::uint64_t row = 0; row < rows; ++row) result[row] = projected_row(matrix + row * x.size(), x);
  return result;
}

bool all_integers(const std::vector<double>& values) {
  constexpr double kExact = 1 << 24;
  return std::all_of(values.begin(), values.end(), [](double value) { return std::abs(value) <= kExact && value == std::trunc(value); });
}

bool projection_is_right(const Product& product, std::span<const std::byte> bytes) {
  const MatrixLayout& c = product.plan.c;
  std::vector<std::uint64_t> expected =
      projected(product.a.data(), product.m(), projected(product.b.data(), product.p(), random_integers(product.n())));
  expected.resize(c.padded_rows);                                          // Padding is zero, ..
  const std::vector<std::uint64_t> x = random_integers(c.padded_columns);  // .. in columns too
  const std::uint64_t pitch = c.padded_columns * static_cast<std::uint64_t>(size_of(product.type));
  for (std::uint64_t row = 0; row < c.padded_rows; ++row) {
    const std::vector<double> values = load_elements(bytes.data() + row * pitch, c.padded_columns, product.type);
    if (!all_integers(values) || projected_row(values.data(), x) != expected[row]) return false;  // What is not written is no such integer
  }
  return true;
}

bool is_right(const Product& product, std::span<const std::byte> c, const std::optional<std::vector<Dim3>>& blocks) {
  if (!blocks && product.m() * product.n() * product.p() > kMaxProductsToRepeat) return projection_is_right(product, c);
  const std::vector<Part> parts = parts_of(product.plan, blocks);
  return std::all_of(parts.begin(), parts.end(), [&](const Part& part) { return part_is_right(product, c, part); });
}

/// A part of B, row by row.
std::vector<float> part_of_b(const LaunchPlan& plan, const Part& part) {
  return integer_matrix_part(0, plan.a.columns, part.column, part.columns, plan.c.columns, kSeedOfB);
}
std::vector<float> part_of_a(const LaunchPlan& plan, const Part& part) {
  return integer_matrix_part(part.row, part.rows, 0, plan.a.columns, plan.a.columns, kSeedOfA);
}

/// Writes rows of values at a place of a padded matrix.
void store_part(std::byte* matrix, const MatrixLayout& layout, ElementType type, const Part& part, const std::vector<float>& values) {
  const auto size = static_cast<std::uint64_t>(size_of(type));
  for (std::uint64_t i = 0; i < part.rows; ++i) {
    store_elements(matrix + ((part.row + i) * layout.padded_columns + part.column) * size, values.data() + i * part.columns, part.columns, type);
  }
}

/// What the blocks that own these parts of C read, and poison where they write.
void fill_for(const LaunchPlan& plan, ElementType type, const std::vector<Part>& parts, std::span<std::byte* const> buffers) {
  for (const Part& part : parts) {
    const Part inside = without_padding(plan.c, part), of_a{inside.row, inside.rows, 0, plan.a.columns};
    store_part(buffers[0], plan.a, type, of_a, part_of_a(plan, inside));
    const std::vector<float> b = part_of_b(plan, inside);
    if (plan.b_lies_by_columns) {
      store_part(buffers[1], plan.b, type, {inside.column, inside.columns, 0, plan.a.columns}, transposed(b, plan.a.columns, inside.columns));
    } else {
      store_part(buffers[1], plan.b, type, {0, plan.a.columns, inside.column, inside.columns}, b);
    }
    poison_part(buffers[2], plan.c, type, part);
  }
}

Workload outline_of(const LaunchPlan& plan, ElementType type) {
  Workload workload;
  workload.buffers = {matrix_buffer("A", plan.a, type), matrix_buffer(plan.b_lies_by_columns ? "Bt" : "B", plan.b, type),
                      matrix_buffer("C", plan.c, type)};
  workload.arguments = product_arguments(plan);
  workload.output = 2;
  return workload;
}

}  // namespace

std::vector<Workload::Argument> product_arguments(const LaunchPlan& plan) {
  return {0u,
          1u,
          2u,
          kernel_int(static_cast<std::int64_t>(plan.kernel_m())),
          kernel_int(static_cast<std::int64_t>(plan.kernel_p())),
          kernel_int(static_cast<std::int64_t>(plan.kernel_n()))};
}

Workload product_workload(const Problem& problem, const LaunchPlan& plan) {
  const ElementType type = element_type(problem.value_type);
  auto product = std::make_shared<const Product>(
      Product{plan, type, integer_matrix(problem.m, problem.p, kSeedOfA), integer_matrix(problem.p, problem.n, kSeedOfB)});
  Workload workload = outline_of(plan, type);
  workload.contents = {padded_bytes(plan.a, product->a, type),
                       padded_bytes(plan.b, plan.b_lies_by_columns ? transposed(product->b, problem.p, problem.n) : product->b, type),
                       poisoned_bytes(plan.c, type)};
  workload.verify = [product](const auto& result, const auto& blocks) { return is_right(*product, result, blocks); };
  return workload;
}

Workload partial_product_workload(const Problem& problem, const LaunchPlan& plan) {
  const ElementType type = element_type(problem.value_type);
  Workload workload = outline_of(plan, type);
  workload.fill = [plan, type](const std::vector<Dim3>& blocks, std::span<std::byte* const> buffers) {
    fill_for(plan, type, parts_of(plan, blocks), buffers);
  };
  workload.verify = [plan, type](std::span<const std::byte> result, const std::optional<std::vector<Dim3>>& blocks) {
    assert(blocks);
    const std::vector<Part> parts = parts_of(plan, blocks);
    return std::ranges::all_of(parts, [&](const Part& part) {
      const Part inside = without_padding(plan.c, part);
      return part_equals(plan.c, type, result, part,
                         reference_product(part_of_a(plan, inside), part_of_b(plan, inside), inside.rows, plan.a.columns, inside.columns));
    });
  };
  return workload;
}

}  // namespace warplens
