// Lets some blocks of a kernel leave as soon as they begin.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/base/result.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// Variable in the module's constant memory: the address of 4 bytes for each block of the grid, in linear
/// order. Blocks with other than 0 leave.
inline constexpr const char* kLeftOut = "warplens_left_out";

/// The PTX of one entry of a module that `parse` made: blocks that stay do what they always do.
/// `threads_per_block`: of the launch, so that the compiler keeps to registers that so many can have. Errors:
/// an entry without code.
[[nodiscard]] Result<std::string> leave_out_blocks(const Module& module, const Function& entry,
                                                   std::uint32_t threads_per_block);

}  // namespace warplens::ptx
