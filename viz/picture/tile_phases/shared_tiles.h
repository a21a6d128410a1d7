// The shared arrays of a block as grids: what is written, what it holds, and the words of the current access.
#pragma once

#include <vector>

#include "viz/analysis/footprint.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// Draws every array into `box`, as large as they fit at one scale, and those of `beside` if that is not
/// null. `event`: the current access, if it is to shared memory.
void draw_shared_tiles(Canvas& canvas, Rect box, const Moment& moment,
                       const std::vector<analysis::SharedWord>& shared, std::optional<std::size_t> event,
                       const Highlight& highlight, const Recording* beside = nullptr);

}  // namespace warplens::picture
