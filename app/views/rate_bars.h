// Bars of rates, one below the other, as long as they are fast.
#pragma once

#include <string>
#include <vector>

#include "app/views/look.h"

namespace warplens::app {

struct RateBar {
  std::string name;
  double value = 0;  ///< 0: not measured
  picture::Colour colour;
  std::string explanation;  ///< In its tooltip
  bool hatched = false;     ///< Not measured here
};

/// Draws them in the rest of the current window's width. The longest is `greatest`, or the greatest value if
/// that is more.
void draw_rate_bars(const Look& look, const std::vector<RateBar>& bars, double greatest = 0);

/// "9,127", "87.4", "0.52"
[[nodiscard]] std::string rate_in_words(double rate);

}  // namespace warplens::app
