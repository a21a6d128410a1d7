// What a recording does not keep of a block, and a replay of it tells: what instructions on matrices (mma,
// ldmatrix, wgmma, ..) of one warp read and wrote, and which boxes of tensors were copied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/base/tensor_map.h"

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

/// One cp.async.bulk.tensor or cp.reduce.async.bulk.tensor of one thread.
struct TensorCopy {
  std::uint32_t instruction = 0;  ///< As Site::instruction
  std::uint32_t warp = 0, lane = 0;
  std::uint32_t order = 0;  ///< EventColumns::order of its first access; without any, of the next one
  TensorMap map;
  std::array<std::int32_t, kMaxTensorRank> start{};  ///< Coordinates of the box's first element
  std::uint32_t shared = 0;                          ///< Where the box begins in shared memory
  std::uint16_t ranks = 0;  ///< A bit for each block of the cluster that a multicast goes to; else 0
  friend bool operator==(const TensorCopy&, const TensorCopy&) = default;
};

struct BlockDetails {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;                   ///< That executed them
  std::vector<MatrixExecution> executions;  ///< In the warp's order
  std::vector<TensorCopy> copies;           ///< Of all warps, in the order of the replay
  bool cut = false;                         ///< Executions beyond replay::kMaxMatrixBytes are missing
};

}  // namespace warplens
