#include "app/views/frame_watch.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace warplens::app {
namespace {

double seconds(FrameWatch::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

FrameWatch::FrameWatch(Clock::duration patience, Log log, std::function<Clock::time_point()> now)
    : patience_(patience), log_(std::move(log)), now_(std::move(now)), thread_([this] { watch(); }) {}

FrameWatch::~FrameWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void FrameWatch::begin(std::string of) {
  const std::lock_guard lock(mutex_);
  ++frame_;
  drawing_ = true;
  of_ = std::move(of);
  begun_ = now_();
  part_ = {"the state of the window", begun_};
  longest_ = {};
  if (resting_) changed_.notify_one();
}

void FrameWatch::drawing(std::string_view what, float width, float height) {
  drawing(fmt::format("{}, {:.0f} x {:.0f} pixels", what, width, height));
}

void FrameWatch::drawing(std::string_view what) {
  const std::lock_guard lock(mutex_);
  end_part();
  part_ = {std::string(what), now_()};
}

void FrameWatch::end_part() {
  part_.took = now_() - part_.begun;
  if (part_.took > longest_.took) longest_ = part_;
}

void FrameWatch::end() {
  std::string sentence;
  {
    const std::lock_guard lock(mutex_);
    if (!drawing_) return;
    drawing_ = false;
    end_part();
    const auto took = now_() - begun_;
    if (took < patience_) return;
    sentence = fmt::format("a frame took {:.1f} s, {:.1f} s of them for {} ({})", seconds(took),
                           seconds(longest_.took), longest_.what, of_);
  }
  log_(sentence);
}

// It sleeps while nothing is drawn; while frames follow each other it wakes after each span of patience and
// looks whether it is still the same one.
void FrameWatch::watch() {
  std::unique_lock lock(mutex_);
  std::uint64_t logged = 0;
  while (true) {
    resting_ = true;
    changed_.wait(lock, [&] { return stopping_ || (drawing_ && frame_ != logged); });
    if (stopping_) return;
    resting_ = false;
    const std::uint64_t frame = frame_;
    while (drawing_ && frame_ == frame) {
      const auto left = begun_ + patience_ - now_();
      if (left <= Clock::duration::zero()) break;
      if (changed_.wait_for(lock, left, [this] { return stopping_; })) return;
    }
    if (!drawing_ || frame_ != frame) continue;
    logged = frame;
    const std::string sentence = fmt::format("a frame has taken {:.1f} s and is not done: it draws {} ({})",
                                             seconds(now_() - begun_), part_.what, of_);
    lock.unlock();
    log_(sentence);
    lock.lock();
  }
}

void FrameWatch::log_to_stderr(const std::string& sentence) {
  fmt::print(stderr, "warplens: {}\n", sentence);
}

}  // namespace warplens::app
