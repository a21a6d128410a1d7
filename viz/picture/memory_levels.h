// How many bytes each level of memory hands to the next: from DRAM to the registers, and back.
#pragma once

#include <optional>
#include <string>

#include "viz/analysis/levels.h"
#include "viz/picture/picture.h"

namespace warplens::picture {

struct LevelsScene {
  std::string kernel;
  analysis::Levels grid;            ///< Of all blocks that were counted
  std::string blocks;               ///< "all 64 blocks"
  std::string why_no_bands;         ///< Where `grid` has none
  std::uint64_t blocks_a_wave = 0;  ///< 0: not known
  /// Counted by a GPU; nullopt: nobody has asked one.
  std::optional<std::uint64_t> l1_up_counted, l2_up_counted, dram_up_counted;
  std::optional<analysis::Levels> phase;  ///< Of the block and the phase that are looked at
  std::string phase_name;                 ///< "tile 3 of 8, fill, of block (0, 0)"
};

/// Ribbons as wide as the bytes: solid what must flow, pale what may. Where there is little room, a row for each level.
[[nodiscard]] Picture make_memory_levels(const LevelsScene& scene, Size size, const Style& style);

/// "0.52 MB", in powers of 1000 as rates are; up to 9,999 bytes as they are.
[[nodiscard]] std::string bytes_in_words(std::uint64_t bytes);

}  // namespace warplens::picture
