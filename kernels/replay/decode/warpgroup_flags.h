// What a wgmma.mma_async does with its operands, as its immediate operands say.
#pragma once

#include <optional>

#include "kernels/ptx/module.h"
#include "kernels/replay/core/machine.h"

namespace warplens::replay {

/// Returns nullopt if the instruction has operands that its form does not take. PTX ISA, "wgmma.mma_async".
[[nodiscard]] std::optional<WarpgroupFlags> warpgroup_flags_of(const ptx::Instruction& instruction);

}  // namespace warplens::replay
