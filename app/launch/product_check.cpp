#include "app/launch/product_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "app/launch_form/argument_buffers.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/catalog.h"

namespace warplens::app {
namespace {

struct Matrix {
  std::uint32_t argument = 0;
  const BufferSpec* buffer = nullptr;
  [[nodiscard]] std::uint64_t rows() const { return buffer->rows; }
  [[nodiscard]] std::uint64_t columns() const {
    return buffer->columns == 0 ? buffer->count : buffer->columns;
  }
};

Result<Matrix> find_matrix(const std::string& name, std::span<const NamedArgument> arguments) {
  const auto index =
      static_cast<std::size_t>(std::ranges::find(arguments, name, &NamedArgument::name) - arguments.begin());
  const BufferSpec* const buffer =
      index < arguments.size() ? std::get_if<BufferSpec>(&arguments[index].value) : nullptr;
  if (buffer != nullptr) return Matrix{static_cast<std::uint32_t>(index), buffer};
  return Error{tr("`{name}` is no buffer of the launch", "name"_a = name), "product",
               tr("Write A*B->C with the names of three arguments.")};
}

/// Up to which whole number every one has a value of the type; 0: sums wrap round.
double largest_exact(ElementType type) {
  switch (type) {
    case ElementType::f32: return 0x1p24;
    case ElementType::f64: return 0x1p53;
    case ElementType::f16: return 0x1p11;
    case ElementType::bf16: return 0x1p8;
    case ElementType::tf32: return 0x1p11;
    case ElementType::e4m3: return 0x1p4;
    case ElementType::e5m2: return 0x1p3;
    default: return 0;
  }
}

/// Up to which whole number sums are exact. Those of floats of 8 bits keep 13 bits behind the point on some
/// tensor cores (docs/tensor_cores.md).
double largest_exact_sum(ElementType operand, ElementType result) {
  constexpr double kOfBytes = 0x1p13;
  const bool of_bytes = operand == ElementType::e4m3 || operand == ElementType::e5m2;
  return of_bytes ? std::min(kOfBytes, largest_exact(result)) : largest_exact(result);
}

bool are_integers(const std::vector<double>& values) {
  return std::ranges::all_of(
      values, [](double value) { return value == std::trunc(value) && std::abs(value) <= 0x1p20; });
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

struct Factors {
  std::vector<double> a, b;
  std::uint64_t m = 0, p = 0, n = 0;
};

/// Returns the relative tolerance of C, where sums are exact up to `exact`; 0: bit for bit.
double tolerance_of(const Factors& factors, double exact) {
  const double bound = static_cast<double>(factors.p) * largest(factors.a) * largest(factors.b);
  const bool integers = are_integers(factors.a) && are_integers(factors.b);
  if (integers && bound <= std::min(exact == 0 ? 0x1p24 : exact, 0x1p24)) return 0;
  return exact == 0 ? std::numeric_limits<float>::epsilon() : 2 / exact;
}

/// Returns whether `value` is element (i, j) of the product within `epsilon`.
bool is_near(const Factors& factors, std::uint64_t i, std::uint64_t j, double value, double epsilon) {
  double sum = 0, bound = 0;
  for (std::uint64_t k = 0; k < factors.p; ++k) {
    const double term = factors.a[i * factors.p + k] * factors.b[k * factors.n + j];
    sum += term;
    bound += std::abs(term);
  }
  return std::abs(value - sum) <= (static_cast<double>(factors.p) + 1) * epsilon * bound;
}

std::optional<bool> is_product_where_changed(const Factors& factors, const std::vector<double>& before,
                                             const std::vector<double>& after, double epsilon) {
  std::optional<bool> right;
  for (std::uint64_t at = 0; at < after.size() && right.value_or(true); ++at) {
    if (std::bit_cast<std::uint64_t>(before[at]) == std::bit_cast<std::uint64_t>(after[at])) continue;
    right = is_near(factors, at / factors.n, at % factors.n, after[at], epsilon);
  }
  return right;
}

bool equals_exactly(const Factors& factors, const std::vector<double>& c) {
  const std::vector<float> a(factors.a.begin(), factors.a.end()), b(factors.b.begin(), factors.b.end());
  const std::vector<float> expected = reference_product(a, b, factors.m, factors.p, factors.n);
  return std::ranges::equal(expected, c,
                            [](float one, double other) { return static_cast<double>(one) == other; });
}

/// Every term may be rounded, and every sum of them, in the type of C.
bool equals_nearly(const Factors& factors, const std::vector<double>& c, double epsilon) {
  const auto& [a, b, m, p, n] = factors;
  std::vector<double> sums(n), bounds(n);
  for (std::uint64_t i = 0; i < m; ++i) {
    std::ranges::fill(sums, 0);
    std::ranges::fill(bounds, 0);
    for (std::uint64_t k = 0; k < p; ++k) {
      const double factor = a[i * p + k];
      for (std::uint64_t j = 0; j < n; ++j) {
        const double term = factor * b[k * n + j];
        sums[j] += term;
        bounds[j] += std::abs(term);
      }
    }
    const double terms = static_cast<double>(p) + 1;
    for (std::uint64_t j = 0; j < n; ++j) {
      if (!(std::abs(c[i * n + j] - sums[j]) <= terms * epsilon * bounds[j])) return false;
    }
  }
  return true;
}

bool is_product(const Factors& factors, const std::vector<double>& c, double tolerance) {
  return tolerance == 0 ? equals_exactly(factors, c) : equals_nearly(factors, c, tolerance);
}

}  // namespace

Result<ProductCheck> check_of_product(const ProductNames& product, std::span<const NamedArgument> arguments,
                                      const std::vector<std::vector<std::byte>>& contents) {
  const Result<Matrix> a = find_matrix(product.a, arguments), b = find_matrix(product.b, arguments),
                       c = find_matrix(product.c, arguments);
  for (const Result<Matrix>* one : {&a, &b, &c}) {
    if (!one->ok()) return one->error();
  }
  ProductCheck check{.m = a->rows(), .p = a->columns(), .n = b->columns(), .result = c->argument};
  if (b->rows() != check.p || c->rows() != check.m || c->columns() != check.n) {
    return Error{
        tr("{a} is {m} x {p}, {b} {rows} x {n}, {c} {c_rows} x {c_columns}: the shapes do not form a product",
           "a"_a = product.a, "m"_a = check.m, "p"_a = check.p, "b"_a = product.b, "rows"_a = b->rows(),
           "n"_a = check.n, "c"_a = product.c, "c_rows"_a = c->rows(), "c_columns"_a = c->columns()),
        "product",
        tr("Give them shapes: {a}=f32[m][p] {b}=f32[p][n] {c}=f32[m][n].", "a"_a = product.a,
           "b"_a = product.b, "c"_a = product.c)};
  }
  const ArgumentBuffers buffers(arguments);
  const auto elements = [&](const Matrix& matrix) {
    return elements_of(*matrix.buffer, contents[*buffers.elements(matrix.argument)]);
  };
  const auto factors =
      std::make_shared<const Factors>(Factors{elements(*a), elements(*b), check.m, check.p, check.n});
  const double tolerance = tolerance_of(*factors, largest_exact_sum(a->buffer->type, c->buffer->type));
  check.is_right = [factors, tolerance, buffer = *c->buffer](std::span<const std::byte> bytes) {
    return is_product(*factors, elements_of(buffer, bytes), tolerance);
  };
  check.is_right_in_part = [factors, tolerance, buffer = *c->buffer](std::span<const std::byte> before,
                                                                     std::span<const std::byte> after) {
    return is_product_where_changed(*factors, elements_of(buffer, before), elements_of(buffer, after),
                                    tolerance);
  };
  return check;
}

}  // namespace warplens::app
