// Where the matrices of a product are drawn: B above C and A beside it, or all in a row.
#pragma once

#include "viz/canvas/canvas.h"
#include "viz/picture/tile_phases/tiling.h"

namespace warplens::picture {

/// The matrices of a product as they are drawn.
struct ProductMatrices {
  Buffer a, b, c;
  // Of a product B is as wide as C, and A as tall; a file may say otherwise.
  [[nodiscard]] std::uint64_t columns() const { return std::max(b.columns, c.columns); }
  [[nodiscard]] std::uint64_t rows() const { return std::max(a.rows, c.rows); }
};

[[nodiscard]] ProductMatrices product_matrices(const Recording& recording, const Product& product);

/// Where the matrices of a product lie, with room for their labels below them and for k beside them.
struct ProductPlaces {
  Rect a, b, c, corner;  ///< corner: what is free
  float aside = 0;       ///< How far labels may reach beyond their matrices
};

inline constexpr float kNarrowestProductCorner = 50, kLabelHeight = 18, kMatrixGap = 14, kAxis = 14;

/// Pixels an element has where B lies above C, and A to its left: every element of C lies where A's row meets
/// B's column.
[[nodiscard]] float scale_at_an_angle(const Canvas& canvas, Rect box, const ProductMatrices& matrices);

[[nodiscard]] ProductPlaces places_at_an_angle(const Canvas& canvas, Rect box,
                                               const ProductMatrices& matrices, float scale);

/// Pixels an element has where A, B and C lie in a row, as in a box that is low.
[[nodiscard]] float scale_in_a_row(const Canvas& canvas, Rect box, const ProductMatrices& matrices);

[[nodiscard]] ProductPlaces places_in_a_row(const Canvas& canvas, Rect box, const ProductMatrices& matrices,
                                            float scale);

}  // namespace warplens::picture
