// How many bytes each level of memory hands on: registers, shared memory, L1, L2, DRAM. What lanes ask for
// and what they ask of L1 is known exactly; below it, what caches keep decides, and no record of a kernel
// tells that: there is a least and a most. The reasons: docs/memory_levels.md.
#pragma once

#include <cstdint>
#include <optional>

#include "viz/analysis/grid_sectors.h"
#include "viz/analysis/totals.h"

namespace warplens::analysis {

/// L1 asks L2 for single sectors since then; earlier ones are not drawn.
inline constexpr ComputeCapability kFirstOfLevels{3, 0};

/// Bytes between two levels, in one direction.
struct LevelBand {
  std::uint64_t min = 0, max = 0;
  /// As if caches kept what a block has fetched, but nothing of another's; as if they kept it for a wave of
  /// blocks, all that run at a time.
  std::optional<std::uint64_t> once_a_block, once_a_wave;
  [[nodiscard]] bool exact() const { return min == max; }
  friend bool operator==(const LevelBand&, const LevelBand&) = default;
};

/// Bytes, of all counted blocks. `up`: towards the registers.
struct Levels {
  std::uint64_t shared_up = 0,
                shared_down = 0;  ///< What lanes load from shared memory, and store there; atomics both
  std::uint64_t lanes_up = 0,
                lanes_down = 0;             ///< What lanes load from global and local memory, and store there
  std::uint64_t l1_up = 0, l1_down = 0;     ///< In whole sectors: what they ask of L1
  std::optional<LevelBand> l2_up, l2_down;  ///< Between L2 and L1; nullopt: the sectors have not been counted
  std::optional<LevelBand> dram_up, dram_down;  ///< Between DRAM and L2
};

/// `sectors`: of the whole grid, or null; `blocks_a_wave`: 0 if it is not known.
[[nodiscard]] Levels levels_of(const Report& report, const GridSectors* sectors, std::uint64_t blocks_a_wave);
/// Returns the levels of one phase of a block whose events are recorded. The minimum counts every sector once
/// in that phase, though L1 may hold it from an earlier one. nullopt: there are too many accesses to count
/// them within a frame.
[[nodiscard]] std::optional<Levels> levels_of_phase(const Recording& recording, std::uint32_t event_block,
                                                    std::uint32_t phase, ComputeCapability cc);

}  // namespace warplens::analysis
