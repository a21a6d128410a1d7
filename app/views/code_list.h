// Lines of code with figures in the margin: what the source view and the PTX view share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/views/view.h"
#include "viz/analysis/line_figures.h"

namespace warplens::app {

/// What findings say of a line; said in full, which of them, by who shows the code.
enum class LineMark : unsigned char {
  none,
  found,  ///< Something is wrong there
  other   ///< There is the other access of a race, or the other barrier
};

struct CodeLine {
  std::uint32_t number = 0;
  std::uint32_t source_line = 0;  ///< The source line it stands for; its own number in the source view
  std::string text;
  std::vector<analysis::LineFigures> figures;
  LineMark mark = LineMark::none;
};

class CodeList {
 public:
  /// `total`: what each row's excess is a share of.
  void set(std::vector<CodeLine> lines, const analysis::TotalExcess& total);
  [[nodiscard]] bool empty() const { return lines_.empty(); }

  /// Draws the header row and the lines into `height` pixels of the current window, which scrolls sideways
  /// where lines are longer; numbers and figures stay. Scrolls to `current` (a CodeLine::number) when it, the
  /// height or the texts' size changes. Lines whose source line is hovered in any view are lit. A click on a
  /// line selects its costliest access, one on figures the first of theirs; the pointer sets the hover.
  void draw(const Frame& frame, std::uint32_t current, float height);

 private:
  struct Row {
    std::uint32_t line = 0;   ///< Index into lines_
    std::int32_t figure = -1; /* -1: the code itself */
  };
  /// The part of the rows that is in sight.
  struct Sight {
    float left = 0, width = 0, row_height = 0, gutter = 0;
  };
  /// What the rows were last scrolled for.
  struct Scrolled {
    std::uint32_t number = 0;
    float row_height = 0;
    std::size_t room = 0;
    friend bool operator==(const Scrolled&, const Scrolled&) = default;
  };
  void draw_row(const Frame& frame, const Row& row, bool current, const Sight& sight, float whole_width);
  static void draw_code(const Look& look, const CodeLine& line, float left, float top, const Sight& sight);
  /// `room`: the rows in sight.
  void scroll_to(std::uint32_t number, float row_height, std::size_t room);

  std::vector<CodeLine> lines_;
  std::vector<Row> rows_;
  analysis::TotalExcess total_;
  std::size_t longest_ = 0;  ///< Line, in characters
  Scrolled scrolled_;
};

/// "16,777,216", "32.0", for the margin.
[[nodiscard]] std::string one_decimal(double value);

}  // namespace warplens::app
