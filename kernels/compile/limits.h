// What compilers may take.
#pragma once

#include <chrono>
#include <cstdint>

namespace warplens::compile {

/// All that a compiler may take. What exceeds it is killed, and the error names the limit.
struct Limits {
  std::chrono::seconds time{120};
  std::uint64_t memory_bytes = std::uint64_t{6} << 30;  ///< Resident, of all its processes together
  std::uint32_t processes = 32;                         ///< At once
};

}  // namespace warplens::compile
