// How many bytes each level of memory hands to the next: from DRAM to the registers, and back.
#pragma once

#include <optional>
#include <string>

#include "viz/analysis/levels.h"
#include "viz/canvas/picture.h"

namespace warplens::picture {

/// What a GPU's counters say, in bytes towards the registers; nullopt: nobody has asked one.
struct CountedLevels {
  std::optional<std::uint64_t> l1, l2, dram;
};

struct LevelsScene {
  std::string kernel;
  analysis::Levels grid;            ///< Of all blocks that were counted
  std::string blocks;               ///< "all 64 blocks"
  std::string why_no_bands;         ///< Where `grid` has none
  std::uint64_t blocks_a_wave = 0;  ///< 0: not known
  CountedLevels counted;
  std::optional<analysis::Levels> phase;  ///< Of the block and the phase that are looked at
  std::string phase_name;                 ///< "tile 3 of 8, fill, of block (0, 0)"
};

/// Ribbons as wide as the bytes: solid what must flow, pale what may. Where there is little room, a row for
/// each level. To one scale with the picture of `beside`, where that is not null.
[[nodiscard]] Picture make_memory_levels(const LevelsScene& scene, Size size, const Style& style,
                                         const LevelsScene* beside = nullptr);

/// "0.52 MB", in powers of 1000 as rates are; up to 9,999 bytes as they are.
[[nodiscard]] std::string bytes_in_words(std::uint64_t bytes);

}  // namespace warplens::picture
