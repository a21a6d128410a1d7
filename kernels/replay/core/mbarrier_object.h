// The 64 bits of an mbarrier object, which are opaque to programs. PTX ISA, "mbarrier".
#pragma once

#include <cstdint>

namespace warplens::replay {

/// From the lowest bit on: arrivals that a phase expects (20 bits), those still pending (20), transaction
/// bytes still pending (21, in two's complement: bytes may arrive before they are expected), two bits unused,
/// the phase's parity.
struct MbarrierObject {
  static constexpr std::uint32_t kMaxCount = (1u << 20) - 1;
  std::uint32_t expected = 0, pending = 0;
  std::int32_t bytes = 0;
  std::uint32_t parity = 0;

  static MbarrierObject of(std::uint64_t bits) {
    return {.expected = static_cast<std::uint32_t>(bits) & kMaxCount,
            .pending = static_cast<std::uint32_t>(bits >> 20) & kMaxCount,
            .bytes = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 40) << 11) >> 11,
            .parity = static_cast<std::uint32_t>(bits >> 63)};
  }
  [[nodiscard]] std::uint64_t bits() const {
    return std::uint64_t{expected} | std::uint64_t{pending} << 20 |
           std::uint64_t{static_cast<std::uint32_t>(bytes) & 0x1fffffu} << 40 | std::uint64_t{parity} << 63;
  }
  [[nodiscard]] bool is_phase_over() const { return pending == 0 && bytes == 0; }
};

}  // namespace warplens::replay
