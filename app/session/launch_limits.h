// What hardware refuses to launch.
#pragma once

#include "app/session/launch.h"

namespace warplens::app {

/// Whether a kernel of a file can be launched so: as its launch bounds say, and with the shared memory that the request's compute capability has.
/// Of a launch on the GPU that is here, the driver knows how much it has.
[[nodiscard]] Result<Done> check_limits(const LaunchRequest& request, const ptx::Function& entry);

}  // namespace warplens::app
