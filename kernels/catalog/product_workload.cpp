#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <memory>
#include <random>

#include "kernels/catalog/elements.h"
#include "kernels/catalog/workload.h"

namespace warplens {
namespace {

constexpr std::uint64_t kValuesAtATime = std::uint64_t{1}
                                         << 20;  ///< Of parts of A and B that are made as they are needed
constexpr std::uint64_t kSeedOfA = 1, kSeedOfB = 2, kSeedOfProjection = 3;

struct Product {
  LaunchPlan plan;
  ValueType type;
  std::vector<float> a, b;  ///< Without padding, b row by row however it lies
  [[nodiscard]] std::uint64_t m() const { return plan.c.rows; }
  [[nodiscard]] std::uint64_t p() const { return plan.a.columns; }
  [[nodiscard]] std::uint64_t n() const { return plan.c.columns; }
};

std::vector<float> columns_of(const std::vector<float>& matrix, std::uint64_t matrix_columns,
                              std::uint64_t column, std::uint64_t columns) {
  std::vector<float> part;
  part.reserve(matrix.size() / matrix_columns * columns);
  for (std::uint64_t at = column; at < matrix.size(); at += matrix_columns) {
    part.insert(part.end(), matrix.begin() + static_cast<std::ptrdiff_t>(at),
                matrix.begin() + static_cast<std::ptrdiff_t>(at + columns));
  }
  return part;
}

std::vector<float> transposed(const std::vector<float>& matrix, std::uint64_t rows, std::uint64_t columns) {
  std::vector<float> result(matrix.size());
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t column = 0; column < columns; ++column)
      result[column * rows + row] = matrix[row * columns + column];
  }
  return result;
}

bool part_is_right(const Product& product, std::span<const std::byte> c, Part part) {
  const Part inside = without_padding(product.plan.c, part);
  const auto a_begin = product.a.begin() + static_cast<std::ptrdiff_t>(inside.row * product.p());
  const std::vector<float> rows_of_a(a_begin,
                                     a_begin + static_cast<std::ptrdiff_t>(inside.rows * product.p()));
  const std::vector<float> reference =
      reference_product(rows_of_a, columns_of(product.b, product.n(), inside.column, inside.columns),
                        inside.rows, product.p(), inside.columns);
  return part_equals(product.plan.c, product.type.result, c, part, reference);
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
  for (std::size_t column = 0; column < x.size(); ++column)
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(row[column])) * x[column];
  return sum;
}

std::vector<std::uint64_t> projected(const float* matrix, std::uint64_t rows,
                                     const std::vector<std::uint64_t>& x) {
  std::vector<std::uint64_t> result(rows);
  for (std::uint64_t row = 0; row < rows; ++row) result[row] = projected_row(matrix + row * x.size(), x);
  return result;
}

bool all_integers(const std::vector<double>& values) {
  constexpr double kExact = 1 << 24;
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::abs(value) <= kExact && value == std::trunc(value); });
}

bool projection_is_right(const Product& product, std::span<const std::byte> bytes) {
  const MatrixLayout& c = product.plan.c;
  std::vector<std::uint64_t> expected = projected(
      product.a.data(), product.m(), projected(product.b.data(), product.p(), random_integers(product.n())));
  expected.resize(c.padded_rows);                                          // Padding is zero, ..
  const std::vector<std::uint64_t> x = random_integers(c.padded_columns);  // .. in columns too
  const std::uint64_t pitch = c.padded_columns * static_cast<std::uint64_t>(size_of(product.type.result));
  for (std::uint64_t row = 0; row < c.padded_rows; ++row) {
    const std::vector<double> values =
        load_elements(bytes.data() + row * pitch, c.padded_columns, product.type.result);
    if (!all_integers(values) || projected_row(values.data(), x) != expected[row])
      return false;  // What is not written is no such integer
  }
  return true;
}

bool is_right(const Product& product, std::span<const std::byte> c,
              const std::optional<std::vector<Dim3>>& blocks) {
  if (!blocks && product.m() * product.n() * product.p() > kMaxProductsToRepeat)
    return projection_is_right(product, c);
  const std::vector<Part> parts = parts_of(product.plan, blocks);
  return std::all_of(parts.begin(), parts.end(),
                     [&](const Part& part) { return part_is_right(product, c, part); });
}

/// Writes rows of values at a place of a padded matrix.
void store_part(std::byte* matrix, const MatrixLayout& layout, ElementType type, const Part& part,
                const std::vector<float>& values) {
  const auto size = static_cast<std::uint64_t>(size_of(type));
  for (std::uint64_t i = 0; i < part.rows; ++i) {
    store_elements(matrix + ((part.row + i) * layout.padded_columns + part.column) * size,
                   values.data() + i * part.columns, part.columns, type);
  }
}

/// A product of which only what some blocks read is ever made.
class PartialProduct {
 public:
  PartialProduct(LaunchPlan plan, const ValueType& type) : plan_(std::move(plan)), type_(type) {}

  /// What the blocks read, and poison where they write.
  void fill(const std::vector<Dim3>& blocks, std::span<std::byte* const> buffers) {
    expected_.clear();
    for (const Part& part : parts_of(plan_, blocks)) {
      expected_.push_back(make(without_padding(plan_.c, part), buffers));
      poison_part(buffers[2], plan_.c, type_.result, part);
    }
  }
  /// Returns whether the elements that these blocks own are right.
  [[nodiscard]] bool is_right(std::span<const std::byte> result, const std::vector<Dim3>& blocks) const {
    const std::vector<Part> parts = parts_of(plan_, blocks);
    assert(parts.size() == expected_.size());
    return std::ranges::equal(parts, expected_, [&](const Part& part, const auto& expected) {
      return part_equals(plan_.c, type_.result, result, part, expected);
    });
  }

 private:
  /// Makes the rows of A and the columns of B that a part of C is the product of, and returns that product.
  /// One row of C is made of all of B, and a column of all of A: of the larger one some rows are made at a
  /// time.
  [[nodiscard]] std::vector<float> make(const Part& part, std::span<std::byte* const> buffers) const {
    return part.rows > part.columns ? make_by_rows_of_a(part, buffers) : make_by_rows_of_b(part, buffers);
  }

  [[nodiscard]] std::vector<float> make_by_rows_of_a(const Part& part,
                                                     std::span<std::byte* const> buffers) const {
    const std::uint64_t p = plan_.a.columns;
    const std::vector<float> b = make_b(buffers[1], {0, p, part.column, part.columns});
    std::vector<float> product;
    for_each_slice(part.rows, p, [&](std::uint64_t first, std::uint64_t rows) {
      const std::vector<float> a = make_a(buffers[0], {part.row + first, rows, 0, p}),
                               more = reference_product(a, b, rows, p, part.columns);
      product.insert(product.end(), more.begin(), more.end());
    });
    return product;
  }

  [[nodiscard]] std::vector<float> make_by_rows_of_b(const Part& part,
                                                     std::span<std::byte* const> buffers) const {
    const std::uint64_t p = plan_.a.columns;
    const std::vector<float> a = make_a(buffers[0], {part.row, part.rows, 0, p});
    std::vector<float> sums(part.rows * part.columns, 0.0f);
    for_each_slice(p, part.columns, [&](std::uint64_t first, std::uint64_t rows) {
      const std::vector<float> b = make_b(buffers[1], {first, rows, part.column, part.columns});
      std::ranges::transform(
          sums, reference_product(columns_of(a, p, first, rows), b, part.rows, rows, part.columns),
          sums.begin(), std::plus());
    });
    return sums;
  }

  /// Calls `make(first, rows)` for slices of as many rows, of so many columns, that few values are made at a
  /// time.
  template <class Make>
  static void for_each_slice(std::uint64_t rows, std::uint64_t columns, Make make) {
    const std::uint64_t at_a_time =
        std::max<std::uint64_t>(kValuesAtATime / std::max<std::uint64_t>(columns, 1), 1);
    for (std::uint64_t first = 0; first < rows; first += at_a_time)
      make(first, std::min(at_a_time, rows - first));
  }

  [[nodiscard]] std::vector<float> make_a(std::byte* to, const Part& part) const {
    std::vector<float> values =
        integer_matrix_part(part.row, part.rows, part.column, part.columns, plan_.a.columns, kSeedOfA);
    store_part(to, plan_.a, type_.operand, part, values);
    return values;
  }
  [[nodiscard]] std::vector<float> make_b(std::byte* to, const Part& part) const {
    std::vector<float> values =
        integer_matrix_part(part.row, part.rows, part.column, part.columns, plan_.c.columns, kSeedOfB);
    if (plan_.b_lies_by_columns) {
      store_part(to, plan_.b, type_.operand, {part.column, part.columns, part.row, part.rows},
                 transposed(values, part.rows, part.columns));
    } else {
      store_part(to, plan_.b, type_.operand, part, values);
    }
    return values;
  }

  LaunchPlan plan_;
  ValueType type_;
  std::vector<std::vector<float>> expected_;  ///< By part
};

TensorElement tensor_element_of(ElementType type) {
  switch (type) {
    case ElementType::f16: return TensorElement::f16;
    case ElementType::bf16: return TensorElement::bf16;
    case ElementType::f64: return TensorElement::f64;
    case ElementType::i32: return TensorElement::i32;
    default: assert(type == ElementType::f32); return TensorElement::f32;
  }
}

/// The map without the matrix's address.
TensorMap map_of(const MatrixLayout& layout, ElementType type, const MatrixBox& box) {
  TensorMap map{.element = tensor_element_of(type), .rank = 2, .swizzle = box.swizzle};
  map.extents = {layout.padded_columns, layout.padded_rows, 1, 1, 1};
  map.strides[1] = layout.padded_columns * map.element_bytes();
  map.box = {box.columns, box.rows, 1, 1, 1};
  assert(broken_rule_of(map) == nullptr);
  return map;
}

/// Passes a buffer's address, or a tensor map of it.
void pass_matrix(Workload& workload, std::uint32_t buffer, const MatrixLayout& layout,
                 const std::optional<MatrixBox>& box) {
  if (!box) {
    workload.arguments.emplace_back(buffer);
    return;
  }
  const auto argument = static_cast<std::uint32_t>(workload.arguments.size());
  const auto bytes = encode_tensor_map(map_of(layout, workload.buffers[buffer].type, *box));
  workload.arguments.emplace_back(std::vector(bytes.begin(), bytes.end()));
  workload.scalar_addresses[argument] = {{.at = 0, .buffer = buffer}};  // As encode_tensor_map lays it out
}

}  // namespace

Workload product_outline(const Problem& problem, const LaunchPlan& plan) {
  const ValueType& type = value_type_of(problem.value_type);
  Workload workload;
  workload.buffers = {matrix_buffer("A", plan.a, type.operand),
                      matrix_buffer(plan.b_lies_by_columns ? "Bt" : "B", plan.b, type.operand),
                      matrix_buffer("C", plan.c, type.result)};
  pass_matrix(workload, 0, plan.a, plan.a_box);
  pass_matrix(workload, 1, plan.b, plan.b_box);
  pass_matrix(workload, 2, plan.c, plan.c_box);
  for (const std::uint64_t extent : {plan.kernel_m(), plan.kernel_p(), plan.kernel_n()})
    workload.arguments.emplace_back(kernel_int(static_cast<std::int64_t>(extent)));
  workload.output = 2;
  return workload;
}

Workload product_workload(const Problem& problem, const LaunchPlan& plan) {
  const ValueType& type = value_type_of(problem.value_type);
  auto product =
      std::make_shared<const Product>(Product{plan, type, integer_matrix(problem.m, problem.p, kSeedOfA),
                                              integer_matrix(problem.p, problem.n, kSeedOfB)});
  Workload workload = product_outline(problem, plan);
  workload.contents = {
      padded_bytes(plan.a, product->a, type.operand),
      padded_bytes(plan.b, plan.b_lies_by_columns ? transposed(product->b, problem.p, problem.n) : product->b,
                   type.operand),
      poisoned_bytes(plan.c, type.result)};
  workload.verify = [product](const auto& result, const auto& blocks) {
    return is_right(*product, result, blocks);
  };
  return workload;
}

Workload partial_product_workload(const Problem& problem, const LaunchPlan& plan) {
  const ValueType& type = value_type_of(problem.value_type);
  Workload workload = product_outline(problem, plan);
  const auto product = std::make_shared<PartialProduct>(plan, type);
  workload.fill = [product](const std::vector<Dim3>& blocks, std::span<std::byte* const> buffers) {
    product->fill(blocks, buffers);
  };
  workload.verify = [product](std::span<const std::byte> result,
                              const std::optional<std::vector<Dim3>>& blocks) {
    assert(blocks);
    return product->is_right(result, *blocks);
  };
  return workload;
}

}  // namespace warplens
