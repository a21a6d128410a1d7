// What host code says of a kernel's launch. Private to app/session.
#pragma once

#include "app/session/kernel_file.h"
#include "app/session/launch_form.h"

namespace warplens::app {

/// Fills in what the form does not say yet, or only guesses, and the source's own `<<<>>>` does, with the
/// variables and cudaMallocs that lead to it: block, grid, shared memory, scalars, and how large buffers are.
/// What the source does not say plainly is left out.
void read_host_launch(LaunchForm& form, const KernelFile& file, const FileEntry& entry);

}  // namespace warplens::app
