// SIGTERM, SIGINT and SIGHUP as a wish to close the window, so that what is kept between starts is kept then
// too.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <iterator>
#include <thread>

namespace warplens::app {

/// One at a time. A second signal ends the process at once, as if there were no handler.
class EndSignals {
 public:
  /// `wake` is called from a thread of its own when a signal arrives.
  explicit EndSignals(std::function<void()> wake);
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  [[nodiscard]] bool arrived() const { return arrived_; }

 private:
  static constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP};

  std::function<void()> wake_;
  std::atomic<bool> arrived_ = false, stopping_ = false;
  struct sigaction before_[std::size(kSignals)] = {};
  std::thread waiting_;
};

}  // namespace warplens::app
