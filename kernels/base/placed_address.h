// Addresses of buffers that lie among the bytes of an argument or of another buffer: pointers in structures,
// tables of pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace warplens {

/// Eight bytes, little-endian: where `buffer` begins, and `byte_offset` more.
struct PlacedAddress {
  std::uint64_t at = 0;      ///< Of its first byte, among the bytes that hold it
  std::uint32_t buffer = 0;  ///< Index of the launch's
  std::uint64_t byte_offset = 0;
  friend bool operator==(const PlacedAddress&, const PlacedAddress&) = default;
};

/// Writes addresses, which lie within `bytes`, as they are where the buffers begin at `bases`.
inline void put_addresses(std::span<std::byte> bytes, std::span<const PlacedAddress> addresses,
                          std::span<const std::uint64_t> bases) {
  for (const PlacedAddress& one : addresses) {
    const std::uint64_t address = bases[one.buffer] + one.byte_offset;
    std::memcpy(&bytes[one.at], &address, sizeof address);
  }
}

}  // namespace warplens
