#pragma once

#include "viz/analysis/results.h"
#include "viz/canvas/picture.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// What is paid beyond the ideal: a row for each costly access of a source line, most excess first, with its
/// share as a bar, what to see in its dearest request, and what would mend it. Rows for which there is no
/// room are counted below. `results`: of the moment's recording and rules. To one scale with the picture of
/// another launch, where one is given with its results: the bars are of the greater excess of the two.
[[nodiscard]] Picture make_costs(const Moment& moment, const analysis::Results& results,
                                 const Highlight& highlight, Size size, const Style& style,
                                 const Moment* beside = nullptr,
                                 const analysis::Results* results_beside = nullptr);

}  // namespace warplens::picture
