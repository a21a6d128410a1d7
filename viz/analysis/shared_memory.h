// A block's shared memory, followed from access to access.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/analysis/buffer_finder.h"
#include "viz/analysis/reuse.h"

namespace warplens::analysis {

/// Goes through one block's accesses, phase by phase through all warps: a barrier lies between phases; within
/// one no order of the warps is right or wrong. The recording must outlive it.
class SharedMemory {
 public:
  SharedMemory(const Recording& recording, std::uint32_t event_block);

  /// Goes on until all accesses of the phases before `end` are seen. A phase that has been passed is not gone
  /// back to.
  void follow_until(std::uint32_t end);
  /// All accesses of phases before this one are seen, and none of it.
  [[nodiscard]] std::uint32_t phase() const { return state_.phase; }
  [[nodiscard]] const std::vector<SharedWord>& words() const { return state_.words; }

  /// What has been seen, to go back to.
  using ByLane = std::array<std::size_t, kWarpSize>;  ///< Of events, the number counted from 1; 0: none
  struct State {
    std::uint32_t phase = 0;
    std::vector<EventRange> left;                      // By warp
    std::unordered_map<std::uint64_t, ByLane> loaded;  // By warp and load
    std::unordered_map<std::uint64_t, ByLane>
        stored;  // By warp and store: the loads whose value it has stored
    std::vector<SharedWord> words;
  };
  [[nodiscard]] const State& state() const { return state_; }
  void go_back(State state) { state_ = std::move(state); }

 private:
  void see(std::size_t event);
  const ByLane* latest_loads(std::size_t event, std::int32_t source, ByLane& several) const;
  void store(std::size_t event, std::uint32_t lanes);
  void write(std::size_t event, int lane, std::size_t load, std::uint32_t landed);
  bool find_source(std::size_t event, std::size_t load, int lane, std::uint64_t offset,
                   ElementPlace& place) const;
  [[nodiscard]] std::uint64_t key_of(std::size_t event, std::uint32_t site) const {
    return std::uint64_t{recording_.events.warp[event]} << 32 | site;
  }

  const Recording& recording_;
  BufferFinder buffers_;
  std::vector<std::int32_t> sources_;
  std::vector<std::int32_t> next_source_;  // By site: another load of the same registers, or -1
  std::vector<bool> is_source_;            // By site: a load from global memory whose value some site stores
  std::vector<bool> is_store_;             // By site: it writes to shared memory
  State state_;
};

}  // namespace warplens::analysis
