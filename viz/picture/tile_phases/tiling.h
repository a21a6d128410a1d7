// A matrix product's buffers, and the tiles in which its launch goes over them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/analysis/footprint.h"
#include "viz/analysis/totals.h"

namespace warplens::picture {

/// The buffers of C = A * B, as indices into Recording::buffers.
struct Product {
  std::uint32_t a = 0, b = 1, c = 2;
  bool b_transposed = false;  ///< B lies by columns: the buffer is its transpose
};
/// nullopt: the recording is of no product.
[[nodiscard]] std::optional<Product> product_of(const Recording& recording);

/// Extents in elements; 0: there are none, or they are not known.
struct Tiling {
  std::uint64_t rows = 0, columns = 0;  ///< Of C, that one block writes; A has the rows of it, B the columns
  std::uint64_t depth = 0;              ///< Along k, that a block loads between two barriers
  /// Which coordinate of a block counts the tiles across; nullopt where the recorded blocks do not tell.
  enum class Across : std::uint8_t { x, y };
  std::optional<Across> across;
};
/// Returns the tiling as far as the first recorded block tells: a block at the right or lower edge may write
/// a part of a tile. `kinds` are the recording's.
[[nodiscard]] Tiling tiling_of(const Recording& recording, const Product& product,
                               const std::vector<analysis::PhaseKind>& kinds,
                               analysis::PhaseFollower& follower);
[[nodiscard]] Tiling tiling_of(const Recording& recording, const Product& product,
                               const std::vector<analysis::PhaseKind>& kinds);

}  // namespace warplens::picture
