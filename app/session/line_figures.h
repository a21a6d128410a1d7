// The figures beside a source line: its accesses, those that cost the same per request added up (an unrolled loop has many instructions a line).
#pragma once

#include <cstdint>
#include <vector>

#include "app/session/session.h"

namespace warplens::app {

struct LineFigures {
  Space space = Space::global;
  AccessOp op = AccessOp::load;
  std::vector<std::uint32_t> sites;
  analysis::Totals totals;

  [[nodiscard]] const char* unit() const { return space == Space::shared ? "wavefronts" : "sectors"; }
  [[nodiscard]] std::uint64_t cost() const { return space == Space::shared ? totals.cost.wavefronts : totals.cost.sectors; }
  [[nodiscard]] std::uint64_t ideal() const { return space == Space::shared ? totals.cost.ideal_wavefronts : totals.cost.ideal_sectors; }
  [[nodiscard]] double cost_per_request() const;
  [[nodiscard]] double ideal_per_request() const;
  /// More than the same lanes would need with perfect addresses.
  [[nodiscard]] bool costly() const { return cost() > ideal(); }
};

/// In PTX order of their first instruction; sites that made no request are left out.
[[nodiscard]] std::vector<LineFigures> line_figures(const Loaded& loaded, std::uint32_t file, std::uint32_t line);
/// Those of one PTX instruction's line.
[[nodiscard]] std::vector<LineFigures> ptx_line_figures(const Loaded& loaded, std::uint32_t ptx_line);

}  // namespace warplens::app
