#include "viz/analysis/access_series.h"

namespace warplens::analysis {
namespace {

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

}  // namespace

Touched touched_by(const Shape& shape, std::uint32_t mask, int bytes, int element_bytes) {
  Touched touched;
  std::vector<TouchedRuns> by_lane;
  for_each_lane(mask, [&](int lane) {
    const std::int64_t offset = shape[static_cast<std::size_t>(lane)];
    const std::int64_t first = floor_divide(offset, element_bytes),
                       last = floor_divide(offset + bytes - 1, element_bytes);
    touched.begin = std::min(touched.begin, first);
    touched.end = std::max(touched.end, last + 1);
    if (!by_lane.empty() && by_lane.back().offset == first && by_lane.back().length == last + 1 - first) {
      ++by_lane.back().touches;
    } else {
      by_lane.push_back({.offset = first, .length = last + 1 - first});
    }
  });
  std::vector<TouchedRuns> joined;
  for (const TouchedRuns& run : by_lane) {
    TouchedRuns* const before = joined.empty() ? nullptr : &joined.back();
    if (before != nullptr && before->offset + before->length == run.offset &&
        before->touches == run.touches) {
      before->length += run.length;
    } else {
      joined.push_back(run);
    }
  }
  for (const TouchedRuns& run : joined) {
    TouchedRuns* const before = touched.runs.empty() ? nullptr : &touched.runs.back();
    const std::int64_t step =
        before == nullptr ? 0 : run.offset - before->offset - before->step * (before->times - 1);
    const bool alike =
        before != nullptr && before->length == run.length && before->touches == run.touches && step > 0;
    if (alike && (before->times == 1 || before->step == step)) {
      before->step = step;
      ++before->times;
    } else {
      touched.runs.push_back(run);
    }
  }
  return touched;
}

}  // namespace warplens::analysis
