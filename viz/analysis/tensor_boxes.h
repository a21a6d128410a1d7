// Boxes of tensors that bulk copies move: which copy an access belongs to, where each part of a box lies, and
// what moving it costs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/tensor_map.h"
#include "kernels/recording/block_details.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

/// Whether a site is of a copy of boxes: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor.
[[nodiscard]] bool is_tensor_copy(const Site& site);
[[nodiscard]] bool has_tensor_copies(const Recording& recording);

/// A copy among those of its block.
struct CopyShown {
  const TensorCopy* copy = nullptr;
  std::size_t number = 0, of = 0;  ///< Among the copies of its warp, from 1
};
/// Finds the copy that the event belongs to, else the warp's last one before it, else its first. For a warp
/// without copies: the first copy of the block to the place in shared memory that the event accesses, else
/// the first. nullopt: the block has none.
[[nodiscard]] std::optional<CopyShown> copy_shown(const BlockDetails& details, const Recording& recording,
                                                  std::uint32_t warp, std::optional<std::size_t> event);

/// A box with its pieces of 16 bytes, in the order of the unswizzled addresses.
class TensorBox {
 public:
  explicit TensorBox(const TensorCopy& copy);

  [[nodiscard]] const TensorCopy& copy() const { return copy_; }
  [[nodiscard]] std::span<const BoxPiece> pieces() const { return pieces_; }
  [[nodiscard]] std::uint32_t pieces_of_row() const { return pieces_of_row_; }
  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  /// Bytes of shared memory from one row to the next.
  [[nodiscard]] std::uint32_t pitch() const { return pitch_; }
  [[nodiscard]] std::uint32_t shared_bytes() const { return rows_ * pitch_; }
  /// The address that a piece would have in shared memory without the swizzle.
  [[nodiscard]] std::uint32_t plain_address(std::size_t piece) const;
  /// Coordinates in the tensor of the first element of a row of the box.
  [[nodiscard]] std::array<std::int64_t, kMaxTensorRank> coordinates(std::uint32_t row) const;
  [[nodiscard]] std::uint64_t bytes_outside() const;  ///< The tensor
  /// The piece that has the byte; nullopt: none has.
  [[nodiscard]] std::optional<std::size_t> piece_in_global(std::uint64_t address) const;
  [[nodiscard]] std::optional<std::size_t> piece_in_shared(std::uint32_t address) const;
  /// Groups of four banks in which eight rows of one column of pieces lie, with the swizzle or without: they
  /// are what one wavefront reads of a matrix of 8 rows, if they are 8.
  [[nodiscard]] std::size_t banks_of_eight_rows(bool is_swizzled) const;

 private:
  const TensorCopy& copy_;
  std::vector<BoxPiece> pieces_;
  std::uint32_t pieces_of_row_ = 0, rows_ = 0, pitch_ = 0;
};

/// What the accesses cost that the copy is recorded as. `event_block`: index into Recording::event_blocks.
[[nodiscard]] AccessCost cost_of_copy(const Recording& recording, std::uint32_t event_block,
                                      const TensorBox& box, ComputeCapability cc);

}  // namespace warplens::analysis
