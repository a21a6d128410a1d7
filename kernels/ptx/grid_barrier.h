// Kernels whose blocks wait for the whole grid, by cooperative groups' this_grid().sync(). They are launched
// cooperatively: the driver then starts all blocks at once, and gives them memory to meet by, whose address
// is in %envreg1 and %envreg2 (cooperative_groups/details/driver_abi.h).
#pragma once

#include <cstdint>

#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// Size of the grid barrier's memory: as much as the barrier uses, and some more.
inline constexpr std::uint64_t kGridWorkspaceBytes = 64;

[[nodiscard]] bool reads_grid_workspace(const Instruction& instruction);

/// Whether the entry, or a function that it may call, asks where that memory is.
[[nodiscard]] bool waits_for_grid(const Module& module, const Function& entry);

}  // namespace warplens::ptx
