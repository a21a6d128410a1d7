#include "viz/picture/level_figures.h"

#include <fmt/format.h>

#include "kernels/base/texts.h"

namespace warplens::picture {

const char* name_of(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::registers: return tr("Registers");
    case MemoryLevel::shared: return tr("Shared memory");
    case MemoryLevel::l1: return tr("L1");
    case MemoryLevel::l2: return tr("L2");
    case MemoryLevel::dram: return tr("DRAM");
  }
  return "";
}
namespace {

const char* meaning_of(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::registers:
      return tr("What lanes load into registers and store from them, each lane's bytes counted.");
    case MemoryLevel::shared: return tr("What lanes load from shared memory and store there.");
    case MemoryLevel::l1:
      return tr(
          "The 32-byte sectors that warps request from L1: bytes that several lanes share are requested "
          "once, and sectors are requested whole.");
    case MemoryLevel::l2:
      return tr(
          "What L2 delivers to L1s, and takes. No record of a kernel tells what an L1 still holds: at least, "
          "every sector comes once, at most each time that it is requested.");
    case MemoryLevel::dram:
      return tr(
          "What DRAM delivers to an L2 that holds nothing at first, and takes. At least, every sector comes "
          "once; what is written may stay in L2.");
  }
  return "";
}

}  // namespace

std::string band_in_words(const analysis::LevelBand& band) {
  std::string max = bytes_in_words(band.max);
  if (band.exact()) return max;
  std::string min = bytes_in_words(band.min);
  if (min == max) return tr("about {bytes}", "bytes"_a = max);
  const std::size_t unit = max.find(' ');
  if (unit != std::string::npos && min.ends_with(max.substr(unit)))
    min.resize(min.size() - (max.size() - unit));
  return tr("{least} to {most}", "least"_a = min, "most"_a = max);
}
namespace {

void say_in_words(LevelFigures& figures) {
  const std::string up = band_in_words(figures.to_registers), down = band_in_words(figures.from_registers);
  if (figures.level == MemoryLevel::l2 || figures.level == MemoryLevel::dram) {
    figures.up = tr("{bytes} read", "bytes"_a = up);
    const bool may_be_none = figures.from_registers.min == 0 && figures.from_registers.max != 0;
    figures.down = may_be_none
                       ? tr("at most {bytes} written", "bytes"_a = bytes_in_words(figures.from_registers.max))
                       : tr("{bytes} written", "bytes"_a = down);
    return;
  }
  figures.up = figures.level == MemoryLevel::l1 ? tr("{bytes} requested", "bytes"_a = up)
                                                : tr("{bytes} loaded", "bytes"_a = up);
  figures.down = tr("{bytes} stored", "bytes"_a = down);
}

}  // namespace

LevelFigures level_figures(MemoryLevel level, const analysis::Levels& levels, const CountedLevels& counted) {
  const auto exactly = [](std::uint64_t bytes) { return analysis::LevelBand{.min = bytes, .max = bytes}; };
  LevelFigures figures{.level = level};
  switch (level) {
    case MemoryLevel::registers:
      figures.to_registers = exactly(levels.shared_up + levels.lanes_up);
      figures.from_registers = exactly(levels.shared_down + levels.lanes_down);
      break;
    case MemoryLevel::shared:
      figures.to_registers = exactly(levels.shared_up);
      figures.from_registers = exactly(levels.shared_down);
      break;
    case MemoryLevel::l1:
      figures.to_registers = exactly(levels.l1_up);
      figures.from_registers = exactly(levels.l1_down);
      break;
    case MemoryLevel::l2:
      figures.to_registers = levels.l2_up.value_or(analysis::LevelBand{});
      figures.from_registers = levels.l2_down.value_or(analysis::LevelBand{});
      break;
    case MemoryLevel::dram:
      figures.to_registers = levels.dram_up.value_or(analysis::LevelBand{});
      figures.from_registers = levels.dram_down.value_or(analysis::LevelBand{});
      break;
  }
  say_in_words(figures);
  if (const auto once = figures.to_registers.once_a_block)
    figures.mark = tr("{bytes}: once a block", "bytes"_a = bytes_in_words(*once));
  if (const auto once = figures.to_registers.once_a_wave)
    figures.mark = tr("{bytes}: once a wave", "bytes"_a = bytes_in_words(*once));
  if (level == MemoryLevel::l1) figures.counted_up = counted.l1;
  if (level == MemoryLevel::l2) figures.counted_up = counted.l2;
  if (level == MemoryLevel::dram) figures.counted_up = counted.dram;
  if (figures.counted_up)
    figures.counted = tr("counted: {bytes}", "bytes"_a = bytes_in_words(*figures.counted_up));
  return figures;
}

std::vector<MemoryLevel> levels_shown(const analysis::Levels& levels) {
  std::vector<MemoryLevel> shown;
  const bool global = levels.l1_up + levels.l1_down != 0;
  if (global && levels.dram_up) shown.push_back(MemoryLevel::dram);
  if (global && levels.l2_up) shown.push_back(MemoryLevel::l2);
  if (global) shown.push_back(MemoryLevel::l1);
  if (levels.shared_up + levels.shared_down != 0) shown.push_back(MemoryLevel::shared);
  shown.push_back(MemoryLevel::registers);
  return shown;
}

std::string tooltip_of(const LevelFigures& figures, const LevelsScene& scene) {
  std::string tip = meaning_of(figures.level);
  const auto add = [&tip](const std::string& sentence) {
    tip = tr("{first_sentence} {second_sentence}", "first_sentence"_a = tip, "second_sentence"_a = sentence);
  };
  if (const auto once = figures.to_registers.once_a_block) {
    add(tr("{bytes} if an L1 kept what a block has fetched, and nothing of another's.",
           "bytes"_a = bytes_in_words(*once)));
  }
  if (const auto once = figures.to_registers.once_a_wave) {
    add(
        tr("{bytes} if L2 kept what the {blocks} blocks that run at a time have fetched, and nothing of "
           "those before.",
           "bytes"_a = bytes_in_words(*once), "blocks"_a = with_thousands(scene.blocks_a_wave)));
  }
  if (figures.counted_up) {
    add(tr("The GPU's own counter says {bytes}.", "bytes"_a = bytes_in_words(*figures.counted_up)));
  }
  return tip;
}

}  // namespace warplens::picture
