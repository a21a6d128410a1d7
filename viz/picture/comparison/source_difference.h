#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "viz/analysis/totals.h"
#include "viz/canvas/list_rows.h"
#include "viz/canvas/picture.h"

namespace warplens::picture {

/// A launch's source with what its lines cost.
struct SourceSide {
  const Recording& recording;
  const analysis::Report& report;
  std::uint32_t file = 0;
  std::uint32_t line = 0;  ///< Of the current access; 0: none
};

/// The source of B with that of A line by line: lines that both have, that A alone has, that B alone has;
/// beneath them what their accesses cost in both, and B against A. As much as fits, from `first_row` on;
/// without it, around B's line.
[[nodiscard]] Picture make_source_difference(const SourceSide& a, const SourceSide& b, Size size,
                                             const Style& style,
                                             std::optional<std::size_t> first_row = std::nullopt);

[[nodiscard]] ListRows source_difference_rows(const SourceSide& a, const SourceSide& b, const Style& style);

}  // namespace warplens::picture
