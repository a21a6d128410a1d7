// What races in shared memory are found from, and told with.
#pragma once

#include <cstdint>

#include "kernels/ptx/module.h"

namespace warplens::replay {

/// How an instruction accesses shared memory.
struct SharedAccessTraits {
  bool stores = false;
  bool strong = false;    ///< Atomics and the like, but no volatile accesses
  bool is_copy = false;   ///< Asynchronous: it lands when its thread has waited for it
  bool acquires = false;  ///< A volatile load: synchronises with the store whose value it reads
  std::uint32_t bytes = 0, element = 0;
};

/// Returns what findings of races call an access of shared memory: "store".
[[nodiscard]] const char* access_in_words(const ptx::Instruction& instruction);

/// The last accesses of the running warp's lanes to an element of shared memory (lane_races.cpp).
struct LaneWord {
  struct Touch {
    std::uint32_t when = 0;  ///< 0: no access
    std::uint32_t lanes = 0, instruction = 0;
  };
  std::uint32_t walk = 0;  ///< Valid only while equal to lane_walk_
  Touch written, read, read_before;
  Touch in_flight;  ///< A copy that has not landed for `lanes`
};

}  // namespace warplens::replay
