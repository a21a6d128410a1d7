// The arithmetic of a recording's kernel among that of the ladder: counts beside formulas.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/analysis/arithmetic.h"

namespace warplens::app {

/// What the recording counts, or why it counts nothing, and the formulas of the ladder at its size (1,024 if
/// it is of no product). The roof is the textbook's, and nothing is measured.
[[nodiscard]] analysis::Arithmetic arithmetic_of(const Recording& recording, const analysis::Report& report);

/// "1,024", or "1,021 x 1,020 x 1,022"
[[nodiscard]] std::string product_size_in_words(std::uint64_t m, std::uint64_t p, std::uint64_t n);

/// The value of T; 0 if there is none.
[[nodiscard]] std::int64_t tile_of(const std::vector<NamedValue>& parameters);

}  // namespace warplens::app
