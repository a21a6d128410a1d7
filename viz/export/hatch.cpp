#include "viz/export/hatch.h"

#include <algorithm>
#include <cmath>

namespace warplens::viz {

std::vector<std::pair<picture::Point, picture::Point>> lines_of(const picture::Hatch& hatch) {
  const picture::Rect& rect = hatch.rect;
  std::vector<std::pair<picture::Point, picture::Point>> lines;
  for (float sum = std::ceil((rect.x + rect.y) / hatch.spacing) * hatch.spacing;
       sum < rect.right() + rect.bottom(); sum += hatch.spacing) {
    const float left = std::max(rect.x, sum - rect.bottom()), right = std::min(rect.right(), sum - rect.y);
    lines.push_back({{left, sum - left}, {right, sum - right}});
  }
  return lines;
}

float thickness_of(const picture::Hatch& hatch) {
  return std::max(1.0f, hatch.spacing / 5);
}

}  // namespace warplens::viz
