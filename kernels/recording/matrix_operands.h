// What instructions on matrices (mma, ldmatrix, wgmma, ..) of one warp read and wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/base/dim3.h"

namespace warplens {

/// One execution of a matrix instruction by the warp.
struct MatrixExecution {
  std::uint32_t instruction = 0;  ///< As Site::instruction
  std::uint32_t order = 0;  ///< Accesses to memory that the warp had made before: see EventColumns::order
  /// The registers of one matrix after the other, in the order of the operands: by register, then by lane,
  /// of 4 bytes, or of 8 where the elements are f64.
  /// Matrices in shared memory take their place among them, row by row.
  std::vector<std::byte> registers;
  std::vector<std::uint64_t> descriptors;  ///< By matrix, of those in shared memory; empty if none is there
  std::vector<std::uint32_t> metadata;     ///< Metadata operand of mma.sp by lane; else empty
  std::uint32_t unknown = 0;  ///< Bit k: the registers of matrix k are not known, as nothing reads them
  friend bool operator==(const MatrixExecution&, const MatrixExecution&) = default;
};

struct WarpMatrices {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  std::vector<MatrixExecution> executions;  ///< In the warp's order
  bool cut = false;                         ///< Executions beyond replay::kMaxMatrixBytes are missing
};

}  // namespace warplens
