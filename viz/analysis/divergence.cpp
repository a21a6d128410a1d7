#include "viz/analysis/divergence.h"

#include <algorithm>
#include <bit>
#include <map>

#include "viz/analysis/launch_sites.h"
#include "viz/analysis/reuse.h"

namespace warplens::analysis {
namespace {

constexpr std::int32_t kNotMet = -1, kLeftOut = -2;  ///< In LaneTotals::access_of_

/// By its name in the launch.
std::string touched_at(const Recording& launch, const Recording& recording, Space space,
                       std::uint64_t address) {
  if (space == Space::shared) {
    for (const SharedArray& array : launch.shared_arrays) {
      if (address >= array.offset && address - array.offset < array.bytes) return array.name;
    }
  }
  ElementPlace place;
  if (space == Space::global && locate(recording, address, place) && place.buffer < launch.buffers.size())
    return launch.buffers[place.buffer].name;
  return {};
}

/// Adds up the requests of warps, one warp after the other, phase by phase as they come in the recording;
/// each so many times.
class LaneCounter {
 public:
  explicit LaneCounter(const Recording& recording, std::uint64_t times = 1)
      : recording_(recording), times_(times) {}

  /// `by_phase`: the counts of the access.
  void add(std::size_t event, std::size_t access, std::vector<PhaseLanes>& by_phase) {
    const EventColumns& events = recording_.events;
    if (events.phase[event] >= by_phase.size()) by_phase.resize(events.phase[event] + 1);
    PhaseLanes& counts = by_phase[events.phase[event]];
    counts.requests += times_;
    counts.lanes += static_cast<std::uint64_t>(lanes_in(events.mask[event])) * times_;

    const Place place{events.block[event], events.warp[event], events.phase[event]};
    if (access >= latest_.size()) latest_.resize(access + 1);
    Latest& latest = latest_[access];
    if (!(latest.place == place)) {
      latest = {place, false};
      counts.warps += times_;
    }
    if (!latest.divergent && (events.mask[event] & launched(place.warp)) != launched(place.warp)) {
      latest.divergent = true;
      counts.divergent_warps += times_;
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

  /// Mostly all, and to count bits is a call where the compiler may not suppose that the processor can.
  static int lanes_in(std::uint32_t mask) { return mask == 0xffffffffu ? kWarpSize : std::popcount(mask); }

  [[nodiscard]] std::uint32_t launched(std::uint32_t warp) {
    if (warp != launched_of_) {
      launched_of_ = warp;
      launched_ = launched_lanes(recording_, warp);
    }
    return launched_;
  }

  const Recording& recording_;
  std::uint64_t times_;
  std::vector<Latest> latest_;  ///< By access
  std::uint32_t launched_of_ = ~0u, launched_ = 0;
};

}  // namespace

std::size_t Divergence::access_or_first_load(const Recording& recording, std::uint32_t site) const {
  if (site < access_of.size() && access_of[site] >= 0) return static_cast<std::size_t>(access_of[site]);
  const auto load = std::find_if(accesses.begin(), accesses.end(), [&](const AccessLanes& access) {
    const Site& first = recording.sites[access.sites.front()];
    return first.space == Space::global && reads(first.op, first.space) && !is_atomic(first.op);
  });
  return load == accesses.end() ? 0 : static_cast<std::size_t>(load - accesses.begin());
}

LaneTotals::LaneTotals(const Recording& launch) : launch_(launch), access_of_(launch.sites.size(), kNotMet) {}

void LaneTotals::add(const Recording& recording) {
  blocks_ += recording.event_blocks.size();
  add(recording, {0, recording.events.size()}, 1);
}

void LaneTotals::add(const Recording& recording, std::uint32_t event_block, std::uint64_t blocks) {
  blocks_ += blocks;
  add(recording, events_of_block(recording, event_block), blocks);
}

void LaneTotals::add(const Recording& recording, EventRange events, std::uint64_t times) {
  const std::vector<std::uint32_t> sites = sites_in(launch_, recording);
  LaneCounter counter(recording, times);
  for (std::size_t event = events.begin; event < events.end && !too_many_; ++event) {
    const std::uint32_t site = sites[recording.events.site[event]];
    if (site >= access_of_.size()) continue;
    if (access_of_[site] == kNotMet)
      meet(site, touched_at(launch_, recording, launch_.sites[site].space, recording.events.base[event]));
    if (access_of_[site] < 0) continue;
    const auto access = static_cast<std::size_t>(access_of_[site]);
    counter.add(event, access, accesses_[access].by_phase);
  }
}

LaneTotals::Key LaneTotals::key_of(std::uint32_t index, const std::string& of) const {
  const Site& site = launch_.sites[index];
  // Without source lines every instruction stands for itself.
  return {site.file, site.line, site.line == 0 ? site.instruction + 1 : 0, site.space, site.op, of};
}

void LaneTotals::meet(std::uint32_t site, const std::string& of) {
  if (launch_.totals[site].requests == 0) {
    access_of_[site] = kLeftOut;
    return;
  }
  const auto [entry, is_new] = known_.try_emplace(key_of(site, of), accesses_.size());
  access_of_[site] = static_cast<std::int32_t>(entry->second);
  if (!is_new) return;
  too_many_ = std::uint64_t{launch_.phases.size()} * (accesses_.size() + 1) > kMaxLaneCounts;
  if (too_many_) {
    accesses_.clear();
    std::ranges::fill(access_of_, kLeftOut);
    return;
  }
  AccessLanes& access = accesses_.emplace_back();
  access.of = of;
  access.by_phase.resize(launch_.phases.size());
}

Divergence LaneTotals::counted() const {
  Divergence result;
  result.blocks = blocks_;
  result.warps = blocks_ * launch_.warps_per_block();
  result.access_of.assign(launch_.sites.size(), -1);
  std::map<Key, std::size_t> not_met;  // Sites that none of the blocks came to: index into result.accesses
  std::vector<std::int32_t> place(accesses_.size(), -1);
  for (std::uint32_t s = 0; s < launch_.sites.size() && !too_many_; ++s) {
    const SiteTotals& totals = launch_.totals[s];
    if (totals.requests == 0) continue;
    std::size_t at = result.accesses.size();
    const auto known = access_of_[s] >= 0 ? known_.end() : known_.find(key_of(s, {}));
    if (access_of_[s] >= 0 || known != known_.end()) {
      const std::size_t met = access_of_[s] >= 0 ? static_cast<std::size_t>(access_of_[s]) : known->second;
      if (place[met] < 0) {
        place[met] = static_cast<std::int32_t>(at);
        result.accesses.push_back(accesses_[met]);
      }
      at = static_cast<std::size_t>(place[met]);
    } else if (const auto [entry, is_new] = not_met.try_emplace(key_of(s, {}), at); is_new) {
      result.accesses.emplace_back().by_phase.resize(launch_.phases.size());
    } else {
      at = entry->second;
    }
    AccessLanes& access = result.accesses[at];
    access.sites.push_back(s);
    access.requests += totals.requests;
    access.divergent_requests += totals.divergent_requests;
    access.thread_accesses += totals.thread_accesses;
    result.access_of[s] = static_cast<std::int32_t>(at);
  }
  result.too_many =
      too_many_ || std::uint64_t{launch_.phases.size()} * result.accesses.size() > kMaxLaneCounts;
  if (result.too_many) {
    result.accesses.clear();
    result.access_of.assign(launch_.sites.size(), -1);
  }
  for (AccessLanes& access : result.accesses) {
    for (const PhaseLanes& phase : access.by_phase) {
      access.phases += phase.requests > 0 ? 1 : 0;
      access.divergent_phases += phase.divergent_warps > 0 ? 1 : 0;
      access.making += phase.warps;
      access.divergent += phase.divergent_warps;
    }
    access.warp_phases = result.warps * access.phases;
  }
  return result;
}

Divergence divergence(const Recording& recording) {
  LaneTotals totals(recording);
  totals.add(recording);
  return totals.counted();
}

std::vector<std::vector<PhaseLanes>> lanes_of_warp(const Recording& recording, const Divergence& divergence,
                                                   std::uint32_t event_block, std::uint32_t warp) {
  std::vector<std::vector<PhaseLanes>> lanes(divergence.accesses.size(),
                                             std::vector<PhaseLanes>(recording.phases.size()));
  LaneCounter counter(recording);
  const EventRange range = events_of_warp(recording, event_block, warp);
  for (std::size_t event = range.begin; event < range.end; ++event) {
    const std::int32_t access = divergence.access_of[recording.events.site[event]];
    if (access >= 0)
      counter.add(event, static_cast<std::size_t>(access), lanes[static_cast<std::size_t>(access)]);
  }
  return lanes;
}

std::uint32_t launched_lanes(const Recording& recording, std::uint32_t warp) {
  const std::uint64_t before = std::uint64_t{warp} * kWarpSize, threads = recording.block.count();
  if (threads <= before) return 0;
  return threads - before >= kWarpSize ? 0xffffffffu : (1u << (threads - before)) - 1;
}

}  // namespace warplens::analysis
