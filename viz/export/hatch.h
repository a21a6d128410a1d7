// The lines of a hatch, for those who draw them one by one.
#pragma once

#include <utility>
#include <vector>

#include "viz/canvas/picture.h"

namespace warplens::viz {

/// Lines x + y = n * spacing, cut to the rect.
[[nodiscard]] std::vector<std::pair<picture::Point, picture::Point>> lines_of(const picture::Hatch& hatch);
[[nodiscard]] float thickness_of(const picture::Hatch& hatch);

}  // namespace warplens::viz
