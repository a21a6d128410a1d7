// The pieces of the matrices that wmma.load and wmma.store access, for the recorder.
#pragma once

#include <vector>

#include "kernels/ptx/segments.h"

namespace warplens::gpu {

/// As the replay accesses them (kernels/tensor/fragment_access.h), in its order. Empty if there is no such
/// matrix.
[[nodiscard]] std::vector<ptx::MatrixPiece> pieces_of_matrix(const ptx::Instruction& instruction);

}  // namespace warplens::gpu
