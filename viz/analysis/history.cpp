#include "viz/analysis/history.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

constexpr std::size_t kStopInterval = 1 << 16;  ///< Events between two looks at the stop token

/// Bytes [begin, end) of one space.
struct Bytes {
  Space space = Space::global;
  std::uint64_t begin = 0, end = 0;
};

/// Goes through events in their order, and gathers those that touch the bytes.
class Historian {
 public:
  Historian(const Recording& recording, Bytes bytes, std::size_t limit)
      : recording_(recording), bytes_(bytes), limit_(limit) {
    for (const Shape& shape : recording.shapes) {
      const auto [low, high] = std::minmax_element(shape.begin(), shape.end());
      extents_.emplace_back(*low, *high);
    }
  }

  WordHistory through(EventRange range, const std::stop_token& stop) {
    for (std::size_t event = range.begin; event < range.end; ++event) {
      if (event % kStopInterval == 0 && stop.stop_requested()) break;
      if (const std::uint32_t lanes = touching(event); lanes != 0) add(event, lanes);
    }
    end_block();
    return std::move(history_);
  }

 private:
  struct Found {
    std::size_t event = 0;
    std::uint32_t lanes = 0;
  };

  /// The lanes of an event that touch the bytes.
  [[nodiscard]] std::uint32_t touching(std::size_t event) const {
    const Site& site = recording_.sites[recording_.events.site[event]];
    if (site.space != bytes_.space) return 0;
    const auto [low, high] = extents_[recording_.events.shape[event]];
    const std::uint64_t base = recording_.events.base[event];
    if (base + static_cast<std::uint64_t>(low) >= bytes_.end ||
        base + static_cast<std::uint64_t>(high) + site.bytes <= bytes_.begin)
      return 0;
    std::uint32_t touching = 0;
    for_each_lane(addressing_lanes(site, recording_.events.mask[event]), [&](int lane) {
      const std::uint64_t address = lane_address(recording_, event, lane);
      if (address < bytes_.end && address + site.bytes > bytes_.begin) touching |= 1u << lane;
    });
    return touching;
  }

  void add(std::size_t event, std::uint32_t lanes) {
    const std::uint32_t block = recording_.events.block[event], warp = recording_.events.warp[event];
    const bool new_block = history_.requests == 0 || block != block_;
    if (new_block) end_block();
    if (new_block) ++history_.blocks;
    if (new_block || warp != warp_) ++history_.warps;
    block_ = block;
    warp_ = warp;

    const Site& site = recording_.sites[recording_.events.site[event]];
    const auto count = static_cast<std::uint64_t>(std::popcount(lanes));
    ++history_.requests;
    if (reads(site)) history_.reads += count, ++history_.read_requests;
    if (writes(site)) history_.writes += count, ++history_.write_requests;
    if (history_.touches.size() >= limit_) return;
    of_block_.push_back({event, lanes});
    if (of_block_.size() >= 2 * limit_) keep_first(limit_);
  }

  /// Events lie warp by warp, each with its phases in turn; the block's own time goes phase by phase.
  void end_block() {
    keep_first(limit_ - std::min(limit_, history_.touches.size()));
    std::sort(of_block_.begin(), of_block_.end(),
              [this](const Found& a, const Found& b) { return time(a) < time(b); });
    for (const Found& found : of_block_)
      history_.touches.push_back(touch_of(recording_, found.event, found.lanes));
    of_block_.clear();
  }

  void keep_first(std::size_t count) {
    if (of_block_.size() <= count) return;
    const auto end = of_block_.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(of_block_.begin(), end, of_block_.end(),
                     [this](const Found& a, const Found& b) { return time(a) < time(b); });
    of_block_.erase(end, of_block_.end());
  }

  [[nodiscard]] std::pair<std::uint32_t, std::size_t> time(const Found& found) const {
    return {recording_.events.phase[found.event], found.event};
  }

  const Recording& recording_;
  Bytes bytes_;
  std::size_t limit_;
  std::vector<std::pair<std::int64_t, std::int64_t>> extents_;  // By shape: lowest and highest offset
  WordHistory history_;
  std::vector<Found> of_block_;
  std::uint32_t block_ = 0, warp_ = 0;  // Of the latest touch
};

}  // namespace

bool reads(const Site& site) {
  return reads(site.op, site.space);
}

bool writes(const Site& site) {
  return writes(site.op, site.space);
}

void add_later(WordHistory& history, const WordHistory& later, std::size_t limit) {
  const std::size_t room = limit - std::min(limit, history.touches.size()),
                    more = std::min(room, later.touches.size());
  history.touches.insert(history.touches.end(), later.touches.begin(),
                         later.touches.begin() + static_cast<std::ptrdiff_t>(more));
  history.requests += later.requests;
  history.reads += later.reads;
  history.writes += later.writes;
  history.read_requests += later.read_requests;
  history.write_requests += later.write_requests;
  history.warps += later.warps;
  history.blocks += later.blocks;
  history.of_blocks += later.of_blocks;
}

WordTouch touch_of(const Recording& recording, std::size_t event, std::uint32_t lanes) {
  const EventColumns& events = recording.events;
  const std::size_t first =
      events_of_phase(recording, events.block[event], events.warp[event], events.phase[event]).begin;
  return {.block = recording.event_blocks[events.block[event]],
          .warp = events.warp[event],
          .phase = events.phase[event],
          .step = static_cast<std::uint32_t>(event - first),
          .site = events.site[event],
          .lanes = lanes};
}

std::optional<std::size_t> event_of(const Recording& recording, const WordTouch& touch) {
  const auto block = std::ranges::find(recording.event_blocks, touch.block);
  if (block == recording.event_blocks.end()) return std::nullopt;
  const EventRange phase = events_of_phase(
      recording, static_cast<std::uint32_t>(block - recording.event_blocks.begin()), touch.warp, touch.phase);
  return touch.step < phase.size() ? std::optional(phase.begin + touch.step) : std::nullopt;
}

WordHistory element_history(const Recording& recording, std::uint32_t buffer, std::uint64_t element,
                            std::size_t limit, const std::stop_token& stop) {
  const auto bytes = static_cast<std::uint64_t>(size_of(recording.buffers[buffer].type));
  const std::uint64_t begin = recording.buffers[buffer].base + element * bytes;
  WordHistory history = Historian(recording, {Space::global, begin, begin + bytes}, limit)
                            .through({0, recording.events.size()}, stop);
  history.of_blocks = recording.event_blocks.size();
  return history;
}

WordHistory shared_word_history(const Recording& recording, std::uint32_t event_block, std::uint32_t word,
                                std::size_t limit, const std::stop_token& stop) {
  const std::uint64_t begin = std::uint64_t{word} * 4;
  WordHistory history = Historian(recording, {Space::shared, begin, begin + 4}, limit)
                            .through(events_of_block(recording, event_block), stop);
  history.of_blocks = 1;
  return history;
}

}  // namespace warplens::analysis
