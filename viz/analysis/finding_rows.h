// Findings as they are listed: a kind at a line is one row, however many warps, lanes and other accesses it
// is of. Whoever lists findings lists these rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::analysis {

struct FindingRow {
  std::uint32_t first = 0;             ///< Index of the finding whose place and text the row shows
  std::uint64_t count = 0;             ///< Of all of them
  std::vector<std::uint32_t> members;  ///< Their indices, ascending, `first` among them
  /// Lines of other accesses, in the order of the members, each once: of races, barriers and deadlocks.
  std::vector<std::uint32_t> other_lines;
};
/// In the order of their first findings.
[[nodiscard]] std::vector<FindingRow> finding_rows(std::span<const Finding> findings);

}  // namespace warplens::analysis
