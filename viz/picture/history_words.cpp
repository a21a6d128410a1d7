#include "viz/picture/history_words.h"

#include <fmt/format.h>

#include "viz/picture/canvas.h"

namespace warplens::picture {
namespace {

std::string times(std::uint64_t count) {
  return count == 1 ? "once" : with_thousands(count) + " times";
}

/// "read 256 times in 8 requests"; the requests only where several lanes of one touch the word.
std::string touched(const char* verb, std::uint64_t lanes, std::uint64_t requests) {
  std::string words = fmt::format("{} {}", verb, times(lanes));
  if (lanes != requests) words += " in " + counted(requests, "request");
  return words;
}

}  // namespace

bool is_in(const Recording& recording, const Word& word) {
  if (word.element) {
    if (word.element->buffer >= recording.buffers.size()) return false;
    const Buffer& buffer = recording.buffers[word.element->buffer];
    return word.element->row < buffer.rows && word.element->column < buffer.columns;
  }
  return word.shared_word && std::uint64_t{*word.shared_word} * 4 < recording.shared_bytes && word.event_block < recording.event_blocks.size();
}

analysis::WordHistory history_of(const Recording& recording, const Word& word, const std::stop_token& stop) {
  if (!word.element) return analysis::shared_word_history(recording, word.event_block, *word.shared_word, analysis::kMostTouches, stop);
  const std::uint64_t element = word.element->row * recording.buffers[word.element->buffer].pitch + word.element->column;
  return analysis::element_history(recording, word.element->buffer, element, analysis::kMostTouches, stop);
}

std::string name_of_word(const Recording& recording, const Word& word) {
  if (word.element && word.element->buffer < recording.buffers.size()) {
    const Buffer& buffer = recording.buffers[word.element->buffer];
    if (buffer.rows <= 1) return fmt::format("{}[{}]", buffer.name, word.element->column);
    return fmt::format("{}[{}][{}]", buffer.name, word.element->row, word.element->column);
  }
  if (word.shared_word) return shared_place_name(recording, std::uint64_t{*word.shared_word} * 4);
  return {};
}

std::string summary_of(const Recording& recording, const Word& word, const analysis::WordHistory& history) {
  const bool shared = word.shared_word.has_value() && word.event_block < recording.event_blocks.size();
  const std::string name = name_of_word(recording, word) +
                           (shared ? " at shared address " + shared_address_name(recording, std::uint64_t{*word.shared_word} * 4) : std::string());
  const Dim3 block = shared ? recording.event_blocks[word.event_block] : Dim3{};
  // No line ends within the coordinates.
  const std::string in_block = fmt::format("block ({},\u00a0{}{})", block.x, block.y, recording.grid.z > 1 ? fmt::format(",\u00a0{}", block.z) : "");
  if (history.requests == 0) return shared ? fmt::format("{}: not touched by {}.", name, in_block) : name + ": not touched by the recorded blocks.";
  std::string what = history.reads > 0 ? touched("read", history.reads, history.read_requests) : std::string();
  if (history.writes > 0) what += (what.empty() ? "" : ", ") + touched("written", history.writes, history.write_requests);
  const std::string by = fmt::format("by {} of {}", counted(history.warps, "warp"), shared ? in_block : counted(history.blocks, "block"));
  // A word of shared memory is not fetched: that is what it is for.
  const std::string again = shared || history.reads == 0   ? std::string()
                            : history.fetched_again() == 0 ? ": not fetched again"
                                                           : ": fetched again " + times(history.fetched_again());
  return fmt::format("{}: {}, {}{}.", name, what, by, again);
}

}  // namespace warplens::picture
