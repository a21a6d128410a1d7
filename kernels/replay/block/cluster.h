// Replays a thread block cluster: blocks that run together and access each other's shared memory. PTX ISA,
// "Cluster of Cooperative Thread Arrays".
//
// Blocks run in turns, by rank: each until it can only wait. The cluster ends when all blocks have ended, or
// none makes progress. Bits 24 and up of an address in another block's shared memory hold that block's rank
// plus 1.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/base/result.h"

namespace warplens::replay {

class BlockRunner;

class Cluster {
 public:
  static constexpr int kRankBit = 24;

  /// By rank.
  explicit Cluster(std::vector<BlockRunner*> blocks) : blocks_(std::move(blocks)) {}

  /// Runs the blocks with these linear indices, by rank.
  [[nodiscard]] std::optional<Error> run(const std::vector<std::uint64_t>& linear);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(blocks_.size()); }
  [[nodiscard]] BlockRunner& block(std::uint32_t rank) const { return *blocks_[rank]; }
  [[nodiscard]] const std::vector<BlockRunner*>& blocks() const { return blocks_; }
  /// Records that something has changed that other blocks may wait for.
  void note_change() { changed_ = true; }

 private:
  std::vector<BlockRunner*> blocks_;
  bool changed_ = false;
};

/// An address in the shared memory of another block of the cluster.
struct RemoteAddress {
  std::uint32_t rank = 0;
  std::uint32_t offset = 0;  ///< Address in that block's shared memory
};
/// Returns nullopt if the address lies in the block's own shared memory.
[[nodiscard]] std::optional<RemoteAddress> remote_address(std::uint64_t address);

}  // namespace warplens::replay
