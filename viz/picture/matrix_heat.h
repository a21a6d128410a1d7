#pragma once

#include <string>

#include "viz/canvas/picture.h"
#include "viz/picture/element_heat.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// Every buffer as a heat map of how often the recorded blocks read (if nobody reads it: wrote) each element,
/// all on one scale of colours; where `of_grid` is not null, all blocks of the grid. The highlighted
/// element's history is told in words. Where `beside` is not null, the colours are on the scale of both, and
/// elements as large as those of its buffer of the same name.
[[nodiscard]] Picture make_matrix_heat(const CountedElements& counted, const Highlight& highlight, Size size,
                                       const Style& style, const CountedElements* beside = nullptr);

/// B - A: by how much more or less often each element of the buffers of one name and shape is read (if
/// neither reads it: written).
[[nodiscard]] Picture make_heat_difference(const CountedElements& a, const CountedElements& b,
                                           const Highlight& highlight, Size size, const Style& style);

/// "By all 1,024 blocks: read 32 times".
[[nodiscard]] std::string touches_in_words(const Recording& recording, const analysis::GridCounts& counts,
                                           const ElementAt& element);
/// "A[3][64]: read 64 times, by lanes of 2 warps of 1 block, first in phase 1 at line 24, last in phase 15 at
/// line 24."
[[nodiscard]] std::string history_in_words(const Recording& recording, const ElementAt& element);

}  // namespace warplens::picture
