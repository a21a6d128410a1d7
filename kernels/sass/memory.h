// What memory holds while values are followed: the bytes, and which of them are known. Private to
// kernels/sass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/sass/symbolic_execution.h"

namespace warplens::sass {

/// Bytes of a state space. What lies outside is not known, and not kept.
class Memory {
 public:
  /// Known from the first to the last byte.
  void add(MemoryRegion region);
  /// `size` bytes from address 0 on, of which none is known.
  void make_unknown(std::size_t size);

  /// `size`: 1 to 8 bytes, little-endian. False where one is not known.
  [[nodiscard]] bool load(std::uint64_t address, std::uint32_t size, std::uint64_t& value);
  void store(std::uint64_t address, std::uint32_t size, std::uint64_t value, bool known);
  [[nodiscard]] bool holds(std::uint64_t address, std::uint32_t size) {
    return find(address, size) != nullptr;
  }
  [[nodiscard]] bool stored_unknown() const { return stored_unknown_; }

 private:
  struct Part {
    MemoryRegion region;
    std::vector<std::uint8_t> unknown;  ///< By byte; empty: all are known
  };
  [[nodiscard]] Part* find(std::uint64_t address, std::uint32_t size);

  std::vector<Part> parts_;
  std::vector<std::byte> own_;
  std::uint64_t stored_end_ = 0;  ///< Of what `make_unknown` made: no byte behind it is known
  bool stored_unknown_ = false;
  std::size_t last_ = 0;  ///< Where the last access was
};

}  // namespace warplens::sass
