#include "viz/analysis/launch_sites.h"

#include <algorithm>
#include <cstddef>

namespace warplens::analysis {
namespace {

bool is_same_site(const Site& a, const Site& b) {
  return a.instruction == b.instruction && a.space == b.space;
}

}  // namespace

std::vector<std::uint32_t> sites_in(const Recording& launch, const Recording& recording) {
  std::vector<std::uint32_t> sites(recording.sites.size());
  std::uint32_t next = 0;
  for (std::size_t s = 0; s < sites.size(); ++s) {
    const Site& site = recording.sites[s];
    if (next >= launch.sites.size() || !is_same_site(launch.sites[next], site)) {
      const auto found =
          std::ranges::find_if(launch.sites, [&](const Site& other) { return is_same_site(other, site); });
      next = static_cast<std::uint32_t>(found - launch.sites.begin());
    }
    sites[s] = next++;
  }
  return sites;
}

bool have_same_sites(const Recording& a, const Recording& b) {
  return std::ranges::equal(a.sites, b.sites, is_same_site);
}

}  // namespace warplens::analysis
