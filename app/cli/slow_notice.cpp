#include "app/cli/slow_notice.h"

#include <utility>

namespace warplens::app {

SlowNotice::SlowNotice(std::ostream& err, std::string line, std::chrono::milliseconds delay)
    : waiting_([this, &err, delay, line = std::move(line)] {
        std::unique_lock lock(mutex_);
        if (!ended_.wait_for(lock, delay, [this] { return has_ended_; })) err << line << '\n' << std::flush;
      }) {}

SlowNotice::~SlowNotice() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  waiting_.join();
}

}  // namespace warplens::app
