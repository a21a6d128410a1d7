// What kernels' malloc and free take from and give back to. CUDA C++ Programming Guide, "Dynamic Global
// Memory Allocation and Operations".
#pragma once

#include <cstdint>
#include <map>

#include "kernels/base/zero_pages.h"
#include "kernels/replay/core/machine.h"

namespace warplens::replay {

/// The heap of one thread. It allocates at the lowest place that is free: no GPU's documentation says where
/// allocations lie.
class Heap {
 public:
  static constexpr std::uint64_t kBytes = std::uint64_t{8}
                                          << 20;  ///< cudaLimitMallocHeapSize, if nobody sets it
  static constexpr std::uint64_t kBase =
      (std::uint64_t{1} << 40) + (std::uint64_t{1} << 36);  ///< Above buffers and variables
  static constexpr std::uint64_t kAlignment = 16;

  Heap();
  /// 0: there is no room.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  /// False: nothing is allocated there.
  [[nodiscard]] bool release(std::uint64_t address);
  /// What holds [address, address + bytes) wholly; null: nothing. Stays where it is, and has no bytes any
  /// more once it is released.
  [[nodiscard]] const Region* find(std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] static bool holds(std::uint64_t address) {
    return address >= kBase && address - kBase < kBytes;
  }
  [[nodiscard]] const std::byte* data() const { return pages_.data(); }
  /// Bytes by address.
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& free_ranges() const { return free_; }

 private:
  struct Allocation {
    Region region;
    std::uint64_t taken = 0;  ///< Bytes with those that fill up to a multiple of kAlignment; 0: released
  };
  ZeroPages pages_{kBytes};
  std::map<std::uint64_t, Allocation>
      allocations_;  ///< By address; those that were released stay, for sites remember their regions
  std::map<std::uint64_t, std::uint64_t> free_;  ///< Bytes by address
};

}  // namespace warplens::replay
