#include "viz/analysis/divergence.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>

#include "viz/analysis/reuse.h"

namespace warplens::analysis {
namespace {

constexpr std::size_t kNoEvent = ~std::size_t{0};

/// The first recorded request of each site.
std::vector<std::size_t> first_events(const Recording& recording) {
  std::vector<std::size_t> first(recording.sites.size(), kNoEvent);
  for (std::size_t event = recording.events.size(); event-- > 0;) first[recording.events.site[event]] = event;
  return first;
}

std::string touched_at(const Recording& recording, Space space, std::uint64_t address) {
  if (space == Space::shared) {
    for (const SharedArray& array : recording.shared_arrays) {
      if (address >= array.offset && address - array.offset < array.bytes) return array.name;
    }
  }
  ElementPlace place;
  if (space == Space::global && locate(recording, address, place)) return recording.buffers[place.buffer].name;
  return {};
}

/// Groups sites into accesses.
Divergence grouped(const Recording& recording) {
  Divergence result;
  result.access_of.assign(recording.sites.size(), -1);
  result.recorded_warps = std::uint64_t{recording.event_blocks.size()} * recording.warps_per_block();
  const std::vector<std::size_t> first = first_events(recording);
  // Without source lines every instruction stands for itself.
  using AccessKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, Space, AccessOp, std::string>;
  std::map<AccessKey, std::size_t> known;
  for (std::uint32_t s = 0; s < recording.sites.size(); ++s) {
    const Site& site = recording.sites[s];
    const SiteTotals& totals = recording.totals[s];
    if (totals.requests == 0) continue;
    const std::string of = first[s] == kNoEvent ? std::string() : touched_at(recording, site.space, recording.events.base[first[s]]);
    const auto [entry, is_new] =
        known.try_emplace({site.file, site.line, site.line == 0 ? site.instruction + 1 : 0, site.space, site.op, of}, result.accesses.size());
    if (is_new) result.accesses.emplace_back().of = of;
    AccessLanes& access = result.accesses[entry->second];
    access.sites.push_back(s);
    access.requests += totals.requests;
    access.divergent_requests += totals.divergent_requests;
    access.thread_accesses += totals.thread_accesses;
    result.access_of[s] = static_cast<std::int32_t>(entry->second);
  }
  result.too_many = std::uint64_t{recording.phases.size()} * result.accesses.size() > kMostLaneCounts;
  if (result.too_many) {
    result.accesses.clear();
    result.access_of.assign(recording.sites.size(), -1);
  }
  for (AccessLanes& access : result.accesses) access.by_phase.resize(recording.phases.size());
  return result;
}

/// Adds up the requests of warps, one warp after the other, phase by phase as they come in the recording.
class LaneCounter {
 public:
  LaneCounter(const Recording& recording, const Divergence& divergence)
      : recording_(recording), access_of_(divergence.access_of), latest_(divergence.accesses.size()) {}

  /// `counts_of(access)`: the counts by phase of an access.
  template <class CountsOf>
  void add(std::size_t event, CountsOf counts_of) {
    const EventColumns& events = recording_.events;
    const std::int32_t of_site = access_of_[events.site[event]];
    if (of_site < 0) return;
    const auto access = static_cast<std::size_t>(of_site);
    std::vector<PhaseLanes>& by_phase = counts_of(access);
    if (events.phase[event] >= by_phase.size()) by_phase.resize(events.phase[event] + 1);
    PhaseLanes& counts = by_phase[events.phase[event]];
    ++counts.requests;
    counts.lanes += static_cast<std::uint64_t>(std::popcount(events.mask[event]));

    const Place place{events.block[event], events.warp[event], events.phase[event]};
    Latest& latest = latest_[access];
    if (!(latest.place == place)) {
      latest = {place, false};
      ++counts.warps;
    }
    if (!latest.divergent && (events.mask[event] & launched(place.warp)) != launched(place.warp)) {
      latest.divergent = true;
      ++counts.divergent_warps;
    }
  }

 private:
  struct Place {
    std::uint32_t block = ~0u, warp = 0, phase = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  /// The warp-phase that an access was met in last: a warp's requests come together, and its phases in turn.
  struct Latest {
    Place place;
    bool divergent = false;
  };

  [[nodiscard]] std::uint32_t launched(std::uint32_t warp) {
    if (warp != launched_of_) {
      launched_of_ = warp;
      launched_ = launched_lanes(recording_, warp);
    }
    return launched_;
  }

  const Recording& recording_;
  const std::vector<std::int32_t>& access_of_;
  std::vector<Latest> latest_;
  std::uint32_t launched_of_ = ~0u, launched_ = 0;
};

}  // namespace

std::size_t Divergence::access_or_first_load(const Recording& recording, std::uint32_t site) const {
  if (site < access_of.size() && access_of[site] >= 0) return static_cast<std::size_t>(access_of[site]);
  const auto load = std::find_if(accesses.begin(), accesses.end(), [&](const AccessLanes& access) {
    const Site& first = recording.sites[access.sites.front()];
    return first.space == Space::global && (first.op == AccessOp::load || first.op == AccessOp::cp_async);
  });
  return load == accesses.end() ? 0 : static_cast<std::size_t>(load - accesses.begin());
}

Divergence divergence(const Recording& recording) {
  Divergence result = grouped(recording);
  LaneCounter counter(recording, result);
  const auto counts_of = [&](std::size_t access) -> std::vector<PhaseLanes>& { return result.accesses[access].by_phase; };
  for (std::size_t event = 0; event < recording.events.size(); ++event) counter.add(event, counts_of);
  for (AccessLanes& access : result.accesses) {
    for (const PhaseLanes& phase : access.by_phase) {
      access.phases += phase.requests > 0 ? 1 : 0;
      access.divergent_phases += phase.divergent_warps > 0 ? 1 : 0;
      access.making += phase.warps;
      access.divergent += phase.divergent_warps;
    }
    access.warp_phases = result.recorded_warps * access.phases;
  }
  return result;
}

std::vector<std::vector<PhaseLanes>> lanes_of_warp(const Recording& recording, const Divergence& divergence, std::uint32_t event_block,
                                                   std::uint32_t warp) {
  std::vector<std::vector<PhaseLanes>> lanes(divergence.accesses.size(), std::vector<PhaseLanes>(recording.phases.size()));
  LaneCounter counter(recording, divergence);
  const auto counts_of = [&](std::size_t access) -> std::vector<PhaseLanes>& { return lanes[access]; };
  const EventRange range = events_of_warp(recording, event_block, warp);
  for (std::size_t event = range.begin; event < range.end; ++event) counter.add(event, counts_of);
  return lanes;
}

std::uint32_t launched_lanes(const Recording& recording, std::uint32_t warp) {
  const std::uint64_t before = std::uint64_t{warp} * kWarpSize, threads = recording.block.count();
  if (threads <= before) return 0;
  return threads - before >= kWarpSize ? 0xffffffffu : (1u << (threads - before)) - 1;
}

}  // namespace warplens::analysis
