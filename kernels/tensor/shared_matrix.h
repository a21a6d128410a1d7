// Decodes matrix descriptors of wgmma: returns the address in shared memory of each piece of 16 bytes. PTX
// ISA, "Shared Memory Matrix Layout", "Matrix Descriptor Format".
#pragma once

#include <cstdint>

#include "kernels/base/tensor_map.h"

namespace warplens::tensor {

/// "MN" is the row of A or the column of B.
struct SharedMatrix {
  std::uint32_t start = 0;           ///< Addresses and offsets in bytes
  std::uint32_t leading_offset = 0;  ///< Not used by swizzled matrices that are K-major
  std::uint32_t stride_offset = 0;
  std::uint32_t base_offset = 0;  ///< Rows of 128 bytes from where the swizzle's pattern begins
  TensorSwizzle swizzle = TensorSwizzle::none;
  bool is_mn_major = false;

  [[nodiscard]] static SharedMatrix of(std::uint64_t descriptor, bool is_mn_major);
  /// Returns the address of a piece. K-major: piece `k` of row `mn`. MN-major: piece `mn` of row `k`.
  [[nodiscard]] std::uint32_t address(std::uint32_t mn, std::uint32_t k) const;
  /// Returns the address of an element.
  [[nodiscard]] std::uint32_t address_of_element(std::uint32_t mn, std::uint32_t k,
                                                 std::uint32_t element_bytes) const;
};

/// Pieces of a row of A, or a column of B, that one product reads, unless A is sparse; rows of a core matrix.
inline constexpr std::uint32_t kPiecesOfRow = 2, kCoreRows = 8;

/// Calls visit(block, core, row, address) for each piece that a product reads of so many blocks of eight rows
/// of A, or columns of B, in the order of core matrices. Block 0 is `first_block`. 32 pieces are an access.
template <class Visit>
void for_each_piece(const SharedMatrix& matrix, std::uint32_t first_block, std::uint32_t blocks, Visit visit,
                    std::uint32_t pieces_of_row = kPiecesOfRow) {
  for (std::uint32_t block = 0; block < blocks; ++block) {
    for (std::uint32_t core = 0; core < pieces_of_row; ++core) {
      for (std::uint32_t row = 0; row < kCoreRows; ++row) {
        const std::uint32_t at = first_block + block;
        visit(block, core, row,
              matrix.is_mn_major ? matrix.address(at, core * kCoreRows + row)
                                 : matrix.address(at * kCoreRows + row, core));
      }
    }
  }
}

}  // namespace warplens::tensor
