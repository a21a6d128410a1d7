// Recordings of small kernels, written down access by access: what the makers are tried on, without needing
// the replay.
#pragma once

#include <cstdint>

#include "kernels/recording/recording.h"

namespace warplens::test {

struct TiledOptions {
  std::uint32_t tile = 32, size = 128;
  std::uint32_t padding = 0;  ///< Columns added to each row of the shared arrays
  bool swapped = false;       ///< threadIdx.x runs along rows: uncoalesced fills, bank conflicts
};
/// A tiled product of square matrices: fill, barrier, compute, barrier, .., write. The last block is the one
/// with events.
[[nodiscard]] Recording tiled(const TiledOptions& options = {});

/// A kernel without shared memory or barriers: each thread walks along k; 1,000 threads, so that the last
/// warp is short. Guarded: lanes beyond the matrix are inactive.
[[nodiscard]] Recording naive(std::uint32_t rows, std::uint32_t columns, std::uint32_t depth);

/// One warp, shared accesses of every width and some odd patterns, on an array of unknown shape; one buffer
/// of one row.
[[nodiscard]] Recording assorted();

/// Two warps of block (0, 0), of which accesses go wrong in every way, each on a line of its own:
///   4  lane_race: each lane loads what its neighbour has stored on line 3
///   5  race: lane l of warp 1 loads what thread 31 - l has stored there
///   6  out_of_bounds: lanes 24 to 31 of warp 1 store behind the end of C, which has 56 elements
///   7  misaligned: lane 3 of warp 0
///   8  block_race: lane 0 of warp 0 loads A[0], which thread 63 of block (1, 0), not recorded, stores on
///   line 6 9  out_of_bounds: no lane of warp 0 is let through, 4,096 B behind C's end
///  10  uninitialised: lane 7 of warp 0
///  11  out_of_bounds: lanes 30 and 31 of warp 1 load behind the end of shared memory
[[nodiscard]] Recording wrong();
/// Its finding on that line.
[[nodiscard]] std::uint32_t finding_on(const Recording& recording, std::uint32_t line);

}  // namespace warplens::test
