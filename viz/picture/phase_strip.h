#pragma once

#include <vector>

#include "viz/analysis/totals.h"
#include "viz/canvas/picture.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// The phase scrubber: a box a phase, as wide as it has requests (with a least width), fill phases amber,
/// compute phases blue, the current one bright, a marker at the step.
[[nodiscard]] Picture make_phase_strip(const Moment& moment, const std::vector<analysis::PhaseKind>& kinds,
                                       Size size, const Style& style);

/// Where in the strip phases lie, for dragging: every phase's left edge and the right end of the last one, as
/// parts 0..1 of the strip's width.
[[nodiscard]] std::vector<float> phase_edges(const Recording& recording);

/// The phase and the step that a place 0..1 along the strip stands for. `moment` says which warp's steps are
/// meant.
struct StripPlace {
  std::uint32_t phase = 0, step = 0;
};
[[nodiscard]] StripPlace place_on_strip(const Moment& moment, float part);

/// The strip's boxes within a picture of this size: `part` = (x - strip.x) / strip.width.
[[nodiscard]] Rect phase_strip_box(Size size, const Style& style);

}  // namespace warplens::picture
