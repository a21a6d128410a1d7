// A picture as a panel of its own, for export: the header that the window would give it, and the panel
// beneath.
#pragma once

#include "viz/canvas/picture.h"

namespace warplens::picture {

/// Adds a picture at a place on another: its items and what can be pointed at.
void add_picture(Picture& on, Picture added, Point at);

/// The room that a frame of this size leaves for the picture.
[[nodiscard]] Size frame_inside(Size size, const Style& style);
/// `inner` must have been made for frame_inside(size, style).
[[nodiscard]] Picture framed(Picture inner, Size size, const Style& style);

}  // namespace warplens::picture
