#pragma once

#include <optional>

#include "viz/canvas/picture.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// One access to global (or local) memory: 32 lanes over a ruler of 128-byte lines, each lane drawn to the
/// bytes it touches, fetched bytes that nobody uses hatched; sectors against the ideal; below, the same
/// figure over the accesses of the phase. Drawn is the access nearest to the moment; `counted` is what a GPU
/// says of it. To one scale with the picture of `beside`, where that is not null.
[[nodiscard]] Picture make_coalescing(const Moment& moment, const Highlight& highlight, Size size,
                                      const Style& style, const Moment* beside = nullptr,
                                      const std::optional<Counted>& counted = std::nullopt);

}  // namespace warplens::picture
