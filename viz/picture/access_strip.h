// A figure of every access of a phase as a row of bars, the current one marked: how the one access drawn above compares with its neighbours.
#pragma once

#include "viz/picture/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

enum class AccessFigure : std::uint8_t { sectors, wavefronts };

/// Cuts its place off the bottom of `rest`. Bars of the accesses of `event`'s phase that have the figure; costly ones, those above their ideal,
/// hatched.
void draw_access_strip(Canvas& canvas, Rect& rest, const Moment& moment, std::size_t event, AccessFigure figure);

}  // namespace warplens::picture
