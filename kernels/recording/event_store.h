// How events lie in the file. They are sorted by (block, warp, order), so runs of equal (block, warp, phase)
// say what four of the eight columns hold: these runs are the *index*. The other four columns (site, mask,
// base, shape) are cut into groups of equal length that decompress on their own, so that the events of a
// block are found by adding up runs, and unpacked without the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/recording/bytes.h"
#include "kernels/recording/recording.h"

namespace warplens {

inline constexpr std::size_t kEventsPerGroup = std::size_t{1} << 16;

/// What an event and a run take once they are loaded.
inline constexpr std::uint64_t kHeldEvent = 7 * sizeof(std::uint32_t) + sizeof(std::uint64_t), kHeldRun = 64;

/// `count` consecutive events of one block, warp and phase.
struct EventRun {
  std::uint32_t block = 0, warp = 0, phase = 0;
  std::uint64_t count = 0;
};

[[nodiscard]] std::vector<EventRun> runs_of(const EventColumns& events);
void write_runs(ByteWriter& writer, const std::vector<EventRun>& runs);
/// Fails unless the runs are sorted by (block, warp, phase), not empty, and their counts add up.
[[nodiscard]] std::vector<EventRun> read_runs(ByteReader& reader);
[[nodiscard]] std::uint64_t count_events(std::span<const EventRun> runs);

/// The bytes of one event in a group, before compression.
inline constexpr std::uint64_t kGroupBytesPerEvent = 20;

/// Writes the site, mask, base and shape of the events of `range`. Each is stored against the same site's
/// event before it in the group: in loops that leaves small numbers that repeat.
void write_group(ByteWriter& writer, const EventColumns& events, EventRange range, std::size_t sites);
/// Reads `count` events; the other columns stay empty. Fails if a site is not below `sites`.
[[nodiscard]] EventColumns read_group(ByteReader& reader, std::size_t count, std::size_t sites);

/// Fills block, warp, phase and order.
void expand_runs(std::span<const EventRun> runs, EventColumns& events);

}  // namespace warplens
