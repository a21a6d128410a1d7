// Findings at their accesses: which event that is, which is the other one of a race, what both touch, and how
// far an address lies outside its buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::analysis {

/// The event of a finding's access; nullopt: none of its lanes was let through, its block has no events here,
/// or the recording does not say.
[[nodiscard]] std::optional<std::size_t> event_of(const Recording& recording, const Finding& finding);
/// The same of the other access of a race.
[[nodiscard]] std::optional<std::size_t> event_of_other(const Recording& recording, const Finding& finding);

/// Bytes [begin, end).
struct ByteRange {
  std::uint64_t begin = 0, end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// What a finding says of one access.
struct Found {
  std::uint32_t finding = 0;           ///< Index into Recording::findings
  bool is_other = false;               ///< The access is the other one of the race
  std::uint32_t lanes = 0;             ///< That are at fault, or meet the other access
  std::uint32_t cut = 0;               ///< Of these, those that were not let through: the event lacks them
  std::optional<std::size_t> partner;  ///< Of a race, the event of the other access
  std::vector<ByteRange>
      both;  ///< Of a race, what the lanes share with the other access, or with each other; by address
};
/// The lane of the other access that touches some of these bytes, which are of that lane; nullopt: none is
/// known to.
[[nodiscard]] std::optional<int> other_lane(const Recording& recording, const Found& found, ByteRange bytes,
                                            int lane);
/// By finding. Most accesses have none.
[[nodiscard]] std::vector<Found> found_at(const Recording& recording, std::size_t event);
/// The same of a finding's access where it has no event. The finding must have an access.
[[nodiscard]] Found found_alone(const Recording& recording, std::uint32_t finding);

/// Returns the address of a lane of Finding::lanes. The finding must have an access.
[[nodiscard]] std::uint64_t found_address(const Finding& finding, int lane);

/// How an address lies to the buffer next to it.
struct Beyond {
  std::uint32_t buffer = 0;  ///< Index into Recording::buffers
  bool before = false;       ///< It lies before the buffer; else it reaches past its end
  bool across = false;       ///< Its first byte is inside
  std::uint64_t distance =
      0;  ///< In bytes: from the buffer's end to the address, or from the address to its beginning
  std::uint64_t edge = 0;    ///< The address where the buffer ends, or begins
  std::int64_t element = 0;  ///< The address's, counted from the buffer's beginning
};
/// nullopt: the bytes are inside a buffer, or no buffer is near.
[[nodiscard]] std::optional<Beyond> beyond(const Recording& recording, std::uint64_t address,
                                           std::uint64_t bytes);

}  // namespace warplens::analysis
