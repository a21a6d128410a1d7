// What accesses to global memory touch, in elements of the buffers: those of loops together. Private to
// viz/analysis.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/analysis/buffer_finder.h"
#include "viz/analysis/element_table.h"
#include "viz/analysis/lanes.h"

namespace warplens::analysis {

/// Neighbouring elements that an access touches equally often, and as many again `step` elements on; `offset`
/// counts elements from the base address.
struct TouchedRuns {
  std::int64_t offset = 0, length = 0;
  std::uint32_t touches = 1;
  std::int64_t step = 0, times = 1;
};

/// What an access touches, in elements of a buffer, from a base address that is a multiple of the element's
/// size.
struct Touched {
  std::vector<TouchedRuns> runs;
  std::int64_t begin = 0, end = 0;  ///< Elements from the base; all runs lie within
};
[[nodiscard]] Touched touched_by(const Shape& shape, std::uint32_t mask, int bytes, int element_bytes);

/// Rows and padding between them: what elements are counted of.
[[nodiscard]] inline std::uint64_t elements_of(const Buffer& buffer) {
  return std::uint64_t{buffer.rows} * buffer.pitch;
}

/// Calls `visit(site, buffer, series, phases)` for all that the added events touch of buffers. `phases` are
/// those of the accesses of the series: as many as its `times`, or as many as touch all of it alike. They are
/// of one warp, so that none is before the last. The recording must outlive it.
template <class Visit>
class AccessSeries {
 public:
  AccessSeries(const Recording& recording, Visit visit)
      : recording_(recording),
        visit_(std::move(visit)),
        buffers_(recording),
        latest_(recording.sites.size()) {}

  /// Adds the accesses of global memory among these events.
  void add(EventRange range) {
    for (std::size_t event = range.begin; event < range.end; ++event) add(event);
  }
  void add(std::size_t event) {
    const std::uint32_t site = recording_.events.site[event];
    if (recording_.sites[site].space != Space::global) return;
    const std::uint32_t mask = recording_.events.mask[event], shape = recording_.events.shape[event];
    const std::uint64_t base = recording_.events.base[event];
    Latest& latest = latest_[site];
    if (base - latest.base >= latest.bytes) {
      tell(site);
      if (!meet_buffer(base, latest)) return tell_by_lane(event);
    }
    const Key key{std::uint64_t{shape} << 32 | mask,
                  static_cast<std::uint32_t>(recording_.sites[site].bytes << 8 | 1 << latest.shift)};
    if (latest.touched == nullptr || latest.key != key) {
      tell(site);
      auto [known, is_new] = known_.try_emplace(key);
      if (is_new)
        known->second =
            touched_by(recording_.shapes[shape], mask, recording_.sites[site].bytes, 1 << latest.shift);
      latest.key = key;
      latest.touched = &known->second;
    }
    const std::uint64_t offset = base - latest.base;
    const auto first = static_cast<std::int64_t>(offset >> latest.shift);
    const bool whole = (offset & ((1u << latest.shift) - 1)) == 0 && first + latest.touched->begin >= 0 &&
                       first + latest.touched->end <= static_cast<std::int64_t>(latest.elements);
    if (!whole) return tell_by_lane(event);
    const auto times = static_cast<std::int64_t>(latest.phases.size());
    if (times == 1) latest.step = first - latest.first;
    const std::uint32_t warp = recording_.events.warp[event];
    const bool goes_on = times != 0 && warp == latest.warp && latest.step >= 0 && latest.step <= kMaxStep &&
                         first == latest.first + latest.step * times;
    if (!goes_on) {
      tell(site);
      latest.first = first;
      latest.warp = warp;
      open_.push_back(site);
    }
    latest.phases.push_back(recording_.events.phase[event]);
  }
  /// Visits what has not been visited yet.
  void finish() {
    for (const std::uint32_t site : std::exchange(open_, {})) tell(site);
  }

 private:
  using Key =
      std::pair<std::uint64_t, std::uint32_t>;  // Shape and mask; widths of the lane's access and the element

  /// In a series, so that some of them lie in one page of counts: rows apart, every lane would look for as
  /// many pages as it takes steps.
  static constexpr std::int64_t kMaxStep = 32;
  /// What a site met last: loops repeat one pattern in one buffer. Those that follow are visited together, as
  /// long as they lie equally far apart.
  struct Latest {
    std::size_t buffer = 0;
    std::uint64_t base = 0, bytes = 0, elements = 0;  ///< The buffer's
    int shift = 0;                                    ///< log2 of an element's bytes
    Key key{};
    const Touched* touched = nullptr;
    std::uint32_t warp = 0;
    std::int64_t first = 0, step = 0;   ///< The first element of the series, and from each to the next
    std::vector<std::uint32_t> phases;  ///< Of its accesses
  };
  /// False: nothing lies at that address.
  [[nodiscard]] bool meet_buffer(std::uint64_t address, Latest& latest) const {
    const Buffer* const buffer = buffers_.at(address);
    if (buffer == nullptr) return false;
    latest.buffer = static_cast<std::size_t>(buffer - recording_.buffers.data());
    latest.base = buffer->base;
    latest.bytes = buffer->bytes;
    latest.elements = elements_of(*buffer);
    latest.shift = std::countr_zero(static_cast<unsigned>(size_of(buffer->type)));
    latest.touched = nullptr;
    return true;
  }

  /// The accesses of a site that have not been visited yet.
  void tell(std::uint32_t site) {
    Latest& latest = latest_[site];
    if (latest.phases.empty()) return;
    const auto times = static_cast<std::int64_t>(latest.phases.size());
    for (const TouchedRuns& runs : latest.touched->runs) {
      const auto visit_series = [&](std::int64_t first, std::int64_t step, std::int64_t of_series) {
        visit_(site, latest.buffer,
               ElementSeries{.first = static_cast<std::uint64_t>(first),
                             .length = static_cast<std::uint64_t>(runs.length),
                             .touches = runs.touches,
                             .step = static_cast<std::uint64_t>(step),
                             .times = static_cast<std::uint64_t>(of_series)},
               std::span<const std::uint32_t>(latest.phases));
      };
      if (times == 1) {
        visit_series(latest.first + runs.offset, runs.step, runs.times);
      } else {
        for (std::int64_t run = 0; run < runs.times; ++run)
          visit_series(latest.first + runs.offset + run * runs.step, latest.step, times);
      }
    }
    latest.phases.clear();
  }

  /// For accesses that leave their buffer, meet several, or lie across elements.
  void tell_by_lane(std::size_t event) {
    const std::uint32_t site = recording_.events.site[event], bytes = recording_.sites[site].bytes;
    for_each_lane(recording_.events.mask[event], [&](int lane) {
      const std::uint64_t address = lane_address(recording_, event, lane);
      const Buffer* buffer = buffers_.at(address);
      if (buffer == nullptr) return;
      const auto element_bytes = static_cast<std::uint64_t>(size_of(buffer->type));
      const std::uint64_t first = (address - buffer->base) / element_bytes;
      const std::uint64_t end =
          std::min((address - buffer->base + bytes - 1) / element_bytes + 1, elements_of(*buffer));
      if (first >= end) return;
      visit_(site, static_cast<std::size_t>(buffer - recording_.buffers.data()),
             ElementSeries{.first = first, .length = end - first},
             std::span<const std::uint32_t>(&recording_.events.phase[event], 1));
    });
  }

  const Recording& recording_;
  Visit visit_;
  BufferFinder buffers_;
  std::map<Key, Touched> known_;
  std::vector<Latest> latest_;       // By site
  std::vector<std::uint32_t> open_;  // Sites that have some, more than once some of them
};

}  // namespace warplens::analysis
