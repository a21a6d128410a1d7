// A report as JSON, with the fields that docs/cli.md promises. Integers are exact.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <vector>

#include "app/compiled/as_compiled.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/costs.h"

namespace warplens::app {

[[nodiscard]] nlohmann::ordered_json totals_json(const analysis::Report& report);
/// The whole document. `costs`: analysis::costs_of_totals.
void write_report_json(std::ostream& out, const Recording& recording, const analysis::Report& report,
                       const AsCompiled& compiled, const std::vector<analysis::LineCost>& costs);

}  // namespace warplens::app
