// Draws the parts of a box of a tensor: its rows as they lie in the tensor, and lines of shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "viz/analysis/tensor_boxes.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// The rows of a box that are drawn, and the lines of shared memory in which they lie.
struct BoxPage {
  std::uint32_t first_row = 0, rows = 0;
  std::uint32_t first_line = 0, lines = 0;  ///< Of 128 bytes, from where the box begins
};

/// Bytes of the box that are lit: of an element, or of a word of shared memory.
struct LitBytes {
  std::size_t piece = 0;
  std::uint32_t begin = 0, end = 0;  ///< Within the piece
};

/// What all parts of the picture are drawn from.
struct BoxShown {
  const Moment& moment;
  const analysis::TensorBox& box;
  bool is_load = true;  ///< To shared memory
  BoxPage page;
  std::optional<LitBytes> lit;
};

/// Finds the bytes that a highlight means; nullopt: the box has none of them.
[[nodiscard]] std::optional<LitBytes> lit_bytes(const Moment& moment, const analysis::TensorBox& box,
                                                const Highlight& highlight);
/// The page that has the piece, of at most so many rows and lines.
[[nodiscard]] BoxPage box_page(const analysis::TensorBox& box, std::optional<std::size_t> piece,
                               std::uint32_t most_rows, std::uint32_t most_lines);

/// "[64, 128]": the coordinates of a row of the box, the outermost first.
[[nodiscard]] std::string coordinates_name(const analysis::TensorBox& box, std::uint32_t row);

void draw_box_rows(Canvas& canvas, Rect box, const BoxShown& shown);
/// Lines of shared memory, with the swizzle or without.
void draw_shared_lines(Canvas& canvas, Rect box, const BoxShown& shown, bool is_swizzled);

}  // namespace warplens::picture
