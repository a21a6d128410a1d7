#pragma once

#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// Where no instruction has a line of a source, each gets its own line of the PTX, which is then the first of
/// Module::files.
void give_own_lines(Module& module);

}  // namespace warplens::ptx
