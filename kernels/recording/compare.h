#pragma once

#include <string>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens {

/// One way in which two recordings differ: "event 12 (block 0,0 warp 1 order 12): base 0x1400 against
/// 0x1480".
struct Difference {
  std::string what;
};

/// Access by access: sites, events, totals, launch. Engine, device, time, origin and where shared memory
/// began are not compared. At most `limit` differences, the first first.
[[nodiscard]] std::vector<Difference> differences(const Recording& a, const Recording& b,
                                                  std::size_t limit = 20);

}  // namespace warplens
