#include "viz/analysis/launch_sites.h"

#include <algorithm>
#include <cstddef>

namespace warplens::analysis {

std::vector<std::uint32_t> sites_in(const Recording& launch, const Recording& recording) {
  std::vector<std::uint32_t> sites(recording.sites.size());
  std::uint32_t next = 0;
  const auto same = [](const Site& a, const Site& b) {
    return a.instruction == b.instruction && a.space == b.space;
  };
  for (std::size_t s = 0; s < sites.size(); ++s) {
    const Site& site = recording.sites[s];
    if (next >= launch.sites.size() || !same(launch.sites[next], site)) {
      const auto found =
          std::ranges::find_if(launch.sites, [&](const Site& other) { return same(other, site); });
      next = static_cast<std::uint32_t>(found - launch.sites.begin());
    }
    sites[s] = next++;
  }
  return sites;
}

}  // namespace warplens::analysis
