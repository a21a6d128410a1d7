// What a kernel pays beyond the ideal, access by access of each source line, most first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "viz/analysis/fixes.h"

namespace warplens::analysis {

/// A row of line_figures() that costs more than its ideal. Excess is counted in sectors for global and local
/// memory (transactions before CC 5.0), in wavefronts for shared memory. All are ranked by that count, one
/// for one: it says how much is done in vain, not how long that takes.
struct LineCost {
  std::uint32_t file = 0;  ///< As Site::file
  LineFigures figures;
  double share = 0;  ///< Of the excess of all rows in the same unit; more than 0, at most 1
  /// The request with the greatest excess, where patterns are kept: the first such of the recorded accesses,
  /// else at an address that it may have had.
  std::optional<WarpAccess> dearest;
  std::optional<std::size_t>
      event;  ///< Its place in Recording::events; nullopt: none of these sites' accesses was recorded
  std::optional<Fix> fix;

  [[nodiscard]] std::uint64_t excess() const { return figures.excess(); }
};

/// By excess, most first; equal ones by file and line. `report` must be the recording's. Where sites were
/// costed under other rules (Report::sites_with_other_rules), so are their rows.
[[nodiscard]] std::vector<LineCost> costs(const Recording& recording, const Report& report);
/// The same of a recording's totals alone: equal whichever blocks were recorded.
[[nodiscard]] std::vector<LineCost> costs_of_totals(const Recording& recording, const Report& report);

}  // namespace warplens::analysis
