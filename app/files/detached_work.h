// Work on a thread that nobody waits for: a request to a network folder may never return.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace warplens::app {

/// One piece of work at a time. Whoever starts another, or ends the work, leaves the one before behind: it
/// goes on by itself until it notices. So the work holds copies of all it needs.
template <class Update>
class DetachedWork {
  struct Shared {
    std::mutex mutex;
    std::condition_variable reported;
    std::vector<Update> updates;
    std::function<void()> wake;
    bool wanted = true, done = false;
    std::exception_ptr failure;

    void report(const std::function<void()>& what) {
      const std::lock_guard lock(mutex);
      what();
      reported.notify_all();
      if (wanted) wake();
    }
  };

 public:
  /// Takes what the work finds, on its thread.
  class Reporter {
   public:
    explicit Reporter(Shared& shared) : shared_(shared) {}
    void operator()(Update update) const {
      shared_.report([&] { shared_.updates.push_back(std::move(update)); });
    }
    /// False: nobody waits for it any more, and the work should end.
    [[nodiscard]] bool wanted() const {
      const std::lock_guard lock(shared_.mutex);
      return shared_.wanted;
    }

   private:
    Shared& shared_;
  };

  /// `wake` is called on the work's thread when there are updates. It must not come back here.
  explicit DetachedWork(std::function<void()> wake) : wake_(std::move(wake)) {}
  ~DetachedWork() { leave(); }
  DetachedWork(const DetachedWork&) = delete;
  DetachedWork& operator=(const DetachedWork&) = delete;

  void start(std::function<void(const Reporter&)> work) {
    leave();
    auto shared = std::make_shared<Shared>();
    shared->wake = wake_;
    std::thread([shared, work = std::move(work)] {
      std::exception_ptr failure;
      try {
        work(Reporter(*shared));
      } catch (...) {
        failure = std::current_exception();
      }
      shared->report([&] {
        shared->failure = failure;
        shared->done = true;
      });
    }).detach();
    shared_ = std::move(shared);
  }

  void leave() {
    const std::shared_ptr<Shared> shared = std::exchange(shared_, nullptr);
    if (!shared) return;
    const std::lock_guard lock(shared->mutex);
    shared->wanted = false;
  }

  /// Until `take` has had the last of its updates.
  [[nodiscard]] bool running() const { return shared_ != nullptr; }

  /// Waits until the work is done, but not longer than that: what is done at once is shown at once.
  void wait(std::chrono::milliseconds max) const {
    if (!shared_) return;
    std::unique_lock lock(shared_->mutex);
    shared_->reported.wait_for(lock, max, [&] { return shared_->done; });
  }

  /// What was found since the last time. Throws what the work has thrown.
  [[nodiscard]] std::vector<Update> take() {
    if (!shared_) return {};
    const std::shared_ptr<Shared> shared = shared_;
    const std::lock_guard lock(shared->mutex);
    if (shared->done) shared_.reset();
    if (shared->failure) std::rethrow_exception(shared->failure);
    return std::exchange(shared->updates, {});
  }

 private:
  std::function<void()> wake_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace warplens::app
