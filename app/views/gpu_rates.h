// What the GPU reaches: launches without a pause, over time; one kernel over sizes or tiles; every kernel as
// a bar.
#pragma once

#include <string>

#include "app/views/picture_view.h"
#include "app/views/rate_plot.h"
#include "app/views/view.h"
#include "viz/picture/rate_bars.h"

namespace warplens::app {

class GpuRates {
 public:
  /// The latest sample in figures, in one line.
  static void draw_live_figures(const Frame& frame);
  void draw_live_plot(const Frame& frame, ImVec2 size);

  void draw_sweep_controls(const Frame& frame);
  void draw_sweep_plot(const Frame& frame, ImVec2 size) const;

  /// A button that measures it, and a bar a kernel.
  static void draw_ladder(const Frame& frame);
  static void draw_ladder_controls(const Frame& frame);
  /// Against cuBLAS, over all the room there is: as measured here, or else as it ships.
  void draw_ladder_picture(const Frame& frame);

 private:
  picture::LadderBars ladder_;
  PictureView ladder_picture_{[this](const Frame&, picture::Size size, const picture::Style& style) {
    return picture::make_ladder_bars(ladder_, size, style);
  }};
  RateScale live_scale_;
  std::string live_unit_;
  SweepOver over_ = SweepOver::size;
};

}  // namespace warplens::app
