// What DRAM delivers for an access: bursts, which come whole. docs/memory_levels.md.
#pragma once

#include <cstdint>
#include <vector>

#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

/// What is taken to come from DRAM at a time: two sectors, as GPUs with HBM fetch at the least. NVIDIA
/// documents no figure; GDDR6 may deliver 32.
inline constexpr std::uint32_t kBurstBytes = 64;

struct Burst {
  std::uint64_t address = 0;  ///< A multiple of kBurstBytes
  std::uint64_t used = 0;     ///< A bit for each byte that a lane touches
  std::uint32_t lanes = 0;    ///< Those that do
  [[nodiscard]] int used_bytes() const;
};
/// Those that hold a byte of an active lane, by address. Global memory only.
[[nodiscard]] std::vector<Burst> bursts_of(const WarpAccess& access);
/// The same elements side by side, from a burst's start: what turning the corner in shared memory makes of an
/// access.
[[nodiscard]] WarpAccess corner_turned(const WarpAccess& access);

}  // namespace warplens::analysis
