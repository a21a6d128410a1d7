// Banks over time: one column a shared access of the phase, one row a bank, the conflict degree as colour.
#pragma once

#include "viz/picture/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// Fills `box`; `event` is marked, all shared accesses of its phase are drawn. Colours, banks and time are to one scale with those of the phase of
/// `beside`, where that is not null.
void draw_bank_heat(Canvas& canvas, Rect box, const Moment& moment, std::size_t event, const Moment* beside = nullptr);

/// Requests of the phase by their number of wavefronts, as bars with figures; in `box`. Likewise.
void draw_wavefront_histogram(Canvas& canvas, Rect box, const Moment& moment, std::size_t event, const Moment* beside = nullptr);

}  // namespace warplens::picture
