// How often the elements of a launch's buffers are accessed, as the pictures of matrices show it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "viz/analysis/grid_counts.h"
#include "viz/analysis/reuse.h"
#include "viz/picture/tile_phases/tiling.h"

namespace warplens::picture {

inline constexpr std::uint32_t kMaxHeatCells =
    analysis::GridCounts::kMaxCells;  ///< Rows or columns; beyond it a cell stands for several elements

/// How often the elements of a recording's buffers are accessed: by the recorded blocks, and where `of_grid`
/// is not null, by all of the grid.
struct CountedElements {
  const Recording& recording;
  const std::vector<analysis::ElementCounts>& counts;
  const analysis::GridCounts* of_grid = nullptr;
};

/// The counts of one buffer.
struct ElementHeat {
  std::uint32_t buffer = 0;
  bool writes = false;
  std::uint64_t max = 0;
  bool even = false;  ///< Every element as often
  const analysis::ElementTable* counts = nullptr;
  const analysis::GridCounts::Cells* cells =
      nullptr;                     ///< In place of those counts: of all blocks, or of a large buffer
  const Buffer* beside = nullptr;  ///< The buffer that stands beside it, to one scale
};
/// Returns a map of every buffer that has elements: of its reads, or of its writes if nobody reads it.
[[nodiscard]] std::vector<ElementHeat> element_heats(const CountedElements& counted);
/// Returns the map of one of `counted.counts`: its reads or its writes.
[[nodiscard]] ElementHeat element_heat(const CountedElements& counted, const analysis::ElementCounts& counts,
                                       bool writes);

/// What is accessed: `visit(row, column, count)`, of an element, or of a cell of GridCounts where those stand
/// for several.
template <class Visit>
void for_each_element(const Buffer& buffer, const ElementHeat& heat, Visit visit) {
  if (heat.cells == nullptr) {
    heat.counts->for_each([&](std::uint64_t element, std::uint32_t count) {
      const std::uint64_t row = element / buffer.pitch, column = element % buffer.pitch;
      if (row < buffer.rows && column < buffer.columns) visit(row, column, count);
    });
    return;
  }
  for (std::uint64_t row = 0; row < heat.cells->rows; ++row) {
    for (std::uint64_t column = 0; column < heat.cells->columns; ++column) {
      const std::uint64_t count = heat.cells->max[row * heat.cells->columns + column];
      if (count != 0) visit(row, column, count);
    }
  }
}

/// The tiles of the product that the buffer is of, as rows and columns of elements; zeros where there are
/// none.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> tile_of_buffer(std::uint32_t buffer,
                                                                     const std::optional<Product>& product,
                                                                     const Tiling& tiling);

}  // namespace warplens::picture
