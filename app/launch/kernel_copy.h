// A kernel of the ladder as a file of one's own, to be edited.
#pragma once

#include "app/launch/launch.h"

namespace warplens::app {

/// The launch of a copy of a catalogue kernel's source: the same kernel on the same sizes, padding included,
/// with the same blocks. Its form is in expressions of the sizes as far as the kernel's own launch is; its
/// file is named after the kernel and lies nowhere yet. The error is that of the kernel's values.
[[nodiscard]] Result<LaunchRequest> copy_of_kernel(const LaunchRequest& request);

}  // namespace warplens::app
