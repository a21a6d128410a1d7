// Counts how often all blocks of a launch access each element, with how many lanes, and which block does,
// where every access of all of them is more than can be kept.
#pragma once

#include <functional>
#include <memory>

#include "app/launch/launch.h"
#include "app/session/loaded.h"
#include "app/session/selection.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/grid_counts.h"
#include "viz/analysis/history.h"

namespace warplens::app {

using SharedGridCounts = std::shared_ptr<const analysis::GridCounts>;

/// Whether a recording lacks the events of blocks that it has counted, so that what is counted of them is not
/// of the grid.
[[nodiscard]] bool lacks_events(const Recording& recording);

/// Whether all blocks of the grid have been counted.
[[nodiscard]] bool has_counts(const Loaded& loaded);

/// Counts the whole grid by a replay of what was recorded. Blocks that are proved to behave alike are counted
/// from one (kernels/replay/extrapolate.h); where none are, each is run and forgotten, and `so_far` is called
/// a few times a second with what is counted until then. Null where neither can be done in bounded memory and
/// time, or the replay is not what was recorded. Progress counts blocks.
[[nodiscard]] Result<SharedGridCounts> count_grid(const Recording& recording,
                                                  replay::Progress* progress = nullptr,
                                                  const std::function<void(SharedGridCounts)>& so_far = {});

/// Whether all blocks have been counted, but who touches an element was more than could be kept.
[[nodiscard]] bool lacks_history(const Loaded& loaded);
/// Who touches an element, by a replay of all blocks that keeps that alone; `so_far` is called a few times a
/// second, and says how many of them have been run. Null where that would take too long, or the replay is not
/// what was recorded.
[[nodiscard]] Result<std::shared_ptr<const analysis::ElementHistory>> history_by_replay(
    const Recording& recording, std::uint32_t buffer, std::uint64_t element,
    replay::Progress* progress = nullptr, const std::function<void(std::uint64_t)>& so_far = {});

/// The same recording, with what was counted of it; null: nothing.
[[nodiscard]] std::shared_ptr<const Loaded> with_counts(const Loaded& loaded, SharedGridCounts counts);
/// The same recording, counted where it lacks events; blocking.
[[nodiscard]] Result<std::shared_ptr<const Loaded>> with_grid_counts(std::shared_ptr<const Loaded> loaded);
/// The same, and the history of an element that is chosen by all blocks, where all have to be run again for
/// it; blocking.
[[nodiscard]] Result<std::shared_ptr<const Loaded>> with_chosen_history(std::shared_ptr<const Loaded> loaded,
                                                                        const Selection& selection);

}  // namespace warplens::app
