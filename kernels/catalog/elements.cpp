#include "kernels/catalog/elements.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "kernels/arithmetic/half.h"

namespace warplens {
namespace {

// NaNs that no arithmetic makes, and an integer beyond every sum of products here.
constexpr auto kPoisonF32 = std::bit_cast<float>(0x7fc0dead);
constexpr auto kPoisonF64 = std::bit_cast<double>(0x7ff8dead7fc0dead);
constexpr auto kPoisonI32 = std::bit_cast<std::int32_t>(0x80dead80);

/// Narrow floats; `Format` is of kernels/arithmetic/half.h.
template <class Format>
void store_narrow(std::byte* to, const float* values, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint16_t element = Format::narrow(static_cast<double>(values[i]));
    std::memcpy(to + i * sizeof element, &element, sizeof element);
  }
}

template <class Element>
void store_as(std::byte* to, const float* values, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto element = static_cast<Element>(values[i]);
    std::memcpy(to + i * sizeof element, &element, sizeof element);
  }
}

template <class Element>
void load_as(const std::byte* from, std::vector<double>& values) {
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    Element element{};
    std::memcpy(&element, from + i * sizeof element, sizeof element);
    values[i] = static_cast<double>(element);
  }
}

template <class Element>
void fill_with(std::byte* to, std::uint64_t bytes, Element element) {
  for (std::uint64_t at = 0; at < bytes; at += sizeof element) std::memcpy(to + at, &element, sizeof element);
}

void poison(std::byte* to, std::uint64_t bytes, ElementType type) {
  switch (type) {
    case ElementType::f64: return fill_with(to, bytes, kPoisonF64);
    case ElementType::i32: return fill_with(to, bytes, kPoisonI32);
    default: return fill_with(to, bytes, kPoisonF32);
  }
}

std::uint64_t bytes_of(const MatrixLayout& layout, ElementType type) {
  return layout.padded_rows * layout.padded_columns * static_cast<std::uint64_t>(size_of(type));
}

// Starts of a block's tiles along one side of the result: a grid apart.
std::vector<std::uint64_t> starts(std::uint64_t block, std::uint64_t blocks, std::uint64_t tile,
                                  std::uint64_t extent) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t at = block * tile; at < extent; at += blocks * tile) result.push_back(at);
  return result;
}

Part tile_at(const LaunchPlan& plan, std::uint64_t row, std::uint64_t column) {
  return {row, std::min(plan.output.rows, plan.c.padded_rows - row), column,
          std::min(plan.output.columns, plan.c.padded_columns - column)};
}

// Tiles that blockIdx.x counts: OutputTile::group_rows.
void append_grouped_tiles(const LaunchPlan& plan, std::uint64_t block, std::vector<Part>& parts) {
  const OutputTile& tile = plan.output;
  const std::uint64_t rows = plan.c.padded_rows / tile.rows, columns = plan.c.padded_columns / tile.columns;
  for (std::uint64_t i = block; i < rows * columns; i += plan.grid.x) {
    const std::uint64_t group = i / (tile.group_rows * columns), in_group = i % (tile.group_rows * columns),
                        high = std::min(tile.group_rows, rows - group * tile.group_rows);
    parts.push_back(tile_at(plan, (group * tile.group_rows + in_group % high) * tile.rows,
                            in_group / high * tile.columns));
  }
}

}  // namespace

void store_elements(std::byte* to, const float* values, std::uint64_t count, ElementType type) {
  if (count == 0) return;
  switch (type) {
    case ElementType::f64: return store_as<double>(to, values, count);
    case ElementType::i32: return store_as<std::int32_t>(to, values, count);
    case ElementType::f16: return store_narrow<arithmetic::Float16>(to, values, count);
    case ElementType::bf16: return store_narrow<arithmetic::Bfloat16>(to, values, count);
    default: break;
  }
  assert(size_of(type) == sizeof(float));
  std::memcpy(to, values, count * sizeof(float));
}

std::vector<double> load_elements(const std::byte* from, std::uint64_t count, ElementType type) {
  std::vector<double> values(count);
  switch (type) {
    case ElementType::f64: load_as<double>(from, values); break;
    case ElementType::i32: load_as<std::int32_t>(from, values); break;
    default: load_as<float>(from, values);
  }
  return values;
}

std::vector<std::byte> padded_bytes(const MatrixLayout& layout, const std::vector<float>& values,
                                    ElementType type) {
  std::vector<std::byte> bytes(bytes_of(layout, type));  // Zeros
  const std::uint64_t pitch = layout.padded_columns * static_cast<std::uint64_t>(size_of(type));
  for (std::uint64_t row = 0; row < layout.rows; ++row) {
    store_elements(bytes.data() + row * pitch, values.data() + row * layout.columns, layout.columns, type);
  }
  return bytes;
}

std::vector<std::byte> poisoned_bytes(const MatrixLayout& layout, ElementType type) {
  std::vector<std::byte> bytes(bytes_of(layout, type));
  poison(bytes.data(), bytes.size(), type);
  return bytes;
}

void poison_part(std::byte* matrix, const MatrixLayout& layout, ElementType type, const Part& part) {
  const auto size = static_cast<std::uint64_t>(size_of(type));
  for (std::uint64_t i = 0; i < part.rows; ++i) {
    poison(matrix + ((part.row + i) * layout.padded_columns + part.column) * size, part.columns * size, type);
  }
}

Buffer matrix_buffer(const char* name, const MatrixLayout& layout, ElementType type) {
  return {.name = name,
          .type = type,
          .bytes = bytes_of(layout, type),
          .rows = static_cast<std::uint32_t>(layout.padded_rows),
          .columns = layout.padded_columns,
          .pitch = layout.padded_columns};
}

std::vector<std::byte> kernel_int(std::int64_t value) {
  const auto narrow = static_cast<std::int32_t>(value);
  std::vector<std::byte> bytes(sizeof narrow);
  std::memcpy(bytes.data(), &narrow, sizeof narrow);
  return bytes;
}

std::vector<Part> parts_of(const LaunchPlan& plan, const std::optional<std::vector<Dim3>>& blocks) {
  const MatrixLayout& c = plan.c;
  if (!blocks) return {{0, c.padded_rows, 0, c.padded_columns}};
  std::vector<Part> parts;
  const bool swapped = plan.output.x_along_rows;
  for (const Dim3& block : *blocks) {
    if (plan.output.group_rows != 0) {
      append_grouped_tiles(plan, block.x, parts);
      continue;
    }
    for (const std::uint64_t row : starts(swapped ? block.x : block.y, swapped ? plan.grid.x : plan.grid.y,
                                          plan.output.rows, c.padded_rows)) {
      for (const std::uint64_t column :
           starts(swapped ? block.y : block.x, swapped ? plan.grid.y : plan.grid.x, plan.output.columns,
                  c.padded_columns)) {
        parts.push_back(tile_at(plan, row, column));
      }
    }
  }
  return parts;
}

Part without_padding(const MatrixLayout& layout, Part part) {
  part.row = std::min(part.row, layout.rows);
  part.column = std::min(part.column, layout.columns);
  part.rows = std::min(part.rows, layout.rows - part.row);
  part.columns = std::min(part.columns, layout.columns - part.column);
  return part;
}

bool part_equals(const MatrixLayout& layout, ElementType type, std::span<const std::byte> result, Part part,
                 const std::vector<float>& expected) {
  const Part inside = without_padding(layout, part);
  const auto size = static_cast<std::uint64_t>(size_of(type));
  for (std::uint64_t i = 0; i < part.rows; ++i) {
    std::vector<std::byte> right(part.columns * size);  // Zeros
    if (i < inside.rows)
      store_elements(right.data(), expected.data() + i * inside.columns, inside.columns, type);
    const std::byte* const there =
        result.data() + ((part.row + i) * layout.padded_columns + part.column) * size;
    if (std::memcmp(right.data(), there, right.size()) != 0) return false;
  }
  return true;
}

}  // namespace warplens
