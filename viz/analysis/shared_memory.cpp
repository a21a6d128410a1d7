#include "viz/analysis/shared_memory.h"

#include <algorithm>
#include <utility>

#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

constexpr int kMaxSources = 64;  ///< Loads of one register; files may link them in a circle

/// By site: the load whose value it stores, or -1. A cp.async has no store of its own to name it: its two
/// sites share one instruction.
std::vector<std::int32_t> sources_of_stores(const Recording& recording) {
  std::unordered_map<std::uint32_t, std::int32_t> global_sites;  // By instruction, the first
  for (std::size_t site = 0; site < recording.sites.size(); ++site) {
    if (recording.sites[site].space == Space::global)
      global_sites.try_emplace(recording.sites[site].instruction, static_cast<std::int32_t>(site));
  }
  std::vector<std::int32_t> sources;
  for (const Site& site : recording.sites) {
    std::int32_t source = site.value_from;
    const auto other = global_sites.find(site.instruction);
    if (is_asynchronous_load(site.op) && source < 0 && other != global_sites.end()) source = other->second;
    sources.push_back(source);
  }
  return sources;
}

}  // namespace

SharedMemory::SharedMemory(const Recording& recording, std::uint32_t event_block)
    : recording_(recording),
      buffers_(recording),
      sources_(sources_of_stores(recording)),
      is_source_(recording.sites.size(), false) {
  for (const Site& site : recording.sites)
    next_source_.push_back(site.op == AccessOp::load ? site.value_from : -1);
  for (std::size_t store = 0; store < recording.sites.size(); ++store) {
    if (!writes(recording.sites[store].op, recording.sites[store].space)) continue;
    std::int32_t source = sources_[store];
    for (int step = 0; source >= 0 && step < kMaxSources; ++step) {
      const auto site = static_cast<std::size_t>(source);
      if (recording.sites[site].space == Space::global) is_source_[site] = true;
      source = next_source_[site];
    }
  }
  for (const Site& site : recording.sites) {
    is_store_.push_back(site.space == Space::shared && writes(site.op, site.space));
  }
  state_.words.resize((recording.shared_bytes + 3) / 4);
  for (std::uint32_t warp = 0; warp < recording.warps_per_block(); ++warp)
    state_.left.push_back(events_of_warp(recording, event_block, warp));
}

void SharedMemory::follow_until(std::uint32_t end) {
  const EventColumns& events = recording_.events;
  for (; state_.phase < end; ++state_.phase) {
    for (EventRange& range : state_.left) {
      for (; !range.empty() && events.phase[range.begin] <= state_.phase; ++range.begin) see(range.begin);
    }
  }
}

void SharedMemory::see(std::size_t event) {
  const std::uint32_t site = recording_.events.site[event];
  const std::uint32_t lanes = addressing_lanes(recording_.sites[site], recording_.events.mask[event]);
  if (is_source_[site]) {
    ByLane& latest = state_.loaded[key_of(event, site)];
    for_each_lane(lanes, [&](int lane) { latest[static_cast<std::size_t>(lane)] = event + 1; });
  }
  if (is_store_[site]) store(event, lanes);
}

/// By lane, the latest event of the loads that a store's value may come from; null: none has been executed.
const SharedMemory::ByLane* SharedMemory::latest_loads(std::size_t event, std::int32_t source,
                                                       ByLane& several) const {
  const ByLane* latest = nullptr;
  for (std::int32_t site = source, step = 0; site >= 0 && step < kMaxSources;
       site = next_source_[static_cast<std::size_t>(site)], ++step) {
    const auto loaded = state_.loaded.find(key_of(event, static_cast<std::uint32_t>(site)));
    if (loaded == state_.loaded.end()) continue;
    if (latest == nullptr) {
      latest = &loaded->second;
      continue;
    }
    several = *latest;
    for (std::size_t lane = 0; lane < several.size(); ++lane)
      several[lane] = std::max(several[lane], loaded->second[lane]);
    latest = &several;
  }
  return latest;
}

/// What each lane stores is what it loaded last, unless this store has stored that before.
void SharedMemory::store(std::size_t event, std::uint32_t lanes) {
  const std::uint32_t site = recording_.events.site[event];
  ByLane several;
  const ByLane* const loaded = latest_loads(event, sources_[site], several);
  ByLane* const stored = loaded == nullptr ? nullptr : &state_.stored[key_of(event, site)];
  const CopyLanding* const landing =
      is_asynchronous_load(recording_.sites[site].op) ? landing_of(recording_, event) : nullptr;
  const std::uint32_t phase = recording_.events.phase[event],
                      landed = landing != nullptr ? std::max(phase, landing->landed_phase) : phase;
  for_each_lane(lanes, [&](int lane) {
    const auto l = static_cast<std::size_t>(lane);
    const bool anew = stored != nullptr && (*loaded)[l] != (*stored)[l];
    write(event, lane, anew ? (*loaded)[l] : 0, landed);
    if (anew) (*stored)[l] = (*loaded)[l];
  });
}

/// `load`: the event that loaded the value, counted from 1; 0 if none did. `landed`: SharedWord::landed.
void SharedMemory::write(std::size_t event, int lane, std::size_t load, std::uint32_t landed) {
  const Site& site = recording_.sites[recording_.events.site[event]];
  const std::uint64_t begin = lane_address(recording_, event, lane);
  for (std::uint64_t byte = begin / 4 * 4; byte < begin + site.bytes && byte / 4 < state_.words.size();
       byte += 4) {
    SharedWord& word = state_.words[byte / 4];
    const SharedWord before = std::exchange(word, {});
    const std::uint64_t from = std::max(byte, begin);
    word.written = true;
    word.from_global = load != 0 && find_source(event, load - 1, lane, from - begin, word.source);
    if (word.from_global) {
      const auto each = static_cast<std::uint64_t>(size_of(recording_.buffers[word.source.buffer].type));
      word.elements = static_cast<std::uint32_t>(
          std::max<std::uint64_t>(1, (std::min(byte + 4, begin + site.bytes) - from) / each));
      // The rest of the word holds the elements before, as after two stores of 2 bytes
      ElementPlace next = before.source;
      next.column += before.elements;
      if (before.from_global && next == word.source && before.elements * each == from - byte) {
        word.source = before.source;
        word.elements += before.elements;
      }
    }
    word.warp = recording_.events.warp[event];
    word.lane = static_cast<std::uint32_t>(lane);
    word.phase = recording_.events.phase[event];
    word.landed = landed;
  }
}

/// The element that the byte `offset` of a lane's stored value was loaded from.
bool SharedMemory::find_source(std::size_t event, std::size_t load, int lane, std::uint64_t offset,
                               ElementPlace& place) const {
  const EventColumns& events = recording_.events;
  if (recording_.sites[events.site[load]].bytes != recording_.sites[events.site[event]].bytes) return false;
  const std::uint64_t address = lane_address(recording_, load, lane) + offset;
  return locate_in(recording_, buffers_.at(address), address, place);
}

std::vector<SharedWord> shared_contents(const Recording& recording, std::uint32_t event_block,
                                        std::uint32_t phase, bool including) {
  SharedMemory memory(recording, event_block);
  memory.follow_until(phase + (including ? 1 : 0));
  return memory.words();
}

}  // namespace warplens::analysis
