// Draws one matrix of an instruction, a cell an element: in registers by its lane, in shared memory by its
// bank.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "viz/picture/fragments.h"

namespace warplens::picture {

/// The columns of a wide matrix that are drawn.
struct DrawnColumns {
  std::uint32_t first = 0, count = 0;
  [[nodiscard]] bool has(std::size_t column) const { return column >= first && column < first + count; }
};

/// Of a bank of shared memory: eight steps of four banks each, for 16 bytes lie in four.
[[nodiscard]] Colour bank_colour(const Palette& palette, std::uint32_t bank);

class MatrixPainter {
 public:
  /// What the references refer to must outlive it.
  MatrixPainter(Canvas& canvas, const Moment& moment, const FragmentsShown& shown,
                const MatrixHighlight& highlight)
      : canvas_(canvas), moment_(moment), shown_(shown), highlight_(highlight) {}

  void draw(Rect box, std::size_t matrix, DrawnColumns drawn);

 private:
  void draw_cell(Rect cell, const MatrixElement& element);
  void draw_in_registers(Rect cell, const MatrixElement& element);
  void draw_in_shared(Rect cell, const MatrixElement& element);
  /// Whether the element is multiplied by, or contributes to, the highlighted one, or the other way round.
  [[nodiscard]] bool takes_part(const MatrixElement& element) const;
  [[nodiscard]] bool is_bright(const MatrixElement& element, bool is_lit) const;
  [[nodiscard]] char name_of(const MatrixElement& element) const {
    return shown_.instruction->matrices[element.matrix].name;
  }
  /// Returns which of several products at once an element belongs to.
  [[nodiscard]] std::size_t product_of(const MatrixElement& element) const {
    return element.row / shown_.instruction->matrices[element.matrix].fragment.rows;
  }
  [[nodiscard]] std::string with_value(std::string tooltip, const MatrixElement& element) const;

  Canvas& canvas_;
  const Moment& moment_;
  const FragmentsShown& shown_;
  const MatrixHighlight& highlight_;
  std::optional<tensor::SharedMatrix> shared_;  ///< Of the matrix that is being drawn
};

}  // namespace warplens::picture
