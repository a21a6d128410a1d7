// The phase scrubber along the bottom: where one is in the block's work, and the way to any other place in
// it.
#pragma once

#include "app/views/picture_view.h"
#include "app/views/view.h"

namespace warplens::app {

/// Steps through accesses by itself.
struct Player {
  bool playing = false;
  double steps_per_second = 8;
  double next_step = 0;  ///< On the caller's clock, seconds

  void toggle(double now);
  /// Steps that are due. At the warp's last access it stops.
  void advance(double now, const Recording& recording, Selection& selection);
};

class Scrubber {
 public:
  Scrubber();
  /// Draws at the cursor, over the window's whole width, `height` pixels tall.
  void draw(const Frame& frame, Player& player, double now, float height);

 private:
  static void draw_place(const Frame& frame, float right);
  void draw_header(const Frame& frame, Player& player, float right) const;
  void draw_strip(const Frame& frame, picture::Size size);

  PictureView strip_;
};

}  // namespace warplens::app
