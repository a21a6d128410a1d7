// What goes over the pipes between the window and its worker: frames of a text and of bytes, one after the other.
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

struct Frame {
  std::string text;
  std::vector<std::byte> bytes;
  friend bool operator==(const Frame&, const Frame&) = default;
};

inline constexpr std::size_t kHeaderBytes = 16;

/// What a frame may declare at most. More is refused before anything is allocated for it.
struct FrameLimits {
  std::uint32_t text = 64u << 20;                ///< A launch with its PTX
  std::uint64_t bytes = std::uint64_t{5} << 30;  ///< A recording, at its largest, and some more
};

/// The header of a frame, which its text and bytes follow as they are.
[[nodiscard]] std::vector<std::byte> header_of(const Frame& frame);

/// Takes what a pipe gives, in pieces of any size, and gives frames. Memory grows with what has come, not with what is declared.
class FrameDecoder {
 public:
  explicit FrameDecoder(FrameLimits limits = {}) : limits_(limits) {}

  void feed(std::span<const std::byte> piece);
  /// The next whole frame; nullopt: more has to come. After an error there are no more frames.
  [[nodiscard]] Result<std::optional<Frame>> next();
  /// A part of a frame has come, and not the rest.
  [[nodiscard]] bool in_the_middle() const { return taken_ < buffer_.size(); }

 private:
  FrameLimits limits_;
  std::vector<std::byte> buffer_;
  std::size_t taken_ = 0;  ///< Of the buffer: frames that were given out
  std::optional<Error> error_;
};

}  // namespace warplens::worker
