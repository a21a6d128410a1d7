// The strip of 32 lanes, one colour and one number each, as several views draw it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

struct LaneStrip {
  Rect box;
  [[nodiscard]] Rect cell(int lane) const;
};

/// What stands above the strip: `label` where it fits, else "lanes". Where the memory takes fewer than 32
/// lanes together, half-warps or quarter-warps are set apart and named instead.
struct LaneStripLabels {
  std::string label = tr("lanes");
  int lanes_together = kWarpSize;
};
/// Cuts the strip and its labels off the top of `rest`. Inactive lanes are struck through and grey.
LaneStrip draw_lane_strip(Canvas& canvas, Rect& rest, std::uint32_t mask, const Highlight& highlight,
                          const LaneStripLabels& labels = {});

/// "lanes 16–31 inactive", of those that are not in the access; lanes that the warp lacks, being the block's
/// last and a short one, are "absent". Empty if all make it, or if `mask` is one of pieces.
[[nodiscard]] std::string idle_lanes_in_words(const Recording& recording, std::uint32_t warp, AccessOp op,
                                              std::uint32_t mask);

/// What a GPU counted for an access; of bulk copies and wgmma, that no counter has confirmed the figure yet.
[[nodiscard]] Note comparison_note(AccessOp op, const std::optional<Counted>& counted);

/// A lane's colour for thin lines: the darkest of the dark theme and the brightest of the light one are drawn
/// towards the text's colour, to be seen.
[[nodiscard]] Colour lane_line_colour(const Palette& palette, int lane);

/// How lane numbers are written in cells of this size: all of them or none, for a strip that numbers only its
/// first ten reads as if it had ten. `widest`: of other numbers, the one that takes most room.
[[nodiscard]] std::optional<TextLook> lane_number_look(const Canvas& canvas, Colour background, Rect cell,
                                                       std::string_view widest = "00");

/// A recording without events cannot be stepped: says how to record some.
[[nodiscard]] Picture no_events_picture(const char* title, Size size, const Style& style);

}  // namespace warplens::picture
