// The figures of a line of code: its accesses, those of one kind that cost the same per request added up (an
// unrolled loop has many a line).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/analysis/totals.h"

namespace warplens::analysis {

/// By the GPU; by the replay of the machine code.
struct CountedTwice {
  std::uint64_t counted = 0, compiled = 0;
  [[nodiscard]] bool agrees() const { return counted == compiled; }
  CountedTwice& operator+=(const CountedTwice& other);
};

/// What a GPU counted of the instructions that a row is made of.
struct HardwareCount {
  CountedTwice cost;  ///< Sectors, or wavefronts of shared memory
  CountedTwice requests, ideal;
  CountedTwice lines;         ///< Of global memory alone
  std::uint64_t written = 0;  ///< The cost by the replay of the PTX, of a row as written
  /// `written` stays.
  HardwareCount& operator+=(const HardwareCount& other);
  [[nodiscard]] bool agrees() const {
    return cost.agrees() && requests.agrees() && ideal.agrees() && lines.agrees();
  }
  /// The assembler made other accesses of those that are written.
  [[nodiscard]] bool explained() const { return agrees() && written != 0 && cost.counted != written; }
};

struct LineFigures {
  std::uint32_t line = 0;  ///< Of the source
  Space space = Space::global;
  AccessOp op = AccessOp::load;
  std::string array;  ///< The buffer or shared array that they touch; empty: not told apart by it
  std::vector<std::uint32_t> sites;
  Totals totals;
  bool counts_sectors =
      true;  ///< As the memory rules do (MemoryRules); before compute capability 5.0 transactions
  /// What the hardware counted for a row as written: for all of the line's accesses of its space and
  /// operation, which the assembler may have merged.
  std::optional<HardwareCount> hardware = std::nullopt;

  /// In tables as it is, and tr() of it in the window.
  [[nodiscard]] const char* unit() const {
    if (space == Space::shared) return marked("wavefronts");
    return counts_sectors ? marked("sectors") : marked("transactions");
  }
  [[nodiscard]] const char* short_unit() const {
    // Translators: short for wavefronts
    if (space == Space::shared) return tr("wf");
    // Translators: short for sectors, which are pieces of 32 bytes
    if (counts_sectors) return tr("sect.");
    // Translators: short for transactions of memory
    return tr("trans");
  }
  [[nodiscard]] std::uint64_t cost() const {
    return space == Space::shared ? totals.cost.wavefronts : totals.cost.sectors;
  }
  [[nodiscard]] std::uint64_t ideal() const {
    return space == Space::shared ? totals.cost.ideal_wavefronts : totals.cost.ideal_sectors;
  }
  [[nodiscard]] double cost_per_request() const {
    return static_cast<double>(cost()) / static_cast<double>(totals.requests);
  }
  [[nodiscard]] double ideal_per_request() const {
    return static_cast<double>(ideal()) / static_cast<double>(totals.requests);
  }
  /// More than the same lanes would need with perfect addresses.
  [[nodiscard]] bool costly() const { return cost() > ideal(); }
  [[nodiscard]] std::uint64_t excess() const { return costly() ? cost() - ideal() : 0; }
};

// Each in PTX order of the first instruction; sites that made no request are left out. `arrays`, by site:
// accesses to different ones are told apart.

/// Returns the figures of one source line.
[[nodiscard]] std::vector<LineFigures> line_figures(const Recording& recording, const Report& report,
                                                    std::uint32_t file, std::uint32_t line,
                                                    std::span<const std::string> arrays = {});
/// Returns the figures of all lines of one file, by line.
[[nodiscard]] std::vector<LineFigures> file_figures(const Recording& recording, const Report& report,
                                                    std::uint32_t file,
                                                    std::span<const std::string> arrays = {});
/// Returns the figures of every instruction, by its line of the PTX.
[[nodiscard]] std::map<std::uint32_t, std::vector<LineFigures>> ptx_figures(
    const Recording& recording, const Report& report, std::span<const std::string> arrays = {});

/// What a kernel pays beyond the ideal, its rows' added up.
struct TotalExcess {
  std::uint64_t sectors = 0;  ///< Of global and local memory
  std::uint64_t wavefronts = 0;
  /// A row's part of those in its unit; 0 of none.
  [[nodiscard]] double share(const LineFigures& row) const;
};
[[nodiscard]] TotalExcess total_excess(const Recording& recording, const Report& report);

}  // namespace warplens::analysis
