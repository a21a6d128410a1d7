// What hardware refuses to launch.
#pragma once

#include "app/launch/launch.h"

namespace warplens::app {

/// Whether a kernel of a file can be launched so: as its launch bounds say, and with the shared memory that
/// the request's compute capability has. A grid whose blocks wait for each other must be one that its card
/// holds at a time, as far as its registers are left out, which are not known yet. Of a launch on the GPU
/// that is here, the driver knows how much it has.
[[nodiscard]] Result<Done> check_limits(const LaunchRequest& request, const ptx::Module& module,
                                        const ptx::Function& entry);

}  // namespace warplens::app
