// Which basic blocks are always executed together: what is known of one is known of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/control_flow.h"

namespace warplens::ptx {

/// By block: the first of those that every lane executes as often, and the warp with the same lanes. Two
/// blocks are such if one dominates the other, that post-dominates it (lanes that leave the function pass it
/// not; lanes that parted have met there), the same loops are around both, and no way leads from the first
/// back to it but through the second. In a function that was made to take long, blocks at its end stand by
/// themselves.
[[nodiscard]] std::vector<std::uint32_t> find_equivalent_blocks(const ControlFlow& flow);

}  // namespace warplens::ptx
