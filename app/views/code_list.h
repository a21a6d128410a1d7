// Lines of code with figures in the margin: what the source view and the PTX view share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/views/view.h"
#include "viz/analysis/line_figures.h"

namespace warplens::app {

struct CodeLine {
  std::uint32_t number = 0;
  std::uint32_t source_line = 0;  ///< The source line it stands for; its own number in the source view
  std::string text;
  std::vector<analysis::LineFigures> figures;
};

class CodeList {
 public:
  void set(std::vector<CodeLine> lines);
  [[nodiscard]] bool empty() const { return lines_.empty(); }

  /// Draws the header row and the lines into `height` pixels of the current window; scrolls to `current` (a CodeLine::number) when it changes. Lines
  /// whose source line is hovered in any view are lit. Clicks move the selection, the pointer sets the hover.
  void draw(const Frame& frame, std::uint32_t current, float height);

 private:
  struct Row {
    std::uint32_t line = 0;   ///< Index into lines_
    std::int32_t figure = -1; /* -1: the code itself */
  };
  void draw_row(const Frame& frame, const Row& row, bool current, float height, float number_width);
  void draw_code(const Frame& frame, const CodeLine& line, ImVec2 at, float width, float number_width) const;
  void scroll_to(std::uint32_t number, float row_height);

  std::vector<CodeLine> lines_;
  std::vector<Row> rows_;
  std::uint32_t scrolled_to_ = 0;
};

/// "16,777,216", "32.0", for the margin.
[[nodiscard]] std::string one_decimal(double value);

}  // namespace warplens::app
