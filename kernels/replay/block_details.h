// What a replay of one block tells beyond the recording.
#pragma once

#include <cstdint>

#include "kernels/base/result.h"
#include "kernels/recording/block_details.h"
#include "kernels/replay/replay.h"

namespace warplens::replay {

/// The most bytes of registers kept of a warp.
inline constexpr std::uint64_t kMaxMatrixBytes = std::uint64_t{1} << 26;
inline constexpr std::size_t kMaxTensorCopies = std::size_t{1} << 16, kMaxSyncs = std::size_t{1} << 20;

/// Replays the block by itself, or with its cluster, on `memory` as it is, which changes. Errors: those of
/// `run`, and a warp that the block has not.
[[nodiscard]] Result<BlockDetails> details_of_block(const Program& program, const Launch& launch,
                                                    Memory& memory, const Options& options, Dim3 block,
                                                    std::uint32_t warp);

}  // namespace warplens::replay
