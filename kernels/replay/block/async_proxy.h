// Tracks stores to shared memory that the async proxy may not see yet. Barriers do not order them: a thread
// must execute fence.proxy.async after its stores, before bulk copies or wgmma read what it has stored.
// PTX ISA, "Proxies", "Async proxy".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/replay/core/machine.h"

namespace warplens::replay {

/// Holds one bit for each byte of shared memory and warp. A fence by one lane counts for the whole warp, so
/// false negatives are possible.
class UnfencedStores {
 public:
  UnfencedStores(std::uint64_t words, std::uint32_t warps)
      : words_(words), by_warp_(words * warps), of_any_(words), fenced_(words) {}

  void start_block();
  /// Called before `written`, what warp `w` has stored in its turn, is forgotten.
  void end_turn(std::uint32_t w, const std::uint64_t* written);
  /// Executes a fence of warp `w`, which has stored `written` in its turn.
  void fence(std::uint32_t w, const std::uint64_t* written);
  /// Clears bytes that a bulk copy overwrites.
  void forget(std::uint32_t address, std::uint64_t run);
  /// Returns the warp that has stored some of these bytes without a fence. `w` runs, and has stored
  /// `written`.
  [[nodiscard]] std::optional<std::uint32_t> writer_of(std::uint32_t address, std::uint64_t run,
                                                       std::uint32_t w, const std::uint64_t* written) const;

 private:
  std::uint64_t words_;
  std::vector<std::uint64_t> by_warp_;  ///< Words of warp 0, then of warp 1, ..
  std::vector<std::uint64_t> of_any_;
  std::vector<std::uint64_t> fenced_;  ///< Of the turn that runs: stored before a fence
};

}  // namespace warplens::replay
