// Warp accesses as CSV text, one a row: the form of the measured patterns under tests/data and of `warplens
// pattern`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

/// Columns `op`, `bytes_per_lane`, `active_mask` (0x... or decimal) and `lane_byte_offsets` (by lane from 0,
/// separated by spaces; as many as needed for every lane that counts) in any order; all others are carried
/// along. `op` is one of pattern_ops().
struct PatternTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;             ///< As wide as `columns`
  std::vector<WarpAccess> accesses;                       ///< By row
  [[nodiscard]] int column(std::string_view name) const;  ///< -1 if there is none
};

/// "shared_load", "ldmatrix_x4_trans", "cp_async_global_side", ..
[[nodiscard]] std::vector<std::string> pattern_ops();

/// Takes quoted fields, CRLF and blank lines. Errors name the line and the column.
[[nodiscard]] Result<PatternTable> parse_patterns(std::string_view csv);

/// The same rows with predicted_wavefronts, predicted_bank_conflicts and predicted_sectors added, empty where
/// a figure does not apply.
[[nodiscard]] std::string predictions_csv(const PatternTable& table, ComputeCapability cc);

}  // namespace warplens::analysis
