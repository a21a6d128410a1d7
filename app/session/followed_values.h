// Machine code whose addresses or branches depend on what it loads, followed with the values that the launch began with. Private to app/session.
#pragma once

#include <atomic>

#include "app/session/launch_support.h"
#include "kernels/sass/follow.h"

namespace warplens::app {

struct FollowedValues {
  sass::Followed followed;
  Countable after;  ///< Its memory is what the machine code leaves, but for bytes that it stored without their being known
};

/// Errors: more than seconds of it, large buffers, and those of sass::follow.
[[nodiscard]] Result<FollowedValues> follow_values(const Recording& recording, const sass::Listing& listing, const sass::Function& function,
                                                   sass::Launch launch, const std::atomic<bool>* cancelled);

}  // namespace warplens::app
