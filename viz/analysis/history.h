// The history of one word: every request that touched it, in the order of time as far as there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::analysis {

/// Whether an instruction reads or writes the memory of its site. An atomic does both, a cp.async reads
/// global and writes shared memory.
[[nodiscard]] bool reads(const Site& site);
[[nodiscard]] bool writes(const Site& site);

/// One request that touches the word, and its lanes that do.
struct WordTouch {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0, phase = 0;
  std::uint32_t step = 0;  ///< Which of the warp's requests in the phase
  std::uint32_t site = 0, lanes = 0;
  friend bool operator==(const WordTouch&, const WordTouch&) = default;
};
/// Returns the touch of an event that is recorded.
[[nodiscard]] WordTouch touch_of(const Recording& recording, std::size_t event, std::uint32_t lanes);
/// The event of a touch; nullopt where those of its block are not recorded.
[[nodiscard]] std::optional<std::size_t> event_of(const Recording& recording, const WordTouch& touch);

struct WordHistory {
  /// By block, phase, warp and order within the warp. Blocks, and the warps of a phase, run in no set order.
  std::vector<WordTouch> touches;
  std::uint64_t requests = 0;           ///< All of them; more than `touches` where the limit cut that
  std::uint64_t reads = 0, writes = 0;  ///< By lane: 32 lanes that read it in one request are 32 reads
  std::uint64_t read_requests = 0, write_requests = 0;
  std::uint64_t warps = 0, blocks = 0;  ///< That touch it
  std::uint64_t of_blocks = 0;          ///< So many blocks were looked through
  [[nodiscard]] bool cut() const { return requests > touches.size(); }
  /// How often the word was asked for again: the requests that read it, after the first.
  [[nodiscard]] std::uint64_t fetched_again() const { return read_requests > 1 ? read_requests - 1 : 0; }
};

inline constexpr std::size_t kMaxTouches = 10000;

/// Adds the history of the same word by blocks that come later.
void add_later(WordHistory& history, const WordHistory& later, std::size_t limit = kMaxTouches);

/// The history of one element of a buffer, as element_history returns it.
struct ElementHistory {
  std::uint32_t buffer = 0;
  std::uint64_t element = 0;
  WordHistory history;
};

/// Returns the history of one element (row * pitch + column) of a buffer by the recorded blocks. Counts are
/// complete; at most `limit` touches are kept. Ends early, with what it has, once `stop` is requested.
[[nodiscard]] WordHistory element_history(const Recording& recording, std::uint32_t buffer,
                                          std::uint64_t element, std::size_t limit = kMaxTouches,
                                          const std::stop_token& stop = {});
/// Returns the history of one 4-byte word of a block's shared memory (byte offset / 4).
[[nodiscard]] WordHistory shared_word_history(const Recording& recording, std::uint32_t event_block,
                                              std::uint32_t word, std::size_t limit = kMaxTouches,
                                              const std::stop_token& stop = {});

}  // namespace warplens::analysis
