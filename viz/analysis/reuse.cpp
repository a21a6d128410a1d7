#include "viz/analysis/reuse.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "viz/analysis/buffer_finder.h"
#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

/// Neighbouring elements that an access touches equally often; `offset` counts elements from the base address.
struct Run {
  std::int64_t offset = 0, length = 0;
  std::uint32_t touches = 1;
};

/// What an access touches, in elements of a buffer, from a base address that is a multiple of the element's size.
struct Footprint {
  std::vector<Run> runs;
  std::int64_t begin = 0, end = 0;  ///< Elements from the base; all runs lie within
};

Footprint footprint_of(const Shape& shape, std::uint32_t mask, int bytes, int element_bytes) {
  Footprint footprint;
  std::vector<Run> by_lane;
  for_each_lane(mask, [&](int lane) {
    const std::int64_t offset = shape[static_cast<std::size_t>(lane)];
    const std::int64_t first = floor_divide(offset, element_bytes), last = floor_divide(offset + bytes - 1, element_bytes);
    footprint.begin = std::min(footprint.begin, first);
    footprint.end = std::max(footprint.end, last + 1);
    if (!by_lane.empty() && by_lane.back().offset == first && by_lane.back().length == last + 1 - first) {
      ++by_lane.back().touches;
    } else {
      by_lane.push_back({first, last + 1 - first, 1});
    }
  });
  for (const Run& run : by_lane) {
    Run* before = footprint.runs.empty() ? nullptr : &footprint.runs.back();
    if (before != nullptr && before->offset + before->length == run.offset && before->touches == run.touches) {
      before->length += run.length;
    } else {
      footprint.runs.push_back(run);
    }
  }
  return footprint;
}

const Buffer* buffer_at(const Recording& recording, std::uint64_t address) {
  for (const Buffer& buffer : recording.buffers) {
    if (address - buffer.base < buffer.bytes) return &buffer;
  }
  return nullptr;
}

/// Pages of element counts, of all buffers together: at first, and an event more. 32 lanes that touch neighbouring words fill an eighth of one.
constexpr std::uint64_t kPagesAtLeast = std::uint64_t{1} << 16, kEventsAPage = 8;

std::uint64_t most_pages(const Recording& recording) {
  return kPagesAtLeast + recording.events.size() / kEventsAPage;
}

std::uint64_t elements_of(const Buffer& buffer) {
  return std::uint64_t{buffer.rows} * buffer.pitch;
}

std::vector<ElementCounts> no_counts(const Recording& recording) {
  std::vector<ElementCounts> counts(recording.buffers.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i].buffer = static_cast<std::uint32_t>(i);
  return counts;
}

void finish(std::vector<ElementCounts>& all, bool complete) {
  for (ElementCounts& counts : all) {
    counts.complete = complete;
    if (!complete) counts.reads = {}, counts.writes = {};
    counts.max_reads = counts.reads.most();
    counts.max_writes = counts.writes.most();
  }
}

/// Counts the touches of a recording's events.
class ElementCounter {
 public:
  explicit ElementCounter(const Recording& recording)
      : recording_(recording), buffers_(recording), counts_(no_counts(recording)), pages_(most_pages(recording)), latest_(recording.sites.size()) {}

  std::vector<ElementCounts> count() {
    return count({.begin = 0, .end = recording_.events.size()}, [](std::size_t) { return true; });
  }

  /// Of those events that `wanted` says.
  template <class Wanted>
  std::vector<ElementCounts> count(EventRange range, Wanted wanted) {
    const EventColumns& events = recording_.events;
    for (std::size_t event = range.begin; event < range.end && complete_; ++event) {
      if (recording_.sites[events.site[event]].space == Space::global && wanted(event)) count_event(event);
    }
    for (std::uint32_t site = 0; site < latest_.size(); ++site) add_series(site);
    finish(counts_, complete_);
    return std::move(counts_);
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // Shape and mask; widths of the lane's access and the element

  void count_event(std::size_t event) {
    const std::uint32_t site = recording_.events.site[event], mask = recording_.events.mask[event], shape = recording_.events.shape[event];
    const std::uint64_t base = recording_.events.base[event];
    Latest& latest = latest_[site];
    if (base - latest.base >= latest.bytes) {
      add_series(site);
      if (!meet_buffer(base, latest)) return count_by_lane(event);
    }
    const Key key{std::uint64_t{shape} << 32 | mask, static_cast<std::uint32_t>(recording_.sites[site].bytes << 8 | 1 << latest.shift)};
    if (latest.footprint == nullptr || latest.key != key) {
      add_series(site);
      auto [known, is_new] = footprints_.try_emplace(key);
      if (is_new) known->second = footprint_of(recording_.shapes[shape], mask, recording_.sites[site].bytes, 1 << latest.shift);
      latest.key = key;
      latest.footprint = &known->second;
    }
    const Footprint& footprint = *latest.footprint;
    const std::uint64_t offset = base - latest.base;
    const auto first = static_cast<std::int64_t>(offset >> latest.shift);
    const bool whole = (offset & ((1u << latest.shift) - 1)) == 0 && first + footprint.begin >= 0 &&
                       first + footprint.end <= static_cast<std::int64_t>(latest.elements);
    if (!whole) return count_by_lane(event);
    if (latest.times == 1) latest.step = first - latest.first;
    const bool goes_on = latest.times != 0 && latest.step >= 0 && latest.step <= kMostStep &&
                         first == latest.first + latest.step * static_cast<std::int64_t>(latest.times);
    if (!goes_on) {
      add_series(site);
      latest.first = first;
    }
    ++latest.times;
  }

  /// The accesses of a site that are not added yet.
  void add_series(std::uint32_t site) {
    Latest& latest = latest_[site];
    const std::uint64_t times = std::exchange(latest.times, 0);
    if (times == 0) return;
    for (const Run& run : latest.footprint->runs) {
      add(recording_.sites[site].op, latest.buffer,
          {.first = static_cast<std::uint64_t>(latest.first + run.offset),
           .length = static_cast<std::uint64_t>(run.length),
           .touches = run.touches,
           .step = times > 1 ? static_cast<std::uint64_t>(latest.step) : 0,
           .times = times});
    }
  }

  /// In a series, so that some of them lie in one page of counts: rows apart, every lane would look for as many pages as it takes steps.
  static constexpr std::int64_t kMostStep = 32;
  /// What a site met last: loops repeat one pattern in one buffer. Those that follow are added together, as long as they lie equally far apart.
  struct Latest {
    std::size_t buffer = 0;
    std::uint64_t base = 0, bytes = 0, elements = 0;  ///< The buffer's
    int shift = 0;                                    ///< log2 of an element's bytes
    Key key{};
    const Footprint* footprint = nullptr;
    std::int64_t first = 0, step = 0;  ///< The first element of the series, and from each to the next
    std::uint64_t times = 0;           ///< How many accesses it has
  };
  /// False: nothing lies at that address.
  [[nodiscard]] bool meet_buffer(std::uint64_t address, Latest& latest) const {
    const Buffer* const buffer = buffers_.at(address);
    if (buffer == nullptr) return false;
    latest = {.buffer = static_cast<std::size_t>(buffer - recording_.buffers.data()),
              .base = buffer->base,
              .bytes = buffer->bytes,
              .elements = elements_of(*buffer),
              .shift = std::countr_zero(static_cast<unsigned>(size_of(buffer->type)))};
    return true;
  }

  /// For accesses that leave their buffer, meet several, or lie across elements.
  void count_by_lane(std::size_t event) {
    const Site& site = recording_.sites[recording_.events.site[event]];
    for_each_lane(recording_.events.mask[event], [&](int lane) {
      const std::uint64_t address = lane_address(recording_, event, lane);
      const Buffer* buffer = buffers_.at(address);
      if (buffer == nullptr) return;
      const auto element_bytes = static_cast<std::uint64_t>(size_of(buffer->type));
      const std::uint64_t first = (address - buffer->base) / element_bytes;
      const std::uint64_t end = std::min((address - buffer->base + site.bytes - 1) / element_bytes + 1, elements_of(*buffer));
      if (first >= end) return;
      add(site.op, static_cast<std::size_t>(buffer - recording_.buffers.data()), {.first = first, .length = end - first});
    });
  }

  /// An atomic both reads and writes.
  void add(AccessOp op, std::size_t buffer, const ElementSeries& series) {
    if (op != AccessOp::store) add_to(counts_[buffer].reads, series);
    if (op != AccessOp::load && op != AccessOp::cp_async) add_to(counts_[buffer].writes, series);
  }
  void add_to(ElementTable& table, const ElementSeries& series) { complete_ = table.add(series, pages_) && complete_; }

  const Recording& recording_;
  BufferFinder buffers_;
  std::vector<ElementCounts> counts_;
  std::uint64_t pages_;  ///< That may still be made
  bool complete_ = true;
  std::map<Key, Footprint> footprints_;
  std::vector<Latest> latest_;  // By site
};

}  // namespace

bool locate_in(const Recording& recording, const Buffer* buffer, std::uint64_t address, ElementPlace& place) {
  if (buffer == nullptr || buffer->pitch == 0) return false;
  const std::uint64_t element = (address - buffer->base) / static_cast<std::uint64_t>(size_of(buffer->type));
  if (element >= std::uint64_t{buffer->rows} * buffer->pitch) return false;
  place = {static_cast<std::uint32_t>(buffer - recording.buffers.data()), element / buffer->pitch, element % buffer->pitch};
  return true;
}

std::vector<ElementCounts> element_counts(const Recording& recording) {
  return ElementCounter(recording).count();
}

std::vector<ElementCounts> element_counts(const Recording& recording, std::uint32_t event_block, const std::vector<bool>& sites) {
  return ElementCounter(recording).count(events_of_block(recording, event_block),
                                         [&](std::size_t event) { return sites[recording.events.site[event]]; });
}

ElementSums::ElementSums(const Recording& recording) : counts_(no_counts(recording)), pages_(most_pages(recording)) {}

void ElementSums::add(const std::vector<ElementCounts>& counts) {
  for (std::size_t i = 0; i < counts.size() && complete_; ++i) {
    complete_ = counts[i].complete && counts_[i].reads.add(counts[i].reads, pages_) && counts_[i].writes.add(counts[i].writes, pages_);
  }
}

std::vector<ElementCounts> ElementSums::take() {
  finish(counts_, complete_);
  return std::move(counts_);
}

bool locate(const Recording& recording, std::uint64_t address, ElementPlace& place) {
  return locate_in(recording, buffer_at(recording, address), address, place);
}

std::vector<Touch> history(const Recording& recording, std::uint32_t buffer, std::uint64_t element, std::size_t limit) {
  const auto element_bytes = static_cast<std::uint64_t>(size_of(recording.buffers[buffer].type));
  const std::uint64_t begin = recording.buffers[buffer].base + element * element_bytes, end = begin + element_bytes;

  std::vector<std::pair<std::int64_t, std::int64_t>> extents;  // By shape: lowest and highest offset
  for (const Shape& shape : recording.shapes) {
    const auto [low, high] = std::minmax_element(shape.begin(), shape.end());
    extents.emplace_back(*low, *high);
  }
  std::vector<Touch> touches;
  for (std::size_t event = 0; event < recording.events.size(); ++event) {
    const Site& site = recording.sites[recording.events.site[event]];
    if (site.space != Space::global) continue;
    const auto [low, high] = extents[recording.events.shape[event]];
    const std::uint64_t base = recording.events.base[event];
    if (base + static_cast<std::uint64_t>(low) >= end || base + static_cast<std::uint64_t>(high) + site.bytes <= begin) continue;
    for_each_lane(recording.events.mask[event], [&](int lane) {
      const std::uint64_t address = lane_address(recording, event, lane);
      if (address < end && address + site.bytes > begin && touches.size() < limit) touches.push_back({event, lane});
    });
    if (touches.size() == limit) break;
  }
  return touches;
}

}  // namespace warplens::analysis
