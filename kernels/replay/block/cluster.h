// A cluster: blocks that run together, and reach each other's shared memory. PTX ISA, "Cluster of Cooperative
// Thread Arrays".
//
// Each block is run until it can only wait, then the next, in the order of their ranks, until all have ended,
// or none gets on. An address in the shared memory of another block has that block's rank, plus 1, above
// bit 24.
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
  /// Something has changed that other blocks may wait for.
  void note_change() { changed_ = true; }

 private:
  std::vector<BlockRunner*> blocks_;
  bool changed_ = false;
};

/// Splits an address in the cluster's shared memory: nullopt if it is one of the block's own.
struct RemoteAddress {
  std::uint32_t rank = 0;
  std::uint32_t offset = 0;  ///< Address in that block's shared memory
};
[[nodiscard]] std::optional<RemoteAddress> remote_address(std::uint64_t address);

}  // namespace warplens::replay
