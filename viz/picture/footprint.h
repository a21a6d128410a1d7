// What a block has touched of each buffer, seen from one phase of it: before, now, and what it will write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viz/analysis/reuse.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// Of one cell, the strongest that holds of any of its elements.
enum class Mark : std::uint8_t { untouched, written_later, before, now };

/// Half-open box of elements; empty if no element is in it.
struct ElementBox {
  std::uint64_t row_begin = ~std::uint64_t{0}, row_end = 0, column_begin = ~std::uint64_t{0}, column_end = 0;
  [[nodiscard]] bool empty() const { return row_begin >= row_end; }
  void include(std::uint64_t row, std::uint64_t column);
};
/// "A[96..127][32..63]", "A[3][5]", for a buffer of one row "data[0..31]".
[[nodiscard]] std::string box_name(const Buffer& buffer, const ElementBox& box);

struct BufferFootprint {
  std::uint32_t rows = 0, columns = 0;  ///< Cells: an element each, or several of a big matrix
  std::vector<Mark> marks;              ///< rows x columns
  ElementBox read_now, written_now;     ///< Of this phase's accesses to global memory
  ElementBox held_now;                  ///< Of what lies in shared memory and came from here
  [[nodiscard]] ElementBox now() const;
};

/// By buffer. Matrices of more than `most_cells` rows or columns are drawn with several elements a cell.
[[nodiscard]] std::vector<BufferFootprint> block_footprint(const Moment& moment, const std::vector<analysis::SharedWord>& shared,
                                                           std::uint32_t most_cells = 256);

}  // namespace warplens::picture
