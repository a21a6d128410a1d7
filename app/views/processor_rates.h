// What this machine's processor reaches now: the same product in ways of your choice, and the replay itself.
#pragma once

#include "app/views/rate_plot.h"
#include "app/views/view.h"

namespace warplens::app {

/// The median rate, in GFLOP/s; 0 if there are none.
[[nodiscard]] double typical(const std::vector<measure::Sample>& samples);

class ProcessorRates {
 public:
  static void draw_controls(const Frame& frame);
  void draw_plot(const Frame& frame, ImVec2 size);
  static void draw_bars(const Frame& frame);

 private:
  RateScale scale_;
  std::uint32_t size_shown_ = 0;
};

}  // namespace warplens::app
