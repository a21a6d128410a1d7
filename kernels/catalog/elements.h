// Elements of value types as bytes, and the parts of a result that blocks own. Private to
// kernels/catalog.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/catalog/catalog.h"
#include "kernels/recording/recording.h"

namespace warplens {

/// Writes values, which are small integers or all f32, as elements of a type.
void store_elements(std::byte* to, const float* values, std::uint64_t count, ElementType type);
/// Reads elements; a double holds each of them exactly.
[[nodiscard]] std::vector<double> load_elements(const std::byte* from, std::uint64_t count, ElementType type);

/// Row-major values in their padded place, zeros around.
[[nodiscard]] std::vector<std::byte> padded_bytes(const MatrixLayout& layout,
                                                  const std::vector<float>& values, ElementType type);
/// What a result holds until a block writes it: in every element a value that no kernel here computes.
[[nodiscard]] std::vector<std::byte> poisoned_bytes(const MatrixLayout& layout, ElementType type);
/// Its size is set; where it lies is not.
[[nodiscard]] Buffer matrix_buffer(const char* name, const MatrixLayout& layout, ElementType type);
/// An `int` argument.
[[nodiscard]] std::vector<std::byte> kernel_int(std::int64_t value);

/// A rectangle of the result.
struct Part {
  std::uint64_t row = 0, rows = 0, column = 0, columns = 0;
};
/// What these blocks own (nullopt: the whole result), padding included.
[[nodiscard]] std::vector<Part> parts_of(const LaunchPlan& plan,
                                         const std::optional<std::vector<Dim3>>& blocks);

/// Puts what `poisoned_bytes` has into a part of a padded matrix.
void poison_part(std::byte* matrix, const MatrixLayout& layout, ElementType type, const Part& part);

/// Whether a part of a padded result equals `expected`, bit for bit, and its padding is zero. `expected` has
/// the rows and columns of the part that lie inside the layout, row by row.
[[nodiscard]] bool part_equals(const MatrixLayout& layout, ElementType type,
                               std::span<const std::byte> result, Part part,
                               const std::vector<float>& expected);
/// The part's rows and columns that are not padding.
[[nodiscard]] Part without_padding(const MatrixLayout& layout, Part part);

}  // namespace warplens
