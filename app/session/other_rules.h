// A recording by other rules than those that it is shown by, costed on a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "app/session/loaded.h"

namespace warplens::app {

/// Keeps the latest one until another is asked for. What is no longer wanted ends early.
class OtherRules {
 public:
  OtherRules() = default;
  OtherRules(const OtherRules&) = delete;
  OtherRules& operator=(const OtherRules&) = delete;
  ~OtherRules() { give_up(); }

  /// The launch by those rules; null while it is costed, and if there was not enough memory for it. `wake` is
  /// called on the other thread when it is there.
  [[nodiscard]] std::shared_ptr<const Loaded> by_rules(const std::shared_ptr<const Loaded>& loaded,
                                                       analysis::ComputeCapability cc,
                                                       const std::function<void()>& wake);
  [[nodiscard]] bool failed() const { return job_ && job_->done && !job_->costed; }

 private:
  struct Job {
    std::shared_ptr<const Recording> recording;
    analysis::ComputeCapability cc;
    std::shared_ptr<const Loaded> costed;
    std::atomic<bool> cancelled{false}, done{false};
    std::jthread thread;  // Last: it uses the rest
  };
  void give_up();

  std::unique_ptr<Job> job_;
};

}  // namespace warplens::app
