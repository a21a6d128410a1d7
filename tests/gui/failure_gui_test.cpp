// Work and views that fail must not end the window.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>

#include "app/views/picture_view.h"
#include "gui/harness.h"

namespace warplens::app {
namespace {

using namespace std::chrono_literals;
using Failure = GuiTest;

/// What a Background of its own says of work that throws.
std::optional<Error> failure_of(const std::function<void()>& throws) {
  std::atomic<bool> woken{false};
  std::optional<Error> failure;
  Background background([&] { woken = true; },
                        [&](const std::string&, const Error& error) { failure = error; });
  EXPECT_TRUE(background.start("Working", [&](replay::Progress&) -> Background::Outcome {
    throws();
    return {};
  }));
  while (background.busy()) {
    std::this_thread::sleep_for(1ms);
    background.poll();
  }
  EXPECT_TRUE(woken);
  return failure;
}

TEST_F(Failure, OfBackgroundWorkIsReported) {
  const auto memory = failure_of([] { throw std::bad_alloc(); });
  ASSERT_TRUE(memory);
  EXPECT_NE(memory->what.find("memory"), std::string::npos);
  const auto other = failure_of([] { throw std::length_error("vector::reserve"); });
  ASSERT_TRUE(other);
  EXPECT_NE(other->what.find("vector::reserve"), std::string::npos);
  EXPECT_TRUE(failure_of([] { throw 7; }));
  EXPECT_FALSE(failure_of([] {}));
}

/// Leaves Dear ImGui with whatever is open when memory runs out.
class FailingView : public Widget {
 public:
  std::string draw(const Frame&) override {
    ImGui::PushID(7);
    ImGui::PushStyleColor(ImGuiCol_Text, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.5f);
    ImGui::BeginGroup();
    ImGui::BeginChild("half done");
    ++draws;
    throw std::bad_alloc();
  }
  int draws = 0;
};

/// A picture whose maker fails.
class FailingPicture : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    sentence = picture_.update(frame, {300, 200}).sentence;
    picture_.show(frame, ImGui::GetCursorScreenPos());
    return {};
  }
  int makes = 0;
  std::string sentence;

 private:
  PictureView picture_{[this](const Frame&, picture::Size, const picture::Style&) -> picture::Picture {
    ++makes;
    throw std::bad_alloc();
  }};
};

Panel& panel_called(App& app, std::string_view id) {
  return *std::ranges::find(app.panels().all(), id, [](const Panel& panel) { return panel.view->id; });
}

TEST_F(Failure, OfAViewLeavesTheRest) {
  start();
  auto view = std::make_unique<FailingView>();
  const FailingView& failing = *view;
  panel_called(app(), "banks").widget = std::move(view);
  draw(5);
  EXPECT_EQ(failing.draws, 5);
  EXPECT_TRUE(panel_called(app(), "throughput").visible);
  command("view.light");
  EXPECT_FALSE(app().settings().dark);
  keep_picture("failing-view");
}

TEST_F(Failure, OfAPictureIsShownAsText) {
  start();
  auto view = std::make_unique<FailingPicture>();
  const FailingPicture& failing = *view;
  panel_called(app(), "banks").widget = std::move(view);
  draw(5);
  EXPECT_EQ(failing.makes, 1);  // Not in every frame
  EXPECT_NE(failing.sentence.find("not enough memory"), std::string::npos) << failing.sentence;
}

}  // namespace
}  // namespace warplens::app
