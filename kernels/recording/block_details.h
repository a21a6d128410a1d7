// What a recording does not keep of a block, and a replay of it tells: what instructions on matrices (mma,
// ldmatrix, wgmma, ..) of one warp read and wrote, and which boxes of tensors were copied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
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

/// How warps and copies order each other. In the order of the replay, which is one of those possible.
enum class SyncKind : std::uint8_t {
  barrier_arrive,  ///< A warp has come to a barrier of the block
  barrier_wait,    ///< It goes on
  arrive,          ///< Arrivals at an mbarrier
  expect,          ///< Transaction bytes are expected there
  phase_end,       ///< The phase of an mbarrier ends
  wait,            ///< A wait for a phase of an mbarrier ends
  issue,           ///< A bulk copy is issued whose bytes complete at an mbarrier
  complete,        ///< Its bytes are complete
  multiply         ///< wgmma.mma_async
};
inline constexpr std::uint32_t kOtherBlock = 0xffffffffu;  ///< In place of a warp: another block has done it
struct Sync {
  SyncKind kind = SyncKind::arrive;
  std::uint32_t instruction = 0;  ///< As Site::instruction; of phase_end none
  std::uint32_t warp = 0;         ///< Or kOtherBlock
  std::uint32_t order = 0;   ///< Accesses to memory that the warp had made before: see EventColumns::order
  std::uint32_t object = 0;  ///< The mbarrier's address in shared memory, or the number of the barrier
  std::uint32_t phase = 0;   ///< Of the mbarrier, from 0: the one that it counts for, or that has ended
  std::uint64_t count = 0;   ///< Arrivals, or bytes
  std::uint32_t rank = 0;    ///< In the cluster, of kOtherBlock; else 0
  friend bool operator==(const Sync&, const Sync&) = default;
};

struct BlockDetails {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;                   ///< That executed them
  std::vector<MatrixExecution> executions;  ///< In the warp's order
  std::vector<TensorCopy> copies;           ///< Of all warps, in the order of the replay
  std::vector<Sync> syncs;                  ///< The same
  bool cut = false;                         ///< Executions beyond replay::kMaxMatrixBytes are missing
  /// Of the blocks of its cluster by rank, without executions; its own is null. Empty: nobody has asked.
  std::vector<std::shared_ptr<const BlockDetails>> cluster;
};

}  // namespace warplens
