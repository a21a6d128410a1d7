#include "kernels/replay/block/lanes.h"

#include <fmt/core.h>

namespace warplens::replay {

std::string name_lanes(std::uint32_t mask) {
  std::string text;
  for (int l = 0; l < kWarpSize; ++l) {
    if ((mask >> l & 1) == 0) continue;
    int last = l;
    while (last + 1 < kWarpSize && (mask >> (last + 1) & 1) != 0) ++last;
    if (!text.empty()) text += ", ";
    text += last > l ? fmt::format("{}-{}", l, last) : fmt::format("{}", l);
    l = last;
  }
  return text;
}

std::uint64_t value_of_lane(const Head& head, bool wide, std::uint32_t lane) {
  if (head.form != Form::vector) {
    const std::uint64_t value = head.base + lane * static_cast<std::uint64_t>(head.stride);
    return wide ? value : value & 0xffffffffu;
  }
  return wide ? static_cast<const std::uint64_t*>(head.lanes)[lane]
              : static_cast<const std::uint32_t*>(head.lanes)[lane];
}

}  // namespace warplens::replay
