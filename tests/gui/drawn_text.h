// What the window shows, read back from the glyphs that Dear ImGui was given to draw.
#pragma once

#include <string>
#include <vector>

namespace warplens::app {

struct DrawnText {
  std::string text;      ///< A line or a part of one, spaces where glyphs stand apart
  std::string window;    ///< Dear ImGui's name of the window
  bool is_code = false;  ///< In the font with characters of one width
};

/// Of the last frame, window by window, in the order of drawing.
[[nodiscard]] std::vector<DrawnText> drawn_texts();

}  // namespace warplens::app
