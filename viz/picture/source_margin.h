#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viz/analysis/line_figures.h"
#include "viz/analysis/totals.h"
#include "viz/canvas/picture.h"

namespace warplens::picture {

/// Returns the lines as they are drawn: a tab is two spaces.
[[nodiscard]] std::vector<std::string> source_lines(const std::string& text);

/// Source lines with their figures beneath, as much as fits around `line` (0: the first line with figures).
/// The bars of excess are parts of the kernel's, or of `total_beside` where that, of another kernel beside
/// it, is greater.
[[nodiscard]] Picture make_source_margin(const Recording& recording, const analysis::Report& report,
                                         std::uint32_t file, std::uint32_t line, Size size,
                                         const Style& style, const analysis::TotalExcess& total_beside = {});

/// The same lines without any figures, and all of each: lines that are wider than the picture go on below.
[[nodiscard]] Picture make_source_code(const Recording& recording, std::uint32_t file, std::uint32_t line,
                                       Size size, const Style& style);

}  // namespace warplens::picture
