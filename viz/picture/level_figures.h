// The figures of Memory levels, and their words.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "viz/analysis/levels.h"
#include "viz/picture/memory_levels.h"

namespace warplens::picture {

enum class MemoryLevel : std::uint8_t { registers, shared, l1, l2, dram };

[[nodiscard]] const char* name_of(MemoryLevel level);

/// "0.52 to 4.19 MB", "4.19 MB".
[[nodiscard]] std::string band_in_words(const analysis::LevelBand& band);

/// What is said of a level, most important first.
struct LevelFigures {
  MemoryLevel level = MemoryLevel::registers;
  std::string up, down, mark, counted;
  analysis::LevelBand to_registers, from_registers;  ///< Bytes on the way there, as they pass this level
  std::optional<std::uint64_t> counted_up;           ///< By a GPU
};

[[nodiscard]] LevelFigures level_figures(MemoryLevel level, const analysis::Levels& levels,
                                         const CountedLevels& counted);

[[nodiscard]] std::vector<MemoryLevel> levels_shown(const analysis::Levels& levels);

[[nodiscard]] std::string tooltip_of(const LevelFigures& figures, const LevelsScene& scene);

}  // namespace warplens::picture
