#include "viz/picture/comparison/paired_accesses.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace warplens::picture {
namespace {

using AccessKind = std::tuple<Space, AccessOp, std::string>;

AccessKind kind_of(const Recording& recording, std::size_t event) {
  const Site& site = recording.sites[recording.events.site[event]];
  return {site.space, site.op, array_of(recording, event)};
}

}  // namespace

bool alike(const Recording& a, std::size_t event_a, const Recording& b, std::size_t event_b) {
  const Site &site_a = a.sites[a.events.site[event_a]], &site_b = b.sites[b.events.site[event_b]];
  return site_a.space == site_b.space && site_a.op == site_b.op &&
         array_of(a, event_a) == array_of(b, event_b);
}

std::vector<AccessPair> paired_by_step(const Moment& a, const Moment& b,
                                       const std::vector<std::size_t>& events_b) {
  const EventRange of_a = events_of_warp(*a.recording, a.event_block, a.warp),
                   of_b = events_of_warp(*b.recording, b.event_block, b.warp);
  std::vector<AccessPair> pairs;
  for (const std::size_t event : events_b) {
    const std::size_t like = of_a.begin + (event - of_b.begin);
    const bool is_like = like < of_a.end && a.site_of(like).space == b.site_of(event).space;
    pairs.push_back({is_like ? std::optional(like) : std::nullopt, event});
  }
  return pairs;
}

std::vector<AccessPair> paired_by_kind(const Recording& a, const std::vector<std::size_t>& events_a,
                                       const Recording& b, const std::vector<std::size_t>& events_b) {
  std::vector<AccessPair> pairs;
  struct OfKind {
    std::vector<std::size_t> events;
    std::size_t taken = 0;
  };
  std::map<AccessKind, OfKind> kinds;
  for (const std::size_t event : events_a) kinds[kind_of(a, event)].events.push_back(event);
  for (const std::size_t event : events_b) {
    OfKind& kind = kinds[kind_of(b, event)];
    const bool any = kind.taken < kind.events.size();
    pairs.push_back({any ? std::optional(kind.events[kind.taken]) : std::nullopt, event});
    kind.taken += any ? 1 : 0;
  }
  std::vector<std::size_t> alone;
  for (const auto& [kind, of_kind] : kinds)
    alone.insert(alone.end(), of_kind.events.begin() + static_cast<std::ptrdiff_t>(of_kind.taken),
                 of_kind.events.end());
  std::ranges::sort(alone);
  for (const std::size_t event : alone) pairs.push_back({event, std::nullopt});
  return pairs;
}

}  // namespace warplens::picture
