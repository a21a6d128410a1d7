// Lessons, given from start to end by the keys of a clicker.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "app/lesson/shipped.h"
#include "app/shell/notes_window.h"
#include "gui/harness.h"
#include "kernels/base/texts.h"

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
  void press(ImGuiKeyChord key) {
    drive([key](ImGuiTestContext& context) {
      context.KeyPress(key);
      context.Yield(2);
    });
  }
};

TEST_F(LessonGui, AnswerIsRevealedAfterPrediction) {
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

TEST_F(LessonGui, APointerThatRestsExplainsNothingOverTheNextPage) {
  start({}, {1280, 800});
  give("banks");
  press(ImGuiKey_PageDown);
  await_scene();
  drive([this](ImGuiTestContext& context) {
    const auto explained = [] {
      const ImGuiWindow* const tooltip = ImGui::FindWindowByName("##Tooltip_00");
      return tooltip != nullptr && tooltip->Active;
    };
    context.MouseMoveToPos({600, 460});
    context.KeyPress(ImGuiKey_PageDown);
    context.Yield(3);
    IM_CHECK(!given().covered());
    IM_CHECK(!explained());
    context.MouseMoveToPos({600, 480});
    context.Yield(3);
    IM_CHECK(explained());
  });
}

TEST_F(LessonGui, ScreenIsBlankedByKey) {
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
    if (screen.dark && !on_every_screen()) continue;
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
  press(ImGuiMod_Shift | ImGuiKey_N);
  EXPECT_NE(app().lesson(), nullptr);
}

TEST_F(LessonGui, TheSpeakerReadsNotesInAWindowOfTheirOwn) {
  start();
  give("banks");
  press(ImGuiKey_3);
  press(ImGuiKey_Enter);
  await_scene();
  EXPECT_FALSE(app().speaker_page());
  press(ImGuiKey_N);
  const std::optional<SpeakerPage> page = app().speaker_page();
  ASSERT_TRUE(page);
  EXPECT_NE(page->place.find("3 of"), std::string::npos) << page->place;
  EXPECT_NE(page->notes.find("column of an array"), std::string::npos) << page->notes;
  EXPECT_EQ(page->answers.size(), 3u);
  EXPECT_EQ(page->right, 2u);
  EXPECT_NE(page->next.find("Stride 33"), std::string::npos) << "with its field filled in: " << page->next;
  std::vector<int> keys;
  {
    auto notes = NotesWindow::make(platform().window(), [&](KeyEvent event) { keys.push_back(event.key); });
    ASSERT_TRUE(notes.ok()) << notes.error().message();
    (*notes)->show(*page, {&app().palette_shown(), 1});
    EXPECT_FALSE((*notes)->close_wanted());
    keep_picture("lesson_beside_notes");
  }
  keep_picture("lesson_after_notes");  // Its context is the current one again
  press(ImGuiKey_N);
  EXPECT_FALSE(app().speaker_page());
}

TEST_F(LessonGui, OnOneMonitorTheNotesStayWhereTheClassCannotReadThem) {
  start();
  app().set_monitors(1);
  give("banks");
  press(ImGuiKey_N);
  EXPECT_FALSE(app().speaker_page());
  EXPECT_NE(app().notice().text().find("Shift+N"), std::string::npos) << app().notice().text();
}

TEST_F(LessonGui, ThePaletteTheKeysAndTheSizeWorkInIt) {
  start();
  give("banks");
  const float scale = app().scale();
  press(ImGuiMod_Ctrl | ImGuiKey_Equal);
  EXPECT_GT(app().scale(), scale);
  press(ImGuiMod_Ctrl | ImGuiKey_0);
  EXPECT_EQ(app().scale(), scale);
  drive([this](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.Yield(3);
    EXPECT_TRUE(app().palette().is_open());
    context.KeyPress(ImGuiKey_PageDown);
    context.Yield(2);
    EXPECT_EQ(given().scene(), 0u) << "the palette has the keys";
    context.KeyCharsReplaceEnter("stride 33");
  });
  EXPECT_EQ(given().title_of(given().scene()), "Stride 33");
  press(ImGuiKey_F1);
  EXPECT_TRUE(app().keys_shown());
  EXPECT_TRUE(shows("List of scenes")) << "keys of lessons";
  EXPECT_FALSE(shows("Next block"));
  keep_picture("lesson_keys");
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app().keys_shown());
  ASSERT_NE(app().lesson(), nullptr) << "one thing at a time";
  press(ImGuiKey_L);
  press(ImGuiKey_Escape);
  ASSERT_NE(app().lesson(), nullptr);
  press(ImGuiKey_PageDown);  // The answer: digits are numbers of scenes again
  press(ImGuiKey_4);
  press(ImGuiKey_Escape);
  ASSERT_NE(app().lesson(), nullptr);
  press(ImGuiKey_Escape);
  EXPECT_EQ(app().lesson(), nullptr);
}

TEST_F(LessonGui, TheLanguageChangesInIt) {
  start();
  give("banks");
  press(ImGuiKey_2);
  press(ImGuiKey_Enter);
  await_scene();
  for (const char* const language : {"de", "en"}) {
    command(std::string("language.") + language);
    await_scene();
    EXPECT_EQ(given().scene(), 1u);
    EXPECT_TRUE(shows(tr("{number} of {count}", "number"_a = 2, "count"_a = given().lesson().scenes.size())))
        << language;
  }
}

/// A lesson of one scene with a question, on a kernel of its own.
class OwnLesson : public LessonGui {
 protected:
  void give_question(const char* views) {
    std::ofstream(config() / "long.cu")
        << "// warplens: grid=1 block=32 x=f32[1024]:ints\n__global__ void k(float* x) {\n  __shared__ float "
           "tile_of_all_words[32][32];\n"
           "  tile_of_all_words[threadIdx.x][threadIdx.x * 0 + 3] = x[threadIdx.x] + x[threadIdx.x + 32] + "
           "x[threadIdx.x + 64] + "
           "x[threadIdx.x + 96] + x[threadIdx.x + 128] + x[threadIdx.x + 160] + x[threadIdx.x + 192] + "
           "x[threadIdx.x + 999];\n"
           "  __syncthreads();\n  x[threadIdx.x] = tile_of_all_words[threadIdx.x][3];\n}\n";
    std::ofstream(config() / "own.toml")
        << "title = \"Own\"\n[[scene]]\ntitle = \"One\"\nlaunch = \"long.cu\"\nviews = " << views
        << "\naccess = \"shared store\"\nsentence = \"They wait.\"\n[scene.question]\nasks = \"How long\"\n"
           "answers = [\"one\", \"many\"]\nright = 2\n";
    start({}, {1280, 800});
    app().open(config() / "own.toml");
    draw(2);
    ASSERT_NE(app().lesson(), nullptr);
    await_scene();
  }
};

TEST_F(OwnLesson, ItsFiguresWaitForTheAnswer) {
  give_question("[\"source\", \"banks\"]");
  EXPECT_TRUE(given().covered());
  EXPECT_TRUE(shows("tile_of_all_words"));
  EXPECT_FALSE(shows("per request"));
  EXPECT_FALSE(shows("32.0 wf"));
  EXPECT_FALSE(shows("wavefronts"));
  keep_picture("own_lesson_asked");
  press(ImGuiKey_PageDown);
  EXPECT_TRUE(shows("32.0 wf"));
  keep_picture("own_lesson_answer");
}

TEST_F(OwnLesson, ItsCodeIsShownWhole) {
  give_question("[\"banks\"]");
  EXPECT_TRUE(shows("192]"));
  EXPECT_TRUE(shows("999];"));
  keep_picture("own_lesson_code");
}

TEST_F(OwnLesson, ComparesInThePictureThatItNames) {
  std::ofstream(config() / "two.toml")
      << "title = \"Two\"\n[[scene]]\ntitle = \"One\"\nlaunch = \"volkov_padded\"\nagainst = "
         "\"volkov_transposed\"\n"
         "views = [\"compare\"]\ncompare = \"banks\"\naccess = \"shared store\"\nsentence = \"Padded.\"\n";
  start({}, {1280, 800});
  app().open(config() / "two.toml");
  draw(2);
  ASSERT_NE(app().lesson(), nullptr);
  await_scene();
  keep_picture("own_lesson_compare");
  EXPECT_TRUE(shows("16 wavefronts"));
  EXPECT_TRUE(shows("1 wavefront"));
  EXPECT_TRUE(shows("bank"));
}

TEST_F(OwnLesson, WhatIsCoveredTakesNoRoom) {
  give_question("[[\"phases\"], [\"divergence\", \"heat\"]]");
  EXPECT_TRUE(given().covered());
  keep_picture("own_lesson_covered");
  EXPECT_FALSE(shows("uncovered"));
}

TEST_F(LessonGui, TheLastSceneHasNoneBehindIt) {
  start();
  give("wrong");
  press(ImGuiKey_End);
  await_scene();
  press(ImGuiKey_N);
  EXPECT_EQ(app().speaker_page()->next, "This is the last scene.");
}

TEST_F(LessonGui, AHandoutIsWrittenFromTheMenu) {
  start({}, {1280, 800});
  drive(
      [](ImGuiTestContext& context) { context.MenuClick("//Warplens/###help/###handout/###handout.wrong"); });
  await([this] { return app().file_dialog().choice().waiting_for().empty(); });
  const std::filesystem::path path = config() / "wrong.html";
  enter_path(path);
  settle();
  EXPECT_GT(std::filesystem::file_size(path), 10'000u);
  EXPECT_TRUE(shows("handout is saved"));
  command("handout.wrong");
  await([this] { return app().file_dialog().choice().waiting_for().empty(); });
  enter_path(config() / "wrong.txt");
  settle();
  EXPECT_FALSE(std::filesystem::exists(config() / "wrong.txt"));
  ASSERT_FALSE(app().messages().all().empty());
  EXPECT_NE(app().messages().all().back().error.hint.find(".pdf"), std::string::npos);
}

TEST_F(LessonGui, WhatIsWrongWithALessonIsSaid) {
  start();
  std::ofstream(config() / "bad.toml") << "title = \"Bad\"\n[[scene]]\ntitle = \"One\"\nlaunch = "
                                          "\"no_such\"\nviews = [\"banks\"]\nsentence = \"x\"\n";
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
