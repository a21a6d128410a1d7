#pragma once

#include <string>
#include <vector>

#include "viz/picture/picture.h"

namespace warplens::picture {

/// A measured rate. What was not measured is not drawn.
struct Rate {
  std::string name;                 ///< "ikj, this CPU"
  double value = 0;                 ///< In `unit`
  bool reference = false;           ///< Drawn in the good colour: what the others are compared with
  std::string name_in_tables = {};  ///< In English always
};

/// Bars with their figures, the longest full width.
[[nodiscard]] Picture make_rate_bars(const std::vector<Rate>& rates, const std::string& unit, const std::string& where, Size size,
                                     const Style& style);

}  // namespace warplens::picture
