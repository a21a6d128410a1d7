// What is the same in all lanes of a warp that go together, and in all threads of a launch; and so where
// lanes may part.
#pragma once

#include <vector>

#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// By block: whether lanes that execute its last instruction together may go on in different ways, or only
/// some of them leave there.
///
/// A condition is taken to be the same in all lanes if it is made of nothing but immediates, parameters,
/// constants read at such an address, and the special registers that describe the launch and the block. A
/// register is not of that kind once a lane may have passed an assignment to it that another has not: written
/// between a parting and where the lanes meet again (BasicBlock::immediate_post_dominator), and read from
/// there on.
[[nodiscard]] std::vector<bool> find_partings(const Function& function, const ControlFlow& flow);

/// By register: whether all threads of a launch read the same in it at one place of the code, if they come
/// there for the same time; and in a loop that does not write it, whenever they come. The block's index is
/// none.
[[nodiscard]] std::vector<bool> find_launch_constants(const Function& function, const ControlFlow& flow);

}  // namespace warplens::ptx
