// What the GPU reaches: launches without a pause, over time; one kernel over sizes or tiles; every kernel as a bar.
#pragma once

#include <string>

#include "app/views/rate_plot.h"
#include "app/views/view.h"

namespace warplens::app {

class GpuRates {
 public:
  /// The latest sample in figures, in one line.
  static void draw_live_figures(const Frame& frame);
  void draw_live_plot(const Frame& frame, ImVec2 size);

  void draw_sweep_controls(const Frame& frame);
  void draw_sweep_plot(const Frame& frame, ImVec2 size) const;

  /// A button that measures it, and a bar a kernel.
  static void draw_ladder(const Frame& frame, bool says_why_not);

 private:
  RateScale live_scale_;
  std::string live_unit_;
  SweepOver over_ = SweepOver::size;
};

}  // namespace warplens::app
