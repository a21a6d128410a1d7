#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viz/analysis/totals.h"
#include "viz/picture/picture.h"

namespace warplens::picture {

/// The figures of one source line and one kind of access: "16,384  32.0 sectors  4.0".
struct LineFigure {
  std::uint32_t line = 0;
  Space space = Space::global;
  AccessOp op = AccessOp::load;
  std::uint64_t requests = 0, cost = 0, ideal = 0;  ///< Sectors, or wavefronts of shared accesses, of all requests together
  [[nodiscard]] double per_request() const { return static_cast<double>(cost) / static_cast<double>(requests); }
  [[nodiscard]] double ideal_per_request() const { return static_cast<double>(ideal) / static_cast<double>(requests); }
  [[nodiscard]] bool costly() const { return cost > ideal; }
  [[nodiscard]] const char* unit() const { return space == Space::shared ? "wavefronts" : "sectors"; }
  [[nodiscard]] const char* short_unit() const { return space == Space::shared ? "wf" : "sec"; }
};
/// Of one file, by line and then in PTX order; sites of a line that cost the same per request are added up, as an unrolled loop has many.
[[nodiscard]] std::vector<LineFigure> line_figures(const Recording& recording, const analysis::Report& report, std::uint32_t file);

/// Source lines with their figures beneath, as much as fits around `line` (0: the first line with figures).
[[nodiscard]] Picture make_source_margin(const Recording& recording, const analysis::Report& report, std::uint32_t file, std::uint32_t line,
                                         Size size, const Style& style);

}  // namespace warplens::picture
