// The window in the languages that ship: what is shown is theirs, also after switching while the window is
// open, and nothing is cut off.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/languages/languages.h"
#include "app/lesson/shipped.h"
#include "gui/drawn_text.h"
#include "gui/harness.h"
#include "kernels/base/language_table.h"
#include "kernels/catalog/catalog.h"
#include "viz/views/view.h"

namespace warplens::app {
namespace {

class WindowInLanguage : public GuiTest, public testing::WithParamInterface<std::string_view> {
 protected:
  ~WindowInLanguage() override { speak(kEnglish); }

  const LanguageTable& table() {
    return dynamic_cast<const LanguageTable&>(*find_language(GetParam())->catalogue);
  }

  /// Texts of the catalogue that are on screen in English, although the language has its own.
  std::set<std::string> left_in_english() {
    std::set<std::string> left;
    for (const DrawnText& drawn : drawn_texts()) {
      const char* const own = drawn.is_code ? nullptr : table().text(drawn.text.c_str());
      if (own != nullptr && drawn.text != own && !is_own(drawn.text))
        left.insert(drawn.window + ": " + drawn.text);
    }
    return left;
  }

  /// Words that are written alike in both, as another text's translation.
  bool is_own(const std::string& text) {
    if (own_.empty()) {
      for (const Translation& one : table().translations()) own_.insert(one.forms[0]);
    }
    return own_.contains(text);
  }

  void bring_to_front(std::string_view view) {
    drive([&](ImGuiTestContext& context) {
      context.WindowFocus(("//" + std::string(view)).c_str());
      context.SleepNoSkip(0.3f, 0.02f);
      context.Yield(4);
    });
  }

  void look_at_every_view(const std::string& name) {
    for (const viz::View& view : viz::views()) {
      if (!view.place) continue;
      SCOPED_TRACE(view.id);
      bring_to_front(view.id);
      for (const std::string& text : left_in_english()) ADD_FAILURE() << "in English, in " << text;
      EXPECT_GT(expect_uncut(std::string(view.id)), 20u);
      keep_picture(fmt::format("{}-{}-{}", GetParam(), name, view.id));
    }
  }

 private:
  std::set<std::string, std::less<>> own_;
};

struct ScreenOfLanguage {
  const char* name;
  WindowSize size;
  float scale;
  bool dark;
};
constexpr ScreenOfLanguage kScreensOfLanguage[] = {{"small", {1280, 800}, 1, true},
                                                   {"large", {1920, 1080}, 1, false}};

TEST_P(WindowInLanguage, IsSpokenByEveryViewAndCutNowhere) {
  for (const ScreenOfLanguage& screen : kScreensOfLanguage) {
    SCOPED_TRACE(screen.name);
    speak(GetParam());
    start({}, screen.size);
    app().settings().scale = screen.scale;
    app().settings().dark = screen.dark;
    settle();
    app().selection().element = ElementRef{0, 3, 17};
    look_at_every_view(screen.name);
    stop();
  }
}

TEST_P(WindowInLanguage, IsSwitchedToWhileTheWindowIsOpen) {
  start({}, {1280, 800});
  for (const viz::View& view : viz::views()) {
    if (view.place) bring_to_front(view.id);  // Each has drawn, and kept what it could, in English
  }
  command(fmt::format("language.{}", GetParam()));
  settle();
  EXPECT_EQ(&language_spoken(), find_language(GetParam()));
  look_at_every_view("switched");
  app().save_state();
  const auto kept = load_settings(config());
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->language, GetParam());
  command("language.en");
  settle();
  EXPECT_TRUE(shows("Coalescing"));
}

/// What is seen first, in every size, scale and theme; cut texts are looked for in the front views.
TEST_P(WindowInLanguage, IsWholeAtFirstOnEveryScreen) {
  for (const float scale : {1.0f, 2.0f}) {
    for (const WindowSize size : {WindowSize{1280, 800}, WindowSize{1920, 1080}}) {
      speak(GetParam());
      start({}, {static_cast<int>(static_cast<float>(size.width) * scale),
                 static_cast<int>(static_cast<float>(size.height) * scale)});
      app().settings().scale = scale;
      for (const bool dark : {true, false}) {
        app().settings().dark = dark;
        settle();
        draw(3);
        SCOPED_TRACE(fmt::format("{} x {} at scale {}", size.width, size.height, scale));
        for (const char* const view : {"source", "phases", "coalescing", "banks", "throughput"})
          EXPECT_GT(expect_uncut(view), 20u);
        keep_picture(
            fmt::format("first-{}-{}-{}x-{}", GetParam(), size.width, scale, dark ? "dark" : "light"));
      }
      stop();
    }
  }
}

TEST_P(WindowInLanguage, GivesLessonsWithNothingCutOff) {
  const std::string longest = "fr", without_spaces = "zh";
  if (!on_every_screen() && GetParam() != longest && GetParam() != without_spaces)
    GTEST_SKIP()
        << "with WARPLENS_EVERY_SCREEN=1: as a rule the longest words and those without spaces stand for all";
  speak(GetParam());
  const bool for_the_eye = std::getenv("WARPLENS_PICTURES") != nullptr;
  for (const ScreenOfLanguage& screen : kScreensOfLanguage) {
    if (screen.size.width > 1280 && !for_the_eye)
      continue;  // All words grow with the screen: what fits one fits the other
    start({}, screen.size);
    app().settings().dark = screen.dark;
    for (const std::string& name : shipped_lessons()) {
      SCOPED_TRACE(name);
      app().give_lesson(name);
      const GivenLesson& given = app().lesson()->given();
      for (std::size_t scene = 0; scene < given.lesson().scenes.size();) {
        SCOPED_TRACE(scene);
        await([&] { return given.prepared() != nullptr; });
        draw(2);
        expect_uncut("lesson");
        const bool asked = given.covered();
        keep_picture(fmt::format("{}-lesson-{}-{}-{:02}{}", GetParam(), screen.name, name, scene + 1,
                                 asked ? "-asked" : ""));
        drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_PageDown); });
        if (app().lesson()->moves())
          drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_PageDown); });
        if (asked) continue;
        ++scene;
        EXPECT_EQ(given.scene(), std::min(scene, given.lesson().scenes.size() - 1));
      }
      drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Escape); });
      ASSERT_EQ(app().lesson(), nullptr);
    }
    stop();
  }
}

TEST_P(WindowInLanguage, LeadsThroughTheWindow) {
  speak(GetParam());
  start({}, {1280, 800});
  app().start_tour();
  draw(3);
  while (app().tour().going()) {
    EXPECT_GT(expect_uncut("tour"), 20u);
    for (const std::string& text : left_in_english()) ADD_FAILURE() << "in English, in " << text;
    keep_picture(fmt::format("{}-tour-{}", GetParam(), app().tour().stop() + 1));
    drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Enter); });
    draw(2);
  }
}

TEST_P(WindowInLanguage, NamesWhatIsInTheMenus) {
  speak(GetParam());
  start({}, {1280, 800});
  for (const char* const menu : {"file", "launch", "go", "view", "help"}) {
    SCOPED_TRACE(menu);
    drive([&](ImGuiTestContext& context) {
      context.MenuClick(fmt::format("//Warplens/###{}", menu).c_str());
      context.Yield(3);
    });
    for (const std::string& text : left_in_english()) ADD_FAILURE() << "in English, in " << text;
    keep_picture(fmt::format("{}-menu-{}", GetParam(), menu));
    drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Escape); });
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, WindowInLanguage, testing::Values("de", "fr", "pl", "ru", "zh"),
                         [](const auto& tag) { return std::string(tag.param); });

}  // namespace
}  // namespace warplens::app
