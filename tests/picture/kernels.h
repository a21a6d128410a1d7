// Recordings of small kernels, written down access by access: what the makers are tried on, without needing the replay.
#pragma once

#include <cstdint>

#include "kernels/recording/recording.h"

namespace warplens::test {

struct TiledOptions {
  std::uint32_t tile = 32, size = 128;
  std::uint32_t padding = 0;  ///< Columns added to each row of the shared arrays
  bool swapped = false;       ///< threadIdx.x runs along rows: uncoalesced fills, bank conflicts
};
/// A tiled product of square matrices: fill, barrier, compute, barrier, .., write. The last block is the one with events.
[[nodiscard]] Recording tiled(const TiledOptions& options = {});

/// A kernel without shared memory or barriers: each thread walks along k; 1,000 threads, so that the last warp is short. Guarded: lanes beyond the
/// matrix are inactive.
[[nodiscard]] Recording naive(std::uint32_t rows, std::uint32_t columns, std::uint32_t depth);

/// One warp, shared accesses of every width and some odd patterns, on an array of unknown shape; one buffer of one row.
[[nodiscard]] Recording assorted();

}  // namespace warplens::test
