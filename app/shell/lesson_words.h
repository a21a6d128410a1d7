// Words of a lesson as they are read in the hall: what stands between backquotes is code.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

#include "app/views/look.h"

namespace warplens::app {

/// Words laid out over as many lines as they take.
class FlowedWords {
 public:
  /// `width` in pixels. A word wider than that has a line of its own, and is cut off by nobody.
  FlowedWords(const Look& look, std::string_view words, const TextStyle& style, float width);
  [[nodiscard]] float height() const { return height_; }
  /// From a place on the screen, in the current window.
  void draw(const Look& look, ImVec2 at) const;

 private:
  struct Word {
    std::string text;
    ImVec2 at;
    picture::Font font = picture::Font::sans;
  };
  void place(const Look& look, std::string_view text, picture::Font font, bool space_before);

  std::vector<Word> words_;
  TextStyle style_;
  float width_, line_height_, height_;
  ImVec2 end_{0, 0};
};

}  // namespace warplens::app
