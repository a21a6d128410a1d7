// The history of the selected element or word, looked for on a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "app/session/loaded.h"
#include "app/session/selection.h"
#include "viz/analysis/history.h"
#include "viz/picture/history_words.h"

namespace warplens::app {

/// What is selected, if it is an element or a word of shared memory.
[[nodiscard]] picture::Word word_of(const Selection& selection);

/// Keeps the latest history until another one is asked for. A search that is no longer wanted ends early.
/// Where all blocks have to be run again for an element, that of the recorded ones is there until they have
/// been.
class HistoryFinder {
 public:
  /// What the selection names in the recording. Starts looking when that changes; `wake` is then called, on
  /// the finder's thread, when something is found, and now and then while blocks are run.
  void follow(const std::shared_ptr<const Loaded>& loaded, const Selection& selection,
              const std::function<void()>& wake);

  /// How often it has begun to look: tells one history from another.
  [[nodiscard]] std::uint64_t searches() const { return searches_; }
  /// Whether the selection names an element or a word that there is in the recording.
  [[nodiscard]] bool wanted() const { return job_ != nullptr; }
  /// Null while it is looked for, and if there was not enough memory for it.
  [[nodiscard]] std::shared_ptr<const analysis::WordHistory> found() const;
  /// How many blocks have been run again, of those that have to be; nullopt: none has.
  [[nodiscard]] std::optional<std::uint64_t> blocks_run() const;
  [[nodiscard]] bool failed() const { return job_ && job_->failed; }

 private:
  struct Key {
    std::shared_ptr<const Loaded> loaded;
    picture::Word word;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Job {
    std::mutex mutex;
    std::shared_ptr<const analysis::WordHistory> history;  ///< With the mutex locked
    std::atomic<bool> failed{false};                       ///< There was not enough memory
    std::atomic<bool> runs{false};
    replay::Progress progress;
    std::jthread thread;  // Last: it uses the rest
  };
  static void look(Job& job, const Key& key, const std::function<void()>& wake, const std::stop_token& stop);
  Key key_;
  std::uint64_t searches_ = 0;
  std::unique_ptr<Job> job_;
};

}  // namespace warplens::app
