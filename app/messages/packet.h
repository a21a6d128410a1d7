// What goes over the pipes between the window and its worker: packets of a text and of bytes, one after the
// other.
//
//   0        4           8             16              16 + text
//   | "WLF1" | text size | bytes size  | text (JSON)   | bytes         |
//              uint32      uint64        little-endian throughout
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/result.h"

namespace warplens::worker {

struct Packet {
  std::string text;
  std::vector<std::byte> bytes;
  friend bool operator==(const Packet&, const Packet&) = default;
};

inline constexpr std::size_t kHeaderBytes = 16;

/// What a packet may declare at most. More is refused before anything is allocated for it.
struct PacketLimits {
  std::uint32_t text = 64u << 20;                ///< A launch with its PTX
  std::uint64_t bytes = std::uint64_t{5} << 30;  ///< A recording, at its largest, and some more
};

/// The header of a packet, which its text and bytes follow as they are.
[[nodiscard]] std::vector<std::byte> header_of(const Packet& packet);

/// Takes what a pipe gives, in pieces of any size, and gives packets. Memory grows with what has come, not
/// with what is declared.
class PacketDecoder {
 public:
  explicit PacketDecoder(PacketLimits limits = {}) : limits_(limits) {}

  void feed(std::span<const std::byte> piece);
  /// The next whole packet; nullopt: more has to come. After an error there are no more packets.
  [[nodiscard]] Result<std::optional<Packet>> next();
  /// A part of a packet has come, and not the rest.
  [[nodiscard]] bool in_the_middle() const { return taken_ < buffer_.size(); }

 private:
  PacketLimits limits_;
  std::vector<std::byte> buffer_;
  std::size_t taken_ = 0;  ///< Of the buffer: packets that were given out
  std::optional<Error> error_;
};

}  // namespace warplens::worker
