// Frames that take too long are told of, with what was drawn.
#include "app/views/frame_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "gui/gpu_worker.h"
#include "gui/harness.h"

namespace warplens::app {
namespace {

using namespace std::chrono_literals;
using FrameWatchInTheWindow = GuiTest;

/// What a watch says, from whichever thread.
class Log {
 public:
  [[nodiscard]] FrameWatch::Log sink() {
    return [this](const std::string& sentence) {
      const std::lock_guard lock(mutex_);
      sentences_.push_back(sentence);
    };
  }
  [[nodiscard]] std::vector<std::string> all() {
    const std::lock_guard lock(mutex_);
    return sentences_;
  }
  [[nodiscard]] bool holds(const std::string& words) {
    const auto sentences = all();
    return std::ranges::any_of(
        sentences, [&](const std::string& sentence) { return sentence.find(words) != std::string::npos; });
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> sentences_;
};

/// Stands still but for what a test lets pass.
class FrameClock {
 public:
  [[nodiscard]] std::function<FrameWatch::Clock::time_point()> reader() {
    return [this] { return FrameWatch::Clock::time_point(std::chrono::milliseconds(milliseconds_)); };
  }
  void pass(std::chrono::milliseconds time) { milliseconds_ += time.count(); }

 private:
  std::atomic<std::chrono::milliseconds::rep> milliseconds_{0};
};

TEST(FrameWatching, SaysWhatIsDrawnWhileAFrameHangs) {
  Log log;
  FrameClock clock;
  FrameWatch watch(50ms, log.sink(), clock.reader());
  for (int i = 0; i < 3; ++i) {
    watch.begin("tiled");
    watch.drawing("Coalescing");
    watch.end();
  }
  for (const char* what : {"Banks", "Occupancy"}) {
    watch.begin("tiled");
    watch.drawing("Coalescing");
    watch.drawing(what, 3, 421);
    clock.pass(60ms);
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (!log.holds(std::string("it draws ") + what) && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(5ms);
    watch.end();
    std::this_thread::sleep_for(100ms);
  }
  const auto said = log.all();
  ASSERT_EQ(said.size(), 4u);
  EXPECT_NE(said[0].find("it draws Banks, 3 x 421 pixels (tiled)"), std::string::npos) << said[0];
  EXPECT_NE(said[1].find("for Banks, 3 x 421 pixels (tiled)"), std::string::npos) << said[1];
  EXPECT_NE(said[2].find("it draws Occupancy"), std::string::npos) << said[2];
}

TEST(FrameWatching, SaysNothingOfAWindowAtRest) {
  Log log;
  FrameClock clock;
  {
    FrameWatch watch(20ms, log.sink(), clock.reader());
    watch.begin("tiled");
    watch.end();
    clock.pass(100ms);
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_TRUE(log.all().empty());
}

class SlowView : public Widget {
 public:
  std::string draw(const Frame&) override {
    std::this_thread::sleep_for(300ms);
    return {};
  }
};

TEST_F(FrameWatchInTheWindow, TheWatchIsToldWhichViewIsDrawn) {
  Log log;
  const AppOptions options{.config_folder = config(),
                           .worker = {.command = gpu_worker("none")},
                           .wake = Platform::wake,
                           .patience = 200ms,
                           .log = log.sink()};
  auto platform = Platform::make({.width = 1600, .height = 900, .visible = true});
  ASSERT_TRUE(platform) << platform.error().message();
  App watched(options, {});
  const auto banks =
      std::ranges::find(watched.panels().all(), "banks", [](const Panel& panel) { return panel.view->id; });
  banks->widget = std::make_unique<SlowView>();
  const auto all_said = [&] {
    return log.holds("for Banks,") && log.holds("it draws Banks,") && log.holds("(tiled at scale");
  };
  for (const auto deadline = std::chrono::steady_clock::now() + 60s;
       !all_said() && std::chrono::steady_clock::now() < deadline;) {
    (*platform)->wait(0);
    watched.prepare_frame((*platform)->graphics());
    (*platform)->begin_frame();
    watched.draw_frame((*platform)->graphics());
    static_cast<void>((*platform)->end_frame());
  }
  EXPECT_TRUE(all_said());
}

}  // namespace
}  // namespace warplens::app
