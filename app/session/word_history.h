// The history of the selected element or word, looked for on a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "app/session/selection.h"
#include "app/session/session.h"
#include "viz/analysis/history.h"

namespace warplens::app {

/// Keeps the latest history until another one is asked for. A search that is no longer wanted ends early.
class HistoryFinder {
 public:
  /// What the selection names in the recording. Starts looking when that changes; `wake` is then called, on the finder's thread, when it is found.
  void follow(const std::shared_ptr<const Loaded>& loaded, const Selection& selection, const std::function<void()>& wake);

  /// How often it has begun to look: tells one history from another.
  [[nodiscard]] std::uint64_t searches() const { return searches_; }
  /// Whether the selection names an element or a word that there is in the recording.
  [[nodiscard]] bool wanted() const { return job_ != nullptr; }
  /// Null while it is looked for, and if there was not enough memory for it.
  [[nodiscard]] const analysis::WordHistory* found() const { return job_ && job_->done && !job_->failed ? &job_->history : nullptr; }
  [[nodiscard]] bool failed() const { return job_ && job_->done && job_->failed; }

 private:
  struct Key {
    std::shared_ptr<const Loaded> loaded;
    std::optional<ElementRef> element;
    std::optional<std::uint32_t> shared_word;
    std::uint32_t event_block = 0;  ///< Of a shared word
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Job {
    analysis::WordHistory history;
    bool failed = false;  ///< There was not enough memory
    std::atomic<bool> done{false};
    std::jthread thread;  // Last: it uses the rest
  };
  [[nodiscard]] static bool exists(const Key& key);
  [[nodiscard]] static analysis::WordHistory history_of(const Key& key, const std::stop_token& stop);

  Key key_;
  std::uint64_t searches_ = 0;
  std::unique_ptr<Job> job_;
};

}  // namespace warplens::app
