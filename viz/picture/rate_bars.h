#pragma once

#include <string>
#include <vector>

#include "viz/canvas/picture.h"

namespace warplens::picture {

/// A measured rate. What was not measured is not drawn.
struct Rate {
  std::string name;                 ///< "ikj, this CPU"
  double value = 0;                 ///< In `unit`
  bool reference = false;           ///< Drawn in the good colour: what the others are compared with
  std::string name_in_tables = {};  ///< In English always
};

/// Bars with their figures, the longest full width.
[[nodiscard]] Picture make_rate_bars(const std::vector<Rate>& rates, const std::string& unit,
                                     const std::string& where, Size size, const Style& style);

/// The ladder, each kernel in percent of cuBLAS: all bars, as high as there is room for, hatched where they
/// were measured elsewhere.
struct LadderBars {
  std::string where;  ///< "An H200, 4,096 x 4,096, measured 2026-11-22, 2026-11-28"
  std::string note;   ///< One line; may be empty
  bool measured_here = false;
  struct Bar {
    std::string name;
    double percent = 0;
    bool reference = false;
    std::string explanation;
    friend bool operator==(const Bar&, const Bar&) = default;
  };
  std::vector<Bar> bars;
  friend bool operator==(const LadderBars&, const LadderBars&) = default;
};
/// The height with which every name can be read in the room's width: at least the room's.
[[nodiscard]] float ladder_bars_height(const LadderBars& ladder, Size room, const Style& style);
[[nodiscard]] Picture make_ladder_bars(const LadderBars& ladder, Size size, const Style& style);

}  // namespace warplens::picture
