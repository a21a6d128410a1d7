// One matrix to scale, with what a block touches of it, and single elements picked out.
#pragma once

#include <cstdint>
#include <vector>

#include "viz/analysis/footprint.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

using analysis::ElementBox;

/// An element of a matrix that the current access touches, and the lane that does.
struct LaneElement {
  int lane = 0;
  ElementAt element;
};

/// The elements that an access touches: directly, or through the shared memory that was filled from them.
[[nodiscard]] std::vector<LaneElement> touched_elements(const Moment& moment, std::size_t event,
                                                        const std::vector<analysis::SharedWord>& shared);

/// The colour that stands for a buffer in all views: the first blue, the second amber, the third green.
[[nodiscard]] Colour buffer_colour(const Palette& palette, std::uint32_t buffer);

/// Returns the colour of elements that are not touched.
[[nodiscard]] Colour untouched_colour(const Palette& palette);
/// How strongly a buffer's colour shows in what is written in a later phase, and in what was touched in an
/// earlier one.
inline constexpr float kWrittenLater = 0.22f, kBefore = 0.38f;

struct MatrixMap {
  const Recording* recording = nullptr;
  std::uint32_t buffer = 0;
  const analysis::BufferFootprint* footprint = nullptr;
  std::uint64_t tile_rows = 0, tile_columns = 0;  ///< Elements between grid lines, as drawn; 0: none
  bool transposed = false;  ///< Drawn with its rows from left to right, as the matrix whose transpose it is
};
/// The same elements of the transpose.
[[nodiscard]] ElementBox transposed(ElementBox elements);
/// The extents of the matrix whose transpose a buffer is; it has no more columns than fit 32 bits.
[[nodiscard]] Buffer transposed(Buffer buffer);
/// Whether a lane is the one that is drawn at its element: the first of those that share it, as in the tiles
/// of shared memory.
[[nodiscard]] bool is_first_at_its_element(const std::vector<LaneElement>& touched, const LaneElement& one);
/// A cell in the colour of a lane, with its number where there is room.
void draw_lane(Canvas& canvas, Rect cell, int lane);
/// What was touched when, of a part of the matrix as it is drawn.
void draw_marks(Canvas& canvas, Rect box, const MatrixMap& map, const ElementBox& part);
/// Where a part that is to be framed lies: one that is too narrow to be seen is drawn again, as wide as that
/// takes.
Rect draw_area(Canvas& canvas, Rect box, const MatrixMap& map, const ElementBox& part);
void draw_matrix_map(Canvas& canvas, Rect box, const MatrixMap& map, const std::vector<LaneElement>& touched,
                     const Highlight& highlight);

/// Lines between tiles of so many elements, where these can be told apart. 0: none.
void draw_tile_lines(Canvas& canvas, Rect box, const Buffer& buffer, std::uint64_t tile_rows,
                     std::uint64_t tile_columns);

/// Where an element lies in a matrix drawn in `box`, at least `least` pixels a side.
[[nodiscard]] Rect element_place(Rect box, const Buffer& buffer, std::uint64_t row, std::uint64_t column,
                                 float min);

}  // namespace warplens::picture
