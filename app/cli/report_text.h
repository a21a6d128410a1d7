// A report for people: aligned columns, grouped digits, source lines beside their figures.
#pragma once

#include <string>
#include <vector>

#include "app/session/as_compiled.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/costs.h"

namespace warplens::app {

/// `costs`: analysis::costs_of_totals.
[[nodiscard]] std::string report_text(const Recording& recording, const analysis::Report& report, const AsCompiled& compiled,
                                      const std::vector<analysis::LineCost>& costs);
/// "64 of 64 blocks, 1,843,200 warp instructions; verified: C equals the reference".
[[nodiscard]] std::string run_in_words(const Recording& recording);
/// The findings, one a line; empty if there are none.
[[nodiscard]] std::string findings_text(const Recording& recording);

}  // namespace warplens::app
