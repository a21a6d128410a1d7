// The registers that instructions on matrices read and write, in one warp of a launch.
#pragma once

#include <cstdint>

#include "kernels/base/result.h"
#include "kernels/recording/matrix_operands.h"
#include "kernels/replay/replay.h"

namespace warplens::replay {

/// The most bytes of registers kept of a warp.
inline constexpr std::uint64_t kMaxMatrixBytes = std::uint64_t{1} << 26;

/// Replays the block by itself, on `memory` as it is, which changes. Errors: those of `run`, and a warp that
/// the block has not.
[[nodiscard]] Result<WarpMatrices> matrices_of_warp(const Program& program, const Launch& launch,
                                                    Memory& memory, const Options& options, Dim3 block,
                                                    std::uint32_t warp);

}  // namespace warplens::replay
