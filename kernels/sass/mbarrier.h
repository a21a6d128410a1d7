// The state of an mbarrier while values are followed. PTX ISA, "mbarrier". Private to kernels/sass.
#pragma once

#include <algorithm>
#include <cstdint>

namespace warplens::sass {

struct Mbarrier {
  std::uint32_t expected = 0, pending = 0;  ///< Arrivals: of a phase, and those that this one still waits for
  std::int64_t bytes = 0;                   ///< That are to come in this phase
  std::uint32_t parity = 0;                 ///< Of the phase

  /// Ends the phase where nothing is awaited.
  void settle() {
    if (pending != 0 || bytes != 0) return;
    pending = expected;
    parity ^= 1;
  }
  void arrive(std::uint32_t arrivals, bool drops) {
    pending -= std::min(arrivals, pending);
    if (drops) expected -= std::min(arrivals, expected);
  }
};

}  // namespace warplens::sass
