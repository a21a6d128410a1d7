// What bulk copies access: pieces of 16 bytes, and which of them a GPU moves together.
//
// A GPU moves what lies in one row of a box and in one line of 128 bytes of shared memory at a time: a
// sector that two such parts share is accessed twice. Pieces outside the tensor access no global memory, and
// those of stores no shared memory. (All measured on an H200, docs/gpu.md.)
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/base/tensor_map.h"

namespace warplens {

/// Up to 32 pieces, in place of the lanes of a warp. A bit of a mask stands for a piece.
struct BulkAccess {
  std::uint32_t pieces = 0;     ///< All of them
  std::uint32_t in_tensor = 0;  ///< Those of which a part lies inside the tensor
  std::array<std::uint64_t, kWarpSize> shared{}, global{};
};

/// Returns the pieces of a copy without a tensor map, which is one row. `global`: the source, between shared
/// memories.
[[nodiscard]] std::vector<BoxPiece> pieces_of_row(std::uint32_t shared, std::uint64_t global,
                                                  std::uint64_t bytes);

/// Returns a copy's accesses in the order of its pieces. None has two parts that share a sector, so that the
/// sectors of a pattern are those that the GPU accesses.
[[nodiscard]] std::vector<BulkAccess> accesses_of(std::span<const BoxPiece> pieces);

}  // namespace warplens
