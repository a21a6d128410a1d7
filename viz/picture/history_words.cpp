#include "viz/picture/history_words.h"

#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/analysis/grid_history.h"

namespace warplens::picture {
namespace {

/// "read 256 times in 8 requests"; the requests only where several lanes of one touch the word.
std::string read_in_words(const analysis::WordHistory& history) {
  if (history.reads == history.read_requests) return tr_n(history.reads, "read once", "read {n} times");
  return tr_n(history.reads, "read once in {requests}", "read {n} times in {requests}",
              "requests"_a = tr_n(history.read_requests, "{n} request", "{n} requests"));
}
std::string written_in_words(const analysis::WordHistory& history) {
  if (history.writes == history.write_requests)
    return tr_n(history.writes, "written once", "written {n} times");
  return tr_n(history.writes, "written once in {requests}", "written {n} times in {requests}",
              "requests"_a = tr_n(history.write_requests, "{n} request", "{n} requests"));
}

std::string touches_in_words(const analysis::WordHistory& history) {
  if (history.writes == 0) return history.reads == 0 ? std::string() : read_in_words(history);
  if (history.reads == 0) return written_in_words(history);
  return tr("{read}, {written}", "read"_a = read_in_words(history), "written"_a = written_in_words(history));
}

/// The coordinates do not break across lines.
std::string name_of_block(const Recording& recording, const Dim3& block) {
  if (recording.grid.z > 1)
    return tr("block ({x},\u00a0{y},\u00a0{z})", "x"_a = block.x, "y"_a = block.y, "z"_a = block.z);
  return tr("block ({x},\u00a0{y})", "x"_a = block.x, "y"_a = block.y);
}

std::string touches_of(const Recording& recording, const Word& word, const analysis::WordHistory& history) {
  const bool shared = word.shared_word.has_value() && word.event_block < recording.event_blocks.size();
  std::string name = name_of_word(recording, word);
  if (shared) {
    name = tr("{word} at shared address {address}", "word"_a = name,
              "address"_a = shared_address_name(recording, std::uint64_t{*word.shared_word} * 4));
  }
  const std::string block =
      shared ? name_of_block(recording, recording.event_blocks[word.event_block]) : std::string();
  if (history.requests == 0) {
    if (shared) return tr("{word}: not touched by {block}.", "word"_a = name, "block"_a = block);
    return history.of_blocks == recording.blocks_total
               ? tr("{word}: not touched.", "word"_a = name)
               : tr("{word}: not touched by the recorded blocks.", "word"_a = name);
  }
  const std::string touches = touches_in_words(history), warps = tr_n(history.warps, "{n} warp", "{n} warps");
  const std::string blocks = shared ? block : tr_n(history.blocks, "{n} block", "{n} blocks");
  // A word of shared memory is not fetched: that is what it is for.
  if (shared || history.reads == 0) {
    return tr("{word}: {touches}, by {warps} of {blocks}.", "word"_a = name, "touches"_a = touches,
              "warps"_a = warps, "blocks"_a = blocks);
  }
  if (history.fetched_again() == 0) {
    return tr("{word}: {touches}, by {warps} of {blocks}: not fetched again.", "word"_a = name,
              "touches"_a = touches, "warps"_a = warps, "blocks"_a = blocks);
  }
  return tr_n(history.fetched_again(), "{word}: {touches}, by {warps} of {blocks}: fetched again once.",
              "{word}: {touches}, by {warps} of {blocks}: fetched again {n} times.", "word"_a = name,
              "touches"_a = touches, "warps"_a = warps, "blocks"_a = blocks);
}

/// Which blocks were looked through.
std::string blocks_of(const Recording& recording, const analysis::WordHistory& history) {
  if (history.of_blocks == recording.blocks_total)
    return tr_n(history.of_blocks, "Of the only block.", "Of all {n} blocks.");
  return tr_n(recording.blocks_total, "Of {recorded} of {n} block, which is recorded.",
              "Of {recorded} of {n} blocks, which are recorded.",
              "recorded"_a = with_thousands(history.of_blocks));
}

}  // namespace

bool is_in(const Recording& recording, const Word& word) {
  if (word.element) {
    if (word.element->buffer >= recording.buffers.size()) return false;
    const Buffer& buffer = recording.buffers[word.element->buffer];
    return word.element->row < buffer.rows && word.element->column < buffer.columns;
  }
  return word.shared_word && std::uint64_t{*word.shared_word} * 4 < recording.shared_bytes &&
         word.event_block < recording.event_blocks.size();
}

analysis::WordHistory history_of(const Recording& recording, const analysis::Results& results,
                                 const Word& word, const std::stop_token& stop) {
  if (!word.element)
    return analysis::shared_word_history(recording, word.event_block, *word.shared_word,
                                         analysis::kMaxTouches, stop);
  const std::uint64_t element =
      word.element->row * recording.buffers[word.element->buffer].pitch + word.element->column;
  if (results.history() != nullptr)
    return results.history()->of(word.element->buffer, element, analysis::kMaxTouches, stop);
  const analysis::ElementHistory* const chosen = results.chosen_history.get();
  if (chosen != nullptr && chosen->buffer == word.element->buffer && chosen->element == element)
    return chosen->history;
  return analysis::element_history(recording, word.element->buffer, element, analysis::kMaxTouches, stop);
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
  std::string touches = touches_of(recording, word, history);
  if (!word.element) return touches;
  return tr("{touches} {of_blocks}", "touches"_a = touches, "of_blocks"_a = blocks_of(recording, history));
}

}  // namespace warplens::picture
