// A tour of the window, a minute long: one part of it after the other in the light, with a sentence or two.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <cstddef>
#include <optional>

#include "app/views/look.h"

namespace warplens::app {

/// Where on the screen the parts of the window are that are no views.
struct WindowParts {
  ImRect menus, launch, scrubber;
};

class Tour {
 public:
  void start() { stop_ = 0; }
  void end() { stop_.reset(); }
  /// Whether that key leads through the tour, and does nothing else meanwhile.
  [[nodiscard]] static bool takes(ImGuiKeyChord key);
  [[nodiscard]] bool going() const { return stop_.has_value(); }
  [[nodiscard]] std::size_t stop() const { return stop_.value_or(0); }
  /// Over all that is drawn, in place of keys and pointer; `keys`: whether it takes keys. Enter, Space, Page
  /// Down and the right arrow go on, Page Up and the left one back, Escape ends it.
  void draw(const Look& look, const WindowParts& parts, bool keys);

 private:
  void draw_words(const Look& look, const ImRect& lit);
  void go_on();
  void go_back();

  std::optional<std::size_t> stop_;  ///< nullopt: nobody is on it
};

}  // namespace warplens::app
