// Lessons, given from start to end by the keys of a clicker.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "app/lesson/shipped.h"
#include "gui/harness.h"

namespace warplens::app {
namespace {

class LessonGui : public GuiTest {
 protected:
  void give(const std::string& name) {
    command("lesson." + name);
    draw(2);
    ASSERT_NE(app().lesson(), nullptr);
    await_scene();
  }
  [[nodiscard]] const GivenLesson& given() { return app().lesson()->given(); }
  void await_scene() {
    await([this] { return given().prepared() != nullptr; });
    draw(2);
    EXPECT_TRUE(given().prepared()->ok()) << given().prepared()->error().message();
  }
  void press(ImGuiKey key) {
    drive([key](ImGuiTestContext& context) {
      context.KeyPress(key);
      context.Yield(2);
    });
  }
};

TEST_F(LessonGui, AClassPredictsAndThenSees) {
  start({}, {1280, 800});
  give("banks");
  EXPECT_TRUE(app().fullscreen_wanted());
  EXPECT_TRUE(shows("Neighbouring"));
  keep_picture("lesson_first");
  press(ImGuiKey_PageDown);
  await_scene();
  EXPECT_EQ(given().scene(), 1u);
  EXPECT_TRUE(given().covered());
  EXPECT_TRUE(shows("uncovered"));
  keep_picture("lesson_question");
  press(ImGuiKey_2);
  EXPECT_EQ(given().marked(), 1u);
  press(ImGuiKey_PageDown);
  EXPECT_FALSE(given().covered());
  EXPECT_EQ(given().scene(), 1u);
  await([this] { return !app().lesson()->moves(); });
  EXPECT_TRUE(shows("2 wavefronts"));
  EXPECT_FALSE(shows("uncovered"));
  keep_picture("lesson_answer");
  press(ImGuiKey_PageUp);
  EXPECT_EQ(given().scene(), 0u);
  press(ImGuiKey_Escape);
  EXPECT_EQ(app().lesson(), nullptr);
  draw(2);
  EXPECT_FALSE(app().fullscreen_wanted());
  EXPECT_TRUE(shows("Warplens"));
}

TEST_F(LessonGui, AnAnswerUnfoldsWavefrontByWavefront) {
  start();
  give("banks");
  press(ImGuiKey_3);
  press(ImGuiKey_Enter);
  await_scene();
  press(ImGuiKey_PageDown);
  EXPECT_TRUE(app().lesson()->moves());
  keep_picture("lesson_unfolds");
  press(ImGuiKey_PageDown);
  EXPECT_FALSE(app().lesson()->moves()) << "all at once";
  EXPECT_EQ(given().scene(), 2u);
  press(ImGuiKey_PageDown);
  EXPECT_EQ(given().scene(), 3u);
}

TEST_F(LessonGui, ItIsBlackWhileOneTalks) {
  start();
  give("coalescing");
  press(ImGuiKey_B);
  EXPECT_TRUE(app().lesson()->black());
  EXPECT_FALSE(shows("1 of"));
  press(ImGuiKey_PageDown);
  EXPECT_FALSE(app().lesson()->black());
  EXPECT_EQ(given().scene(), 0u) << "the key only brings the picture back";
}

TEST_F(LessonGui, ScenesAreFoundByNumberAndInTheList) {
  start();
  give("banks");
  press(ImGuiKey_5);
  EXPECT_TRUE(shows("to scene 5"));
  press(ImGuiKey_Enter);
  await_scene();
  EXPECT_EQ(given().scene(), 4u);
  press(ImGuiKey_L);
  keep_picture("lesson_list");
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//###lesson scenes/###list 2");
    context.Yield(2);
  });
  EXPECT_EQ(given().scene(), 1u);
  press(ImGuiKey_End);
  EXPECT_EQ(given().scene(), given().lesson().scenes.size() - 1);
  press(ImGuiKey_PageDown);
  press(ImGuiKey_PageDown);
  EXPECT_EQ(given().scene(), given().lesson().scenes.size() - 1) << "there is no more";
}

// Each scene of each lesson, on a projector and on a large screen.
TEST_F(LessonGui, EveryShippedSceneIsWholeInEverySize) {
  struct Screen {
    const char* name;
    WindowSize size;
    bool dark;
  };
  for (const Screen& screen : {Screen{"small", {1280, 800}, false}, Screen{"large", {1920, 1080}, true}}) {
    start({}, screen.size);
    app().settings().dark = screen.dark;
    for (const std::string& name : shipped_lessons()) {
      SCOPED_TRACE(fmt::format("{} {}", screen.name, name));
      give(name);
      for (std::size_t scene = 0; scene < given().lesson().scenes.size(); ++scene) {
        ASSERT_EQ(given().scene(), scene);
        await_scene();
        if (given().covered()) {
          expect_uncut("lesson");
          keep_picture(fmt::format("lessons_{}_{}_{:02}_asked", screen.name, name, scene + 1));
          press(ImGuiKey_PageDown);
          if (app().lesson()->moves()) press(ImGuiKey_PageDown);
        }
        EXPECT_GT(expect_uncut("lesson"), 100u) << scene + 1;
        keep_picture(fmt::format("lessons_{}_{}_{:02}", screen.name, name, scene + 1));
        press(ImGuiKey_PageDown);
      }
      press(ImGuiKey_Escape);
    }
    stop();
  }
}

// Words and figures are of the access that is drawn.
TEST_F(LessonGui, WordsFollowTheStep) {
  start();
  give("tiles");
  press(ImGuiKey_2);
  press(ImGuiKey_Enter);
  await_scene();
  EXPECT_TRUE(shows("coalesced"));
  EXPECT_FALSE(shows("Step"));
  press(ImGuiKey_RightArrow);
  EXPECT_TRUE(shows("Step"));
  EXPECT_FALSE(shows("coalesced"));
  keep_picture("lesson_step");
  press(ImGuiKey_LeftArrow);
  EXPECT_TRUE(shows("coalesced"));
  EXPECT_FALSE(shows("Step"));
  press(ImGuiKey_RightArrow);
  press(ImGuiKey_2);
  press(ImGuiKey_Enter);
  EXPECT_TRUE(shows("coalesced")) << "a scene begins at its own place";
}

TEST_F(LessonGui, AWindowOfAFewPixelsHasNoRoomForIt) {
  start({}, {8, 8});
  give("wrong");
  for (std::size_t scene = 0; scene < given().lesson().scenes.size(); ++scene) {
    await_scene();
    press(ImGuiKey_PageDown);
    if (!given().covered()) press(ImGuiKey_PageDown);
  }
  press(ImGuiKey_L);
  press(ImGuiKey_N);
  EXPECT_NE(app().lesson(), nullptr);
}

TEST_F(LessonGui, WhatIsWrongWithALessonIsSaid) {
  start();
  std::ofstream(config() / "bad.toml")
      << "title = \"Bad\"\n[[scene]]\ntitle = \"One\"\nlaunch = \"no_such\"\nviews = [\"banks\"]\nsentence = \"x\"\n";
  app().open(config() / "bad.toml");
  draw(2);
  ASSERT_NE(app().lesson(), nullptr);
  await([this] { return given().prepared() != nullptr; });
  draw(2);
  EXPECT_FALSE(given().prepared()->ok());
  EXPECT_TRUE(shows("no_such"));
  press(ImGuiKey_Escape);
  std::ofstream(config() / "worse.toml") << "title = ";
  app().open(config() / "worse.toml");
  draw(2);
  EXPECT_EQ(app().lesson(), nullptr);
  EXPECT_FALSE(app().messages().all().empty());
}

}  // namespace
}  // namespace warplens::app
