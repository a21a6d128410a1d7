#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viz/analysis/totals.h"
#include "viz/picture/picture.h"

namespace warplens::picture {

/// Source lines with their figures beneath, as much as fits around `line` (0: the first line with figures).
[[nodiscard]] Picture make_source_margin(const Recording& recording, const analysis::Report& report, std::uint32_t file, std::uint32_t line,
                                         Size size, const Style& style);

}  // namespace warplens::picture
