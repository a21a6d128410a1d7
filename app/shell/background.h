// One long piece of work at a time, on a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "kernels/base/result.h"
#include "kernels/replay/replay.h"

namespace warplens::app {

class Background {
 public:
  /// What to do with the outcome, on the caller's thread.
  using Outcome = std::function<void()>;
  /// The work itself, on that thread. It should look at `Progress::cancel`.
  using Work = std::function<Outcome(replay::Progress&)>;

  /// What to do when work ended by an exception, on the caller's thread: what was worked on, and why it
  /// failed.
  using Failed = std::function<void(std::string what, Error error)>;

  /// `wake` is called on that thread when the work is done.
  Background(std::function<void()> wake, Failed failed)
      : wake_(std::move(wake)), failed_(std::move(failed)) {}
  /// Cancels, and waits for the work to notice.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// False if something runs already.
  bool start(std::string what, Work work);
  [[nodiscard]] bool busy() const { return job_ != nullptr; }
  [[nodiscard]] const std::string& what() const { return what_; }
  /// The work that runs is another from now on, to who waits for it.
  void go_on_with(std::string what) { what_ = std::move(what); }
  [[nodiscard]] const replay::Progress& progress() const { return job_->progress; }
  void cancel();
  /// Takes the outcome of finished work, if there is one.
  void poll();

 private:
  struct Job {
    replay::Progress progress;
    std::atomic<bool> done{false};
    Outcome outcome;
    std::optional<Error> failure;
    std::jthread thread;  // Last: it uses the rest
  };
  std::function<void()> wake_;
  Failed failed_;
  std::string what_;
  std::unique_ptr<Job> job_;
};

}  // namespace warplens::app
