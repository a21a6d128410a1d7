#pragma once

#include <vector>

#include "viz/analysis/pipeline.h"
#include "viz/analysis/totals.h"
#include "viz/canvas/picture.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// The stages of a block's shared memory over its phases: a row a stage, in it what is in flight (hatched),
/// what has landed and waits (pale) and what is read (solid), with the number of the filling; below them a
/// row a warp, with what it does in each phase. Of many phases those around the current one. `kinds`:
/// analysis::phase_kinds of the recording.
[[nodiscard]] Picture make_pipeline(const Moment& moment, const analysis::Pipeline& pipeline,
                                    const std::vector<analysis::PhaseKind>& kinds, Size size,
                                    const Style& style);

}  // namespace warplens::picture
