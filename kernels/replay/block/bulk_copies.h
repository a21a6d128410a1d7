// Bulk copies (cp.async.bulk, cp.async.bulk.tensor): one thread has the async proxy copy any number of bytes.
// A copy is in flight from its issue until a thread tests its mbarrier, or the issuing thread waits for its
// group; only then does its destination change. PTX ISA, "Non-tensor copy", "Tensor copy".
//
// Copies consist of pieces of 16 bytes. Recordings hold these pieces in place of lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/base/tensor_map.h"
#include "kernels/recording/block_details.h"
#include "kernels/replay/core/machine.h"
#include "kernels/replay/decode/code.h"
#include "kernels/replay/races/order.h"

namespace warplens::replay {

class BlockRunner;

/// The bulk copies of a block.
class BulkCopies {
 public:
  BulkCopies(BlockRunner& runner, std::uint32_t warps) : runner_(runner), committed_(warps) {}

  void start_block();
  void issue(const Instr* i);
  void commit();
  void wait(const Instr* i);
  /// Completes the copies that signal the mbarrier at that address in shared memory.
  void land_at(std::uint32_t mbarrier);
  /// Completes the warp's copies to global memory after it has exited.
  void land_all(std::uint32_t w);
  /// Whether bytes of shared memory are the destination of a copy in flight.
  [[nodiscard]] bool in_flight(std::uint64_t address, std::uint32_t bytes) const;

 private:
  struct Pending {
    const BulkCopy* copy = nullptr;
    std::uint32_t instruction = 0, warp = 0, lane = 0;
    std::optional<TensorCopy> box;      ///< Where the block is observed
    std::uint32_t bytes = 0;            ///< The transaction count that completes at the mbarrier
    std::uint32_t mbarrier = 0;         ///< Address in shared memory
    std::uint32_t group = 0;            ///< Groups that the thread had committed before
    ptx::Type type = ptx::Type::none;   ///< Of a reduction
    bool fills_with_nan = false;        ///< Outside the tensor
    bool rounds_to_tf32 = false;        ///< What is loaded
    bool flushes_subnormals = false;    ///< Of a reduction of f32
    std::vector<BoxPiece> pieces;       ///< `global`, between shared memories: the source there
    std::vector<std::byte> data;        ///< Of all pieces, read at issue
    std::vector<std::byte> before;      ///< The destination in shared memory at issue
    std::vector<std::uint32_t> events;  ///< EventColumns::order of its events in shared memory
    std::uint32_t rank = 0;             ///< Of the block that has issued it
    bool is_of_other_block = false;     ///< Another block of the cluster has issued it
    Order::Clock released{};            ///< What happens before its completion
  };

  [[nodiscard]] std::uint64_t address(const AddressOperand& operand, std::uint32_t lane,
                                      bool is_shared) const;
  [[nodiscard]] std::optional<std::vector<BoxPiece>> pieces_of(const Instr* i, const BulkCopy& copy,
                                                               std::uint32_t lane, Pending& pending);
  /// Returns the memory of a piece in global memory; null if some of it lies in no buffer.
  [[nodiscard]] std::byte* global_bytes(const BoxPiece& piece) const;
  bool check(const Instr* i, const Pending& pending) const;
  void check_fence(const Instr& i, const Pending& pending) const;
  void check_races(const Instr& i, Pending& pending) const;
  void read_source(Pending& pending) const;
  void record(const Instr* i, Pending& pending);
  /// The blocks that a copy to shared memory goes to.
  [[nodiscard]] std::vector<BlockRunner*> targets_of(const BulkCopy& copy, std::uint32_t lane) const;
  void take(Pending pending, bool is_own);
  void land(Pending& pending);
  void land_in_shared(Pending& pending);
  void land_in_global(const Pending& pending);
  template <class Lands>
  void land_if(Lands lands);

  BlockRunner& runner_;
  std::vector<Pending> pending_;                                 ///< In the order of issue
  std::vector<std::array<std::uint32_t, kWarpSize>> committed_;  ///< Groups, by warp and lane
};

}  // namespace warplens::replay
