#include "viz/analysis/bursts.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <set>

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
  std::set<std::uint64_t> elements;
  for_each_lane(access.mask,
                [&](int lane) { elements.insert(access.address[static_cast<std::size_t>(lane)]); });
  const std::uint64_t first = *elements.begin() / kBurstBytes * kBurstBytes;
  for_each_lane(access.mask, [&](int lane) {
    const auto place =
        std::distance(elements.begin(), elements.find(access.address[static_cast<std::size_t>(lane)]));
    turned.address[static_cast<std::size_t>(lane)] =
        first + static_cast<std::uint64_t>(place) * static_cast<std::uint64_t>(access.bytes);
  });
  return turned;
}

}  // namespace warplens::analysis
