#pragma once

#include <vector>

#include "viz/analysis/footprint.h"
#include "viz/analysis/totals.h"
#include "viz/canvas/picture.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// A, B and C to scale with what the block has touched before this phase (dim), touches or holds in it
/// (bright, framed) and will write; beside them the shared arrays, what they hold, and the words of the
/// current access by lane. Kernels that are no matrix product: their buffers as bars. `kinds`:
/// analysis::phase_kinds of the recording. To one scale with the picture of `beside`, where that is not null.
/// `follower`: of the recording, what was worked out for pictures before; null: nothing.
[[nodiscard]] Picture make_tile_phases(const Moment& moment, const std::vector<analysis::PhaseKind>& kinds,
                                       const Highlight& highlight, Size size, const Style& style,
                                       const Recording* beside = nullptr,
                                       analysis::PhaseFollower* follower = nullptr);

}  // namespace warplens::picture
