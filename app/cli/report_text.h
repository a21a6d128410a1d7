// A report for people: aligned columns, grouped digits, source lines beside their figures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/compiled/as_compiled.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/costs.h"

namespace warplens::app {

/// `costs`: analysis::costs_of_totals.
[[nodiscard]] std::string report_text(const Recording& recording, const analysis::Report& report,
                                      const AsCompiled& compiled,
                                      const std::vector<analysis::LineCost>& costs);
/// "1 block", "1,024 blocks"
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view several);
/// "tiled  m 256  p 256  n 256  T 16": what was launched.
[[nodiscard]] std::string launch_in_words(const Recording& recording);
/// "64 of 64 blocks, 1,843,200 warp instructions; verified: C equals the reference".
[[nodiscard]] std::string run_in_words(const Recording& recording);
/// The findings, one line for each kind at a line; empty if there are none.
[[nodiscard]] std::string findings_text(const Recording& recording);

}  // namespace warplens::app
