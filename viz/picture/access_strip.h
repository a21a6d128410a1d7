// A figure of every access of a phase as a row of bars, the current one marked: how the one access drawn
// above compares with its neighbours.
#pragma once

#include <cstdint>
#include <string>

#include "viz/canvas/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

enum class AccessFigure : std::uint8_t { sectors, wavefronts };

/// "4 sectors", or "4 transactions" where a transaction may be of another size than a sector; "2 wavefronts".
[[nodiscard]] std::string figure_in_words(std::uint64_t count, AccessFigure figure,
                                          analysis::ComputeCapability cc);

/// Cuts its place off the bottom of `rest`. Bars of the accesses of `event`'s phase that have the figure;
/// costly ones, those above their ideal, hatched. To one scale with those of the phase of `beside`, where
/// that is not null; bars of sectors and of transactions are no lengths of one measure.
void draw_access_strip(Canvas& canvas, Rect& rest, const Moment& moment, std::size_t event,
                       AccessFigure figure, const Moment* beside = nullptr);

}  // namespace warplens::picture
