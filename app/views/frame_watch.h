// Says what is being drawn when a frame takes so long that the window seems frozen: while it lasts, and once
// it has ended.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace warplens::app {

class FrameWatch {
 public:
  using Clock = std::chrono::steady_clock;
  /// Called with one sentence: on a thread of its own while a frame lasts, and on the one that draws when it
  /// has ended.
  using Log = std::function<void(const std::string&)>;

  /// A frame that takes `patience` or longer by the clock that `now` reads, on two threads, is logged.
  FrameWatch(Clock::duration patience, Log log, std::function<Clock::time_point()> now = Clock::now);
  ~FrameWatch();
  FrameWatch(const FrameWatch&) = delete;
  FrameWatch& operator=(const FrameWatch&) = delete;

  // The thread that draws tells where it is. A frame is drawn between `begin` and `end`; what is drawn in it
  // takes until the next `drawing`.
  void begin(std::string of);
  void drawing(std::string_view what, float width, float height);
  void drawing(std::string_view what);
  void end();

  /// To standard error.
  static void log_to_stderr(const std::string& sentence);

 private:
  struct Part {
    std::string what;
    Clock::time_point begun;
    Clock::duration took{};
  };
  void watch();
  void end_part();

  const Clock::duration patience_;
  const Log log_;
  const std::function<Clock::time_point()> now_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool drawing_ = false, resting_ = false, stopping_ = false;
  std::uint64_t frame_ = 0;
  Clock::time_point begun_;
  std::string of_;  ///< What the frame is a picture of
  Part part_, longest_;
  std::thread thread_;  // Last: it uses the rest
};

}  // namespace warplens::app
