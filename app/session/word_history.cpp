#include "app/session/word_history.h"

#include <new>
#include <utility>

#include "app/session/grid_counts.h"

namespace warplens::app {

picture::Word word_of(const Selection& selection) {
  picture::Word word{.element = {},
                     .shared_word = selection.shared_word,
                     .event_block = selection.shared_word ? selection.event_block : 0};
  if (const auto& element = selection.element)
    word.element = {.buffer = element->buffer, .row = element->row, .column = element->column};
  return word;
}

void HistoryFinder::follow(const std::shared_ptr<const Loaded>& loaded, const Selection& selection,
                           const std::function<void()>& wake) {
  Key key{loaded, word_of(selection)};
  if (key == key_) return;
  key_ = std::move(key);
  job_.reset();  // Its thread is asked to stop, and does within a moment
  if (!loaded || !picture::is_in(*loaded->recording, key_.word)) return;
  job_ = std::make_unique<Job>();
  ++searches_;
  job_->thread = std::jthread([job = job_.get(), key = key_, wake](const std::stop_token& stop) {
    try {
      look(*job, key, wake, stop);
    } catch (const std::bad_alloc&) {
      job->failed = true;
      if (wake) wake();
    }
  });
}

void HistoryFinder::look(Job& job, const Key& key, const std::function<void()>& wake,
                         const std::stop_token& stop) {
  const auto show = [&](analysis::WordHistory history) {
    if (stop.stop_requested()) return;
    auto shown = std::make_shared<const analysis::WordHistory>(std::move(history));
    {
      const std::lock_guard lock(job.mutex);
      job.history = std::move(shown);
    }
    if (wake) wake();
  };
  const Recording& recording = *key.loaded->recording;
  const bool runs = key.word.element && lacks_history(*key.loaded);
  job.runs = runs;
  show(picture::history_of(recording, *key.loaded, key.word, stop));
  if (!runs || stop.stop_requested()) return;
  const std::stop_callback on_stop(stop, [&job] { job.progress.cancel = true; });
  const std::uint32_t buffer = key.word.element->buffer;
  const std::uint64_t element =
      key.word.element->row * recording.buffers[buffer].pitch + key.word.element->column;
  const auto all = history_by_replay(recording, buffer, element, &job.progress, [&](std::uint64_t) {
    if (wake) wake();
  });
  job.runs = false;
  if (all.ok() && *all) show((*all)->history);
  if (wake && !stop.stop_requested()) wake();
}

std::shared_ptr<const analysis::WordHistory> HistoryFinder::found() const {
  if (!job_ || job_->failed) return nullptr;
  const std::lock_guard lock(job_->mutex);
  return job_->history;
}

std::optional<std::uint64_t> HistoryFinder::blocks_run() const {
  return job_ && job_->runs ? std::optional<std::uint64_t>(job_->progress.blocks_done) : std::nullopt;
}

}  // namespace warplens::app
