// Machine code whose addresses or branches depend on what it loads, followed with the values that the launch
// began with.
#pragma once

#include <atomic>

#include "app/launch/launch_support.h"
#include "kernels/sass/symbolic_execution.h"

namespace warplens::app {

struct FollowedValues {
  sass::SymbolicExecution followed;
  Countable after;  ///< Its memory is what the machine code leaves, but for bytes that it stored without
                    ///< their being known
};

/// Errors: more than seconds of it, large buffers, and those of sass::execute_symbolically.
[[nodiscard]] Result<FollowedValues> follow_values(const Recording& recording, const sass::Listing& listing,
                                                   const sass::Function& function, sass::Launch launch,
                                                   const std::atomic<bool>* cancelled);

/// Whether what a whole grid's machine code leaves in its buffers is known, and byte for byte what a replay
/// of the recording's launch leaves. Replays it; false as well where that would take more than seconds, or
/// the module has variables in global memory.
[[nodiscard]] bool leaves_what_the_replay_leaves(const Recording& recording, const FollowedValues& values);

}  // namespace warplens::app
