// The pictures of the arithmetic of memory: the roofline, the ladder's ratios, and what shared memory can
// gain.
#pragma once

#include "viz/analysis/arithmetic.h"
#include "viz/canvas/picture.h"

namespace warplens::picture {

using analysis::Arithmetic;
using analysis::FormulaKernel;
using analysis::MeasuredRate;

/// Attainable rate over flops for each byte of global memory, both logarithmic: the recording by what it
/// fetches, under the lower of the roofs of memory, of shared memory by its wavefronts, and of arithmetic;
/// beside it by what it requests (the textbook's CGMA); the ladder by formula; measured rates.
[[nodiscard]] Picture make_roofline(const Arithmetic& arithmetic, Size size, const Style& style);

/// A row a kernel: its formula, the ratio that it gives, and what the roof lets it reach.
[[nodiscard]] Picture make_intensity_ladder(const Arithmetic& arithmetic, Size size, const Style& style);
/// The height that gives every row its place.
[[nodiscard]] float intensity_ladder_height(const Arithmetic& arithmetic, const Style& style);

/// What tiles gain over naive by formula, over the tile's edge B; the recording at the accesses that it
/// counts.
[[nodiscard]] Picture make_gain(const Arithmetic& arithmetic, const analysis::AccessTimes& times, Size size,
                                const Style& style);

}  // namespace warplens::picture
