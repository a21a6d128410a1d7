#include "viz/analysis/found.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

constexpr std::uint64_t kNear = std::uint64_t{1}
                                << 32;  // As far as the replay names the buffer next to an address

std::optional<std::uint32_t> event_block_of(const Recording& recording, Dim3 block) {
  const auto found = std::ranges::find(recording.event_blocks, block);
  if (found == recording.event_blocks.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - recording.event_blocks.begin());
}

bool is_race(FindingKind kind) {
  return kind == FindingKind::race || kind == FindingKind::lane_race || kind == FindingKind::block_race;
}

bool may_be_cut(FindingKind kind) {
  return kind == FindingKind::out_of_bounds || kind == FindingKind::misaligned;
}

/// Where a race lies in a kernel without barriers is known by the warp alone: all that it does is one
/// interval.
EventRange events_with(const Recording& recording, const Finding& finding, std::uint32_t block) {
  const bool anywhere = !recording.phases_are_barriers &&
                        (finding.kind == FindingKind::race || finding.kind == FindingKind::lane_race);
  return anywhere ? events_of_warp(recording, block, finding.warp)
                  : events_of_phase(recording, block, finding.warp, finding.access->phase);
}

bool is_of(const Recording& recording, std::size_t event, std::uint32_t instruction, Space space) {
  const Site& site = recording.sites[recording.events.site[event]];
  return site.instruction == instruction && site.space == space;
}

/// Whether the event is of the finding's lanes: those that were let through are where it says.
bool has_lanes(const Recording& recording, const Finding& finding, std::size_t event) {
  const std::uint32_t mask = recording.events.mask[event];
  if ((mask & ~finding.access->tried) != 0) return false;
  if (!may_be_cut(finding.kind) && (mask & finding.lanes) != finding.lanes) return false;
  bool same = true;
  for_each_lane(mask & finding.lanes, [&](int lane) {
    same &= lane_address(recording, event, lane) == found_address(finding, lane);
  });
  return same;
}

/// Whether the lane of the other access touches that byte in the event.
bool is_other(const Recording& recording, const OtherAccess& other, Space space, std::size_t event) {
  if (!is_of(recording, event, other.instruction, space) ||
      (recording.events.mask[event] >> other.lane & 1) == 0)
    return false;
  const std::uint64_t first = lane_address(recording, event, static_cast<int>(other.lane));
  return other.address - first < recording.sites[recording.events.site[event]].bytes;
}

/// What [begin, end) and the lanes of an event share, but for one lane of it.
void add_shared(const Recording& recording, ByteRange range, std::size_t event, int but_for,
                std::vector<ByteRange>& shared) {
  const std::uint64_t bytes = recording.sites[recording.events.site[event]].bytes;
  for_each_lane(recording.events.mask[event], [&](int lane) {
    const std::uint64_t first = lane_address(recording, event, lane);
    const ByteRange both{std::max(range.begin, first), std::min(range.end, first + bytes)};
    if (lane != but_for && both.begin < both.end) shared.push_back(both);
  });
}

/// By address, each byte once.
std::vector<ByteRange> joined(std::vector<ByteRange> ranges) {
  std::ranges::sort(ranges, {}, &ByteRange::begin);
  std::vector<ByteRange> result;
  for (const ByteRange& range : ranges) {
    if (!result.empty() && range.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, range.end);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

ByteRange bytes_of(const Finding& finding, int lane) {
  const std::uint64_t first = found_address(finding, lane);
  return {first, first + finding.access->bytes};
}

Found at_access(const Recording& recording, std::uint32_t index, std::optional<std::size_t> event) {
  const Finding& finding = recording.findings[index];
  Found found{.finding = index,
              .lanes = finding.lanes,
              .cut = event ? finding.lanes & ~recording.events.mask[*event] : finding.lanes};
  if (!is_race(finding.kind)) return found;
  const std::optional<std::size_t> other = found.partner = event_of_other(recording, finding);
  for_each_lane(finding.lanes, [&](int lane) {
    const ByteRange own = bytes_of(finding, lane);
    if (other) {
      add_shared(recording, own, *other, finding.kind == FindingKind::lane_race ? lane : -1, found.both);
    } else {
      found.both.push_back(own);
    }
  });
  found.both = joined(std::move(found.both));
  return found;
}

Found at_other(const Recording& recording, std::uint32_t index, std::size_t event) {
  const Finding& finding = recording.findings[index];
  Found found{.finding = index, .is_other = true, .partner = event_of(recording, finding)};
  const std::uint64_t bytes = recording.sites[recording.events.site[event]].bytes;
  for_each_lane(recording.events.mask[event], [&](int lane) {
    const std::uint64_t first = lane_address(recording, event, lane);
    for_each_lane(finding.lanes, [&](int met) {
      const ByteRange range = bytes_of(finding, met);
      const ByteRange both{std::max(range.begin, first), std::min(range.end, first + bytes)};
      if (both.begin >= both.end || (finding.kind == FindingKind::lane_race && met == lane)) return;
      found.lanes |= 1u << lane;
      found.both.push_back(both);
    });
  });
  found.both = joined(std::move(found.both));
  return found;
}

}  // namespace

std::optional<std::size_t> event_of(const Recording& recording, const Finding& finding) {
  const std::optional<std::uint32_t> block = event_block_of(recording, finding.block);
  if (!block || !finding.access) return std::nullopt;
  const EventRange range = events_with(recording, finding, *block);
  std::optional<std::size_t> found;
  for (std::size_t event = range.begin; event < range.end; ++event) {
    if (!is_of(recording, event, finding.access->instruction, finding.access->space) ||
        !has_lanes(recording, finding, event))
      continue;
    // Where lanes are missing for two reasons, those of the other reason are in neither.
    if ((recording.events.mask[event] | finding.lanes) == finding.access->tried) return event;
    if (!found) found = event;
  }
  return found;
}

std::optional<std::size_t> event_of_other(const Recording& recording, const Finding& finding) {
  if (!finding.access || !finding.other) return std::nullopt;
  const OtherAccess& other = *finding.other;
  const std::optional<std::uint32_t> block = event_block_of(recording, other.block);
  if (!block) return std::nullopt;
  const bool in_phase = recording.phases_are_barriers && !finding.is_global_race();
  const EventRange range = in_phase ? events_of_phase(recording, *block, other.warp, finding.access->phase)
                                    : events_of_warp(recording, *block, other.warp);
  const std::optional<std::size_t> until =
      finding.kind == FindingKind::lane_race ? event_of(recording, finding) : std::nullopt;
  std::optional<std::size_t> last;
  for (std::size_t event = range.begin; event < range.end; ++event) {
    if (until && event >= *until) break;  // The lanes' other access is an earlier one of the same warp
    if (is_other(recording, other, finding.access->space, event)) last = event;
  }
  return last;
}

std::vector<Found> found_at(const Recording& recording, std::size_t event) {
  std::vector<Found> found;
  const Dim3 block = recording.event_blocks[recording.events.block[event]];
  const std::uint32_t warp = recording.events.warp[event];
  for (std::uint32_t i = 0; i < recording.findings.size(); ++i) {
    const Finding& finding = recording.findings[i];
    if (!finding.access) continue;
    if (finding.block == block && finding.warp == warp && event_of(recording, finding) == event)
      found.push_back(at_access(recording, i, event));
    if (finding.other && finding.other->block == block && finding.other->warp == warp &&
        event_of_other(recording, finding) == event) {
      found.push_back(at_other(recording, i, event));
    }
  }
  return found;
}

std::optional<int> other_lane(const Recording& recording, const Found& found, ByteRange bytes, int lane) {
  const Finding& finding = recording.findings[found.finding];
  if (!finding.other) return std::nullopt;
  std::optional<int> other;
  const auto meet = [&](int candidate, std::uint64_t first, std::uint64_t size) {
    const bool itself = finding.kind == FindingKind::lane_race && candidate == lane;
    if (!other && !itself && first < bytes.end && bytes.begin < first + size) other = candidate;
  };
  if (found.is_other) {
    for_each_lane(finding.lanes, [&](int candidate) {
      meet(candidate, found_address(finding, candidate), finding.access->bytes);
    });
  } else if (found.partner) {
    const std::uint64_t size = recording.sites[recording.events.site[*found.partner]].bytes;
    for_each_lane(recording.events.mask[*found.partner], [&](int candidate) {
      meet(candidate, lane_address(recording, *found.partner, candidate), size);
    });
  } else {
    meet(static_cast<int>(finding.other->lane), finding.other->address, 1);
  }
  return other;
}

Found found_alone(const Recording& recording, std::uint32_t finding) {
  return at_access(recording, finding, std::nullopt);
}

std::uint64_t found_address(const Finding& finding, int lane) {
  const std::uint32_t before = finding.lanes & ((1u << lane) - 1);
  return finding.access->addresses[static_cast<std::size_t>(std::popcount(before))];
}

std::optional<Beyond> beyond(const Recording& recording, std::uint64_t address, std::uint64_t bytes) {
  std::optional<Beyond> nearest;
  for (std::uint32_t b = 0; b < recording.buffers.size(); ++b) {
    const Buffer& buffer = recording.buffers[b];
    const std::uint64_t end = buffer.base + buffer.bytes;
    if (address >= buffer.base && address < end && bytes <= end - address) return std::nullopt;
    const auto from_base = static_cast<std::int64_t>(address - buffer.base);
    const std::int64_t size = size_of(buffer.type);
    Beyond at{.buffer = b, .element = from_base / size - (from_base % size < 0 ? 1 : 0)};
    if (address < buffer.base) {
      at.before = true;
      at.distance = buffer.base - address;
      at.edge = buffer.base;
    } else {
      at.across = address < end;
      at.distance = at.across ? 0 : address - end;
      at.edge = end;
    }
    // Of two as near, the one below, as the replay says it.
    const bool nearer = !nearest || at.distance < nearest->distance ||
                        (at.distance == nearest->distance && nearest->before && !at.before);
    if (at.distance < kNear && nearer) nearest = at;
  }
  return nearest;
}

}  // namespace warplens::analysis
