// One line about what has been done; nothing waits for it.
#pragma once

#include <optional>
#include <string>

#include "app/views/look.h"

namespace warplens::app {

class Notice {
 public:
  /// Room in pixels of the window.
  struct Room {
    float left = 0, top = 0, right = 0, bottom = 0;
  };

  /// Names and paths in it are made fit to be shown. `now`: seconds on the caller's clock, also of what
  /// follows. For a few seconds.
  void show(const std::string& text, double now);
  /// Until the next click or key. `in_short`: in the menu bar where that has no room for all of it; may be
  /// empty.
  void show_until_action(const std::string& text, const std::string& in_short, double now);
  /// Draws the notice in the menu bar, where it hides nothing, if it fits on a line in the `room` that is
  /// left there; else over the scrubber.
  void draw(const Look& look, double now, const Room& room);
  /// Until it is gone; 0: it is.
  [[nodiscard]] double seconds_left(double now) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_, in_short_;
  double until_ = 0;
  std::optional<double> stays_since_;  ///< It stays until the next action
};

}  // namespace warplens::app
