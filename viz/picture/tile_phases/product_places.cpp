#include "viz/picture/tile_phases/product_places.h"

#include <algorithm>

#include "viz/picture/matrix_map.h"

namespace warplens::picture {

ProductMatrices product_matrices(const Recording& recording, const Product& product) {
  return {recording.buffers[product.a],
          product.b_transposed ? transposed(recording.buffers[product.b]) : recording.buffers[product.b],
          recording.buffers[product.c]};
}

float scale_at_an_angle(const Canvas& canvas, Rect box, const ProductMatrices& matrices) {
  const auto across = static_cast<float>(matrices.a.columns) + static_cast<float>(matrices.columns());
  const auto down = static_cast<float>(matrices.b.rows) + static_cast<float>(matrices.rows());
  return std::min((box.width - canvas.px(kMatrixGap + kAxis)) / across,
                  (box.height - canvas.px(2 * kLabelHeight + kAxis)) / down);
}

ProductPlaces places_at_an_angle(const Canvas& canvas, Rect box, const ProductMatrices& matrices,
                                 float scale) {
  const auto& [a, b, c] = matrices;
  const float label = canvas.px(kLabelHeight), gap = canvas.px(kMatrixGap), axis = canvas.px(kAxis);
  const float min = canvas.px(4);  // A matrix of one row is still to be seen
  const auto extent = [&](std::uint64_t elements) {
    return std::max(min, static_cast<float>(elements) * scale);
  };
  const float left = box.x + (box.width - extent(a.columns) - extent(matrices.columns()) - gap - axis) / 2;
  const float top = box.y + (box.height - extent(b.rows) - extent(matrices.rows()) - 2 * label - axis) / 2;
  const float middle_x = left + extent(a.columns) + gap + axis,
              middle_y = top + extent(b.rows) + label + axis;
  ProductPlaces places{{left, middle_y, extent(a.columns), extent(a.rows)},
                       {middle_x, top, extent(b.columns), extent(b.rows)},
                       {middle_x, middle_y, extent(c.columns), extent(c.rows)},
                       {},
                       std::clamp(left - box.x, gap / 4, (gap + axis) / 2)};
  places.corner = {box.x, top, places.a.right() - box.x, places.b.height - axis / 2};
  return places;
}

float scale_in_a_row(const Canvas& canvas, Rect box, const ProductMatrices& matrices) {
  const auto& [a, b, c] = matrices;
  const float across =
      static_cast<float>(a.columns) + static_cast<float>(b.columns) + static_cast<float>(c.columns);
  const auto down = static_cast<float>(std::max({a.rows, b.rows, c.rows}));
  return std::min((box.width - canvas.px(2 * kMatrixGap + kAxis)) / across,
                  (box.height - canvas.px(kLabelHeight + kAxis)) / down);
}

ProductPlaces places_in_a_row(const Canvas& canvas, Rect box, const ProductMatrices& matrices, float scale) {
  const auto& [a, b, c] = matrices;
  const float label = canvas.px(kLabelHeight), gap = canvas.px(kMatrixGap), axis = canvas.px(kAxis);
  const auto extent = [&](std::uint64_t elements) {
    return std::max(canvas.px(4), static_cast<float>(elements) * scale);
  };
  const float top = box.y + axis, of_b = box.x + extent(a.columns) + gap + axis,
              of_c = of_b + extent(b.columns) + gap;
  const Rect last{of_c, top, extent(c.columns), extent(c.rows)};
  const float right = last.right() + gap,
              labels_end = top + extent(std::max({a.rows, b.rows, c.rows})) + label;
  const bool beside = box.right() - right >= canvas.px(kNarrowestProductCorner);
  const Rect corner = beside ? Rect{right, top, box.right() - right, std::max(0.0f, box.bottom() - top)}
                             : Rect{box.x, labels_end, box.width, std::max(0.0f, box.bottom() - labels_end)};
  return {{box.x, top, extent(a.columns), extent(a.rows)},
          {of_b, top, extent(b.columns), extent(b.rows)},
          last,
          corner,
          gap / 4};
}

}  // namespace warplens::picture
