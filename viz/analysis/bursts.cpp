#include "viz/analysis/bursts.h"

#include <algorithm>
#include <bit>
#include <map>

#include "viz/analysis/lanes.h"

namespace warplens::analysis {

int Burst::used_bytes() const {
  return std::popcount(used);
}

std::vector<Burst> bursts_of(const WarpAccess& access) {
  std::map<std::uint64_t, Burst> bursts;
  for_each_lane(access.mask, [&](int lane) {
    const std::uint64_t first = access.address[static_cast<std::size_t>(lane)];
    for (std::uint64_t byte = first; byte < first + static_cast<std::uint64_t>(access.bytes); ++byte) {
      Burst& burst = bursts[byte / kBurstBytes];
      burst.used |= std::uint64_t{1} << byte % kBurstBytes;
      burst.lanes |= 1u << lane;
    }
  });
  std::vector<Burst> all;
  for (auto& [number, burst] : bursts) {
    burst.address = number * kBurstBytes;
    all.push_back(burst);
  }
  return all;
}

WarpAccess corner_turned(const WarpAccess& access) {
  WarpAccess turned = access;
  if (access.mask == 0) return turned;
  const auto lowest = static_cast<std::size_t>(std::countr_zero(access.mask));
  std::uint64_t next = access.address[lowest];
  for_each_lane(access.mask, [&](int lane) {
    turned.address[static_cast<std::size_t>(lane)] = next;
    next += static_cast<std::uint64_t>(access.bytes);
  });
  return turned;
}

}  // namespace warplens::analysis
