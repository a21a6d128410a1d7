// What replaying a kernel of the ladder and one of the user's have in common. Private to app/session.
#pragma once

#include <optional>

#include "app/session/session.h"

namespace warplens::app {

/// Puts the choices of blocks, checked against the grid, into the options of a replay.
[[nodiscard]] Result<replay::Options> replay_options(Dim3 grid, const BlockChoice& replay_blocks, const std::optional<BlockChoice>& event_blocks,
                                                     analysis::ComputeCapability cc, unsigned threads, replay::Progress* progress);

}  // namespace warplens::app
