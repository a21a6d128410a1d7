// What the window shows, read back from the glyphs that Dear ImGui was given to draw.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace warplens::app {

struct DrawnText {
  std::string text;      ///< A line or a part of one, spaces where glyphs stand apart
  std::string window;    ///< Dear ImGui's name of the window
  bool is_code = false;  ///< In the font with characters of one width
  ImVec4 letters{};  ///< What is in sight of it: left, top, right, bottom of its glyphs; empty if nothing is
};

/// Of the last frame, window by window, in the order of drawing.
[[nodiscard]] std::vector<DrawnText> drawn_texts();

/// Two of one window that lie on each other, as "`one` lies on `the other`".
[[nodiscard]] std::vector<std::string> overlapping_texts();

}  // namespace warplens::app
