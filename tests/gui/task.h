// What a lecturer and an engineer do in the window, each from a first start, by mouse and by keys: on small
// and large screens, at two scales. After every task no text lies on another, and none is cut off in the
// views that are in sight.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/navigation.h"
#include "gui/drawn_text.h"
#include "gui/harness.h"
#include "kernels/recording/file.h"

namespace warplens::app {

struct TaskScreen {
  int width, height;
  float scale;
};

inline std::vector<TaskScreen> screens() {
  if (!on_every_screen()) return {{1280, 800, 1}};
  return {{1280, 800, 1},    {1920, 1080, 1},    {2560, 1440, 1},
          {1280, 800, 1.5f}, {1920, 1080, 1.5f}, {2560, 1440, 1.5f}};
}

class Task : public GuiTest, public testing::WithParamInterface<TaskScreen> {
 protected:
  void SetUp() override {
    GuiTest::SetUp();
    begin();
  }
  void begin(const std::filesystem::path& open = {}) {
    start(open, {GetParam().width, GetParam().height});
    app().settings().scale = GetParam().scale;
    settle();
  }
  void TearDown() override {
    if (!HasFatalFailure()) {
      settle();
      keep_picture(::testing::UnitTest::GetInstance()->current_test_info()->name());
      for (const std::string& overlap : overlapping_texts()) ADD_FAILURE() << overlap;
      for (const Panel& panel : app().panels().all()) {
        if (panel.visible && !app().presenting()) expect_uncut(panel.view->id.data());
      }
    }
    GuiTest::TearDown();
  }

  void press(ImGuiKeyChord key, int times = 1) {
    drive([&](ImGuiTestContext& context) { context.KeyPress(key, times); });
  }
  void click(const std::string& item) {
    drive([&](ImGuiTestContext& context) { context.ItemClick(item.c_str()); });
  }
  /// Ctrl+P, the words, Enter.
  void ask(const std::string& words) {
    drive([&](ImGuiTestContext& context) {
      context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
      context.KeyCharsAppendEnter(words.c_str());
    });
    settle();
  }
  void choose(const std::string& field, const std::string& entry) {
    drive([&](ImGuiTestContext& context) {
      context.ItemClick(("//Warplens/Launch/" + field + "/##value").c_str());
      context.ItemClick(("//$FOCUSED/" + entry).c_str());
    });
    settle();
  }
  void type_into(const std::string& field, const std::string& text) {
    drive([&](ImGuiTestContext& context) {
      context.ItemClick(("//Warplens/Launch/" + field + "/##value").c_str());
      context.KeyCharsReplace(text.c_str());
    });
    settle();
  }
  void show(const std::string& view) {
    app().panels().show(view);
    settle();
  }
  [[nodiscard]] const Panel& panel(std::string_view id) {
    return *std::ranges::find_if(app().panels().all(), [&](const Panel& one) { return one.view->id == id; });
  }
  [[nodiscard]] std::string presented() {
    return std::string(app().panels().all()[app().panels().presented()].view->id);
  }
  /// Moves the pointer over a view's picture until `there` holds; false if it never does.
  bool point(const std::string& view, const std::function<bool()>& there) {
    bool found = false;
    drive([&](ImGuiTestContext& context) {
      const ImGuiTestItemInfo picture = context.ItemInfo(("//" + view + "/picture").c_str());
      IM_CHECK(picture.ID != 0);
      const ImRect box = picture.RectClipped;
      for (float y = box.Min.y + 4; y < box.Max.y && !found; y += 7) {
        for (float x = box.Min.x + 6; x < box.Max.x && !found; x += box.GetWidth() / 31) {
          context.MouseTeleportToPos({x, y});
          context.Yield();
          found = there();
        }
      }
    });
    return found;
  }
  void click_there() {
    drive([](ImGuiTestContext& context) { context.MouseClick(); });
  }
  static std::string copied() {
    const char* const text = ImGui::GetClipboardText();
    return text != nullptr ? text : "";
  }
  [[nodiscard]] Selection& selection() { return app().selection(); }
  [[nodiscard]] std::uint32_t line() { return current_line(recording(), selection()); }
  [[nodiscard]] std::filesystem::path saved() {
    const auto path = config() / "saved.wlr";
    EXPECT_TRUE(warplens::save(recording(), path));
    return path;
  }
};

inline std::string name_of_screen(const testing::TestParamInfo<TaskScreen>& screen) {
  return std::to_string(screen.param.width) + "x" + std::to_string(screen.param.height) + "at" +
         std::to_string(static_cast<int>(screen.param.scale * 10));
}

}  // namespace warplens::app
