// The pieces of the matrices that wmma.load and wmma.store access, for the recorder.
#pragma once

#include <vector>

#include "kernels/ptx/instrument/segments.h"

namespace warplens::gpu {

/// Returns the accesses that a wmma.load or wmma.store makes, in the replay's order
/// (tensor::fragment_access_of). Empty if its shape, type and layout do not exist together.
[[nodiscard]] std::vector<ptx::MatrixPiece> pieces_of_matrix(const ptx::Instruction& instruction);

}  // namespace warplens::gpu
