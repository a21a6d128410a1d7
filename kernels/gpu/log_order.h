// The GPU runs lanes that have parted in what order it likes, and at the same time. Their log is put into the
// order of the replay.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/dim3.h"

namespace warplens::gpu {

/// Something that lanes of a warp did together: what one lane did stands in the log in the order in which it
/// did it.
struct LogEntry {
  std::uint32_t mask = 0;     ///< The lanes
  bool parting = false;       ///< They part: an entry that says nothing else
  std::uint32_t taken = 0;    ///< Of a parting at a branch: who goes first; 0 for one with many targets
  bool calls = false;         ///< .. of a call by address: whoever calls with the lowest lane comes first
  std::uint32_t awaited = 0;  ///< .. of no way at all, where lanes meet: what these had to do comes before
  std::array<std::uint32_t, kWarpSize> together{};  ///< Of a parting, by lane: those that go its way
};

/// Indices of the entries that are no partings. Of lanes that part, those that take the branch come first,
/// all the way to where they meet the others; of the ways that a branch with many targets leads, that whose
/// lowest lane is the highest.
[[nodiscard]] std::vector<std::uint32_t> replay_order(std::span<const LogEntry> entries);

}  // namespace warplens::gpu
