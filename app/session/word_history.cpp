#include "app/session/word_history.h"

#include <new>
#include <utility>

namespace warplens::app {

picture::Word word_of(const Selection& selection) {
  picture::Word word{.element = {}, .shared_word = selection.shared_word, .event_block = selection.shared_word ? selection.event_block : 0};
  if (const auto& element = selection.element) word.element = {.buffer = element->buffer, .row = element->row, .column = element->column};
  return word;
}

void HistoryFinder::follow(const std::shared_ptr<const Loaded>& loaded, const Selection& selection, const std::function<void()>& wake) {
  Key key{loaded, word_of(selection)};
  if (key == key_) return;
  key_ = std::move(key);
  job_.reset();  // Its thread is asked to stop, and does within a moment
  if (!loaded || !picture::is_in(*loaded->recording, key_.word)) return;
  job_ = std::make_unique<Job>();
  ++searches_;
  job_->thread = std::jthread([job = job_.get(), key = key_, wake](const std::stop_token& stop) {
    try {
      job->history = picture::history_of(*key.loaded->recording, key.loaded->history(), key.word, stop);
    } catch (const std::bad_alloc&) {
      job->failed = true;
    }
    if (stop.stop_requested()) return;
    job->done = true;
    if (wake) wake();
  });
}

}  // namespace warplens::app
