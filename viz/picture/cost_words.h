// What is paid beyond the ideal, in words: for the picture, its table, and reports.
#pragma once

#include <string>

#include "viz/analysis/costs.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// "shared load of as": with the buffer or array where a recorded access tells it, or where there is no
/// other.
[[nodiscard]] std::string cost_access(const Recording& recording, const analysis::LineCost& cost);
/// "Line 24"; of another file than the main one (analysis::Facts::source_file) "loads.cuh:24".
[[nodiscard]] std::string cost_place(const Recording& recording, const analysis::LineCost& cost,
                                     std::uint32_t main_file);
/// "16,252,928 wavefronts"; of global memory sectors, or the transactions of older rules.
[[nodiscard]] std::string counted_units(Space space, std::uint64_t count, analysis::ComputeCapability cc);
/// What to see in the dearest request, without a full stop; empty where none is kept.
[[nodiscard]] std::string cost_sentence(const Recording& recording, const analysis::LineCost& cost,
                                        analysis::ComputeCapability cc);
/// "With rows of 33 words: 1 wavefront a request", and which other access gets worse by it; empty where
/// nothing mends it.
[[nodiscard]] std::string fix_words(const Recording& recording, const analysis::LineCost& cost,
                                    analysis::ComputeCapability cc);

}  // namespace warplens::picture
