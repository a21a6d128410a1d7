#include "app/session/word_history.h"

#include <new>
#include <utility>

namespace warplens::app {

void HistoryFinder::follow(const std::shared_ptr<const Loaded>& loaded, const Selection& selection, const std::function<void()>& wake) {
  Key key{loaded, selection.element, selection.shared_word, selection.shared_word ? selection.event_block : 0};
  if (key == key_) return;
  key_ = std::move(key);
  job_.reset();  // Its thread is asked to stop, and does within a moment
  if (!exists(key_)) return;
  job_ = std::make_unique<Job>();
  ++searches_;
  job_->thread = std::jthread([job = job_.get(), key = key_, wake](const std::stop_token& stop) {
    try {
      job->history = history_of(key, stop);
    } catch (const std::bad_alloc&) {
      job->failed = true;
    }
    if (stop.stop_requested()) return;
    job->done = true;
    if (wake) wake();
  });
}

analysis::WordHistory HistoryFinder::history_of(const Key& key, const std::stop_token& stop) {
  const Recording& recording = key.loaded->recording;
  if (!key.element) return analysis::shared_word_history(recording, key.event_block, *key.shared_word, analysis::kMostTouches, stop);
  const Buffer& buffer = recording.buffers[key.element->buffer];
  const std::uint64_t element = key.element->row * buffer.pitch + key.element->column;
  return analysis::element_history(recording, key.element->buffer, element, analysis::kMostTouches, stop);
}

bool HistoryFinder::exists(const Key& key) {
  if (!key.loaded) return false;
  const Recording& recording = key.loaded->recording;
  if (key.element) {
    if (key.element->buffer >= recording.buffers.size()) return false;
    const Buffer& buffer = recording.buffers[key.element->buffer];
    return key.element->row < buffer.rows && key.element->column < buffer.columns;
  }
  return key.shared_word && std::uint64_t{*key.shared_word} * 4 < recording.shared_bytes && key.event_block < recording.event_blocks.size();
}

}  // namespace warplens::app
