// A line that says on a terminal what takes long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>

namespace warplens::app {

/// While it lives, and once `delay` has passed, one line is written to `err`, by another thread.
class SlowNotice {
 public:
  SlowNotice(std::ostream& err, std::string line, std::chrono::milliseconds delay);
  ~SlowNotice();
  SlowNotice(const SlowNotice&) = delete;
  SlowNotice& operator=(const SlowNotice&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread waiting_;  // Last: it uses the rest
};

}  // namespace warplens::app
