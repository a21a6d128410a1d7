// A warp access that no kernel made: the memory model tried out on addresses of one's own.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

/// Items of `bytes` each lie in rows: `row_items` that are used, then `padding` that are not. A swizzle moves
/// the items of each row about:
///
///      row       = item / row_items          column = item % row_items
///      offset    = (row * (row_items + padding) + (column ^ (row % 2^swizzle_bits))) * bytes
struct TriedAccess {
  Space space = Space::shared;  ///< Global or shared
  /// Load, store, atomic; of global memory reduction, of shared memory ldmatrix and stmatrix (.x4) too.
  AccessOp op = AccessOp::load;
  int bytes = 4;  ///< Per lane: 1, 2, 4, 8 or 16; 16 of ldmatrix and stmatrix, a row
  std::uint32_t mask = 0xffffffffu;
  std::array<std::int64_t, kWarpSize> items{};  ///< By lane; those of inactive lanes are ignored
  std::int64_t row_items = 32, padding = 0;
  int swizzle_bits = 0;  ///< 0: none
};

/// With byte offsets from the start of the buffer, or of the block's shared memory. An error names the lane
/// that is below 0, or beyond what a block of that compute capability may have of shared memory, or 2^40
/// bytes of global memory.
[[nodiscard]] Result<WarpAccess> access_of(const TriedAccess& tried, ComputeCapability cc);

/// The access as the one event of a recording, so that every view draws it. Its array is called x.
[[nodiscard]] Recording recording_of(const TriedAccess& tried, const WarpAccess& access,
                                     ComputeCapability cc);

/// As `warplens pattern` takes it: a header line and a row.
[[nodiscard]] std::string pattern_row(const WarpAccess& access);

}  // namespace warplens::analysis
