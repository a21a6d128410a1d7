// The history of an element or of a word of shared memory, in words.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "viz/analysis/history.h"
#include "viz/analysis/results.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// An element of a buffer, or else a word of a recorded block's shared memory.
struct Word {
  std::optional<ElementAt> element;
  std::optional<std::uint32_t> shared_word;  ///< Byte offset / 4
  std::uint32_t event_block = 0;             ///< Of the shared word: index into Recording::event_blocks
  friend bool operator==(const Word&, const Word&) = default;
};
/// Whether the recording has it.
[[nodiscard]] bool is_in(const Recording& recording, const Word& word);
/// Returns the history of a word that the recording has: of an element by all blocks, where the recording's
/// results know them, else by the recorded ones.
[[nodiscard]] analysis::WordHistory history_of(const Recording& recording, const analysis::Results& results,
                                               const Word& word, const std::stop_token& stop = {});

/// "A[3][17]" or "as[3][17]"; empty if it is neither.
[[nodiscard]] std::string name_of_word(const Recording& recording, const Word& word);
/// "A[3][17]: read 8 times, by 8 warps of 8 blocks: fetched again 7 times. Of all 64 blocks."; of a word of
/// shared memory with its address. `history`: that of the word.
[[nodiscard]] std::string summary_of(const Recording& recording, const Word& word,
                                     const analysis::WordHistory& history);

}  // namespace warplens::picture
