// Edits that are not saved: nothing loses them without a question, and a window that ends without one leaves
// them to the next.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "app/session/navigation.h"
#include "app/shell/kept_edits.h"
#include "gui/source_gui_test.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScale = R"cu(// warplens: grid=4 block=64 n=256 x=f32[n]:ints
__global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i];
}
)cu";
constexpr const char* kMark = "// mine ";

class Unsaved : public SourceGuiTest {
 protected:
  void click(const char* item) {
    drive([&](ImGuiTestContext& context) { context.ItemClick(item); });
    settle();
  }
  /// Opens a file, and types something behind its second line.
  void edit(const fs::path& path) {
    start();
    app().open(path);
    settle();
    press(ImGuiKey_F2);
    settle();
    go_to(2);
    type(std::string(" ") + kMark);
    ASSERT_TRUE(app().editing().unsaved());
  }
  [[nodiscard]] bool keeps_edits() { return app().editing().text.find(kMark) != std::string::npos; }
  void expect_question_and(const char* answer) {
    draw(3);
    EXPECT_TRUE(app().asks_about_edits());
    EXPECT_TRUE(keeps_edits());
    click((std::string("//unsaved/###") + answer).c_str());
    EXPECT_FALSE(app().asks_about_edits());
  }
};

TEST_F(Unsaved, QuittingAsks) {
  const fs::path path = write("own.cu", kScale);
  edit(path);
  EXPECT_EQ(app().title(), "*own.cu - Warplens");
  press(ImGuiMod_Ctrl | ImGuiKey_Q);
  draw(3);
  keep_picture("unsaved_question");
  expect_question_and("cancel");
  EXPECT_FALSE(app().quit_wanted());
  app().quit();  // As the button that closes the window does
  expect_question_and("save");
  EXPECT_TRUE(app().quit_wanted());
  EXPECT_NE(read(path).find(kMark), std::string::npos);
  EXPECT_EQ(app().title(), "own.cu - Warplens");
}

TEST_F(Unsaved, QuittingDiscards) {
  const fs::path path = write("own.cu", kScale);
  edit(path);
  app().save_state();
  app().quit();
  expect_question_and("discard");
  EXPECT_TRUE(app().quit_wanted());
  EXPECT_EQ(read(path), kScale);
  app().save_state();
  stop();
  start();
  app().offer_left_edits();
  EXPECT_FALSE(app().asks_about_edits()) << "what was discarded is not offered again";
}

TEST_F(Unsaved, WithoutEditsNothingIsAsked) {
  start();
  app().open(write("own.cu", kScale));
  settle();
  press(ImGuiKey_F2);
  settle();
  press(ImGuiMod_Ctrl | ImGuiKey_Q);
  EXPECT_FALSE(app().asks_about_edits());
  EXPECT_TRUE(app().quit_wanted());
}

TEST_F(Unsaved, CopyOfACatalogKernelIsUnsavedOnceItIsEdited) {
  start();
  press(ImGuiKey_F2);
  settle();
  ASSERT_TRUE(app().editing().on);
  EXPECT_FALSE(app().editing().unsaved());
  go_to(1);
  type(kMark);
  EXPECT_TRUE(app().editing().unsaved());
  app().quit();
  expect_question_and("save");
  EXPECT_TRUE(app().file_dialog().active()) << "it lies nowhere yet";
  enter_path(config() / "mine.cu");
  settle();
  EXPECT_TRUE(app().quit_wanted());
  EXPECT_NE(read(config() / "mine.cu").find(kMark), std::string::npos);
}

TEST_F(Unsaved, OpeningAnotherFileAsks) {
  const fs::path other = write("other.cu", kScale);
  edit(write("own.cu", kScale));
  app().open(other);
  settle();
  expect_question_and("cancel");
  EXPECT_EQ(app().editing().file.filename(), "own.cu");
  EXPECT_TRUE(keeps_edits());
  app().open_all({other, write("third.cu", kScale)});
  settle();
  expect_question_and("discard");
  EXPECT_EQ(app().editing().file.filename(), "third.cu");
  EXPECT_EQ(recording().kernel, "scale");
  EXPECT_FALSE(app().editing().on);
}

TEST_F(Unsaved, OpeningARecordingAsks) {
  edit(write("own.cu", kScale));
  const fs::path path = config() / "kept.wlr";
  ASSERT_TRUE(save(recording(), path));
  app().open(path);
  settle();
  expect_question_and("save");
  EXPECT_NE(read(config() / "own.cu").find(kMark), std::string::npos);
  EXPECT_EQ(app().loaded()->path, path);
}

TEST_F(Unsaved, AnotherKernelOfTheRowAsks) {
  edit(write("own.cu", kScale));
  const auto shown = app().loaded()->recording;
  choose_kernel(app().menus(), *catalog().find("naive"));
  settle();
  expect_question_and("cancel");
  EXPECT_EQ(app().menus().kernel(), "");
  EXPECT_EQ(app().loaded()->recording, shown);
  command("record.naive");
  expect_question_and("discard");
  EXPECT_EQ(recording().kernel, "naive");
  EXPECT_TRUE(app().row_is_shown());
  EXPECT_FALSE(app().editing().on) << "the source of another launch";
}

TEST_F(Unsaved, GoingBackKeepsThem) {
  edit(write("own.cu", kScale));
  while (app().recordings().can_go_back()) {
    command("go.back");
    settle();
  }
  EXPECT_EQ(recording().kernel, "tiled");
  EXPECT_FALSE(app().editing().on);
  EXPECT_FALSE(app().asks_about_edits());
  EXPECT_TRUE(keeps_edits());
  EXPECT_EQ(app().title(), "*own.cu - Warplens");
  press(ImGuiKey_F2);  // A copy of the kernel there would take their place
  expect_question_and("cancel");
  command("go.forward");
  settle();
  press(ImGuiKey_F2);
  settle();
  EXPECT_TRUE(app().editing().on);
  EXPECT_TRUE(keeps_edits());
}

TEST_F(Unsaved, AWindowThatIsEndedLeavesThemToTheNext) {
  const fs::path path = write("own.cu", kScale);
  edit(path);
  app().save_changes();
  stop();  // Nobody was asked
  EXPECT_EQ(read(path), kScale);
  start();
  app().offer_left_edits();
  settle();
  EXPECT_TRUE(app().asks_about_edits());
  keep_picture("unsaved_restore");
  click("//left_edits/###restore");
  EXPECT_TRUE(app().editing().on);
  EXPECT_TRUE(keeps_edits());
  EXPECT_TRUE(app().editing().unsaved());
  EXPECT_EQ(app().editing().file, path);
  EXPECT_EQ(recording().kernel, "scale") << "it is compiled and recorded";
  EXPECT_TRUE(app().row_is_shown());
  press(ImGuiMod_Ctrl | ImGuiKey_S);
  settle();
  EXPECT_NE(read(path).find(kMark), std::string::npos);
  app().save_changes();
  stop();
  start();
  app().offer_left_edits();
  EXPECT_FALSE(app().asks_about_edits()) << "they have been saved";
}

TEST_F(Unsaved, ACopyThatWasNeverSavedIsRestoredWithItsLaunch) {
  start();
  command("record.naive");
  settle();
  app().menus().launch.set("m", 96);
  settle();
  press(ImGuiKey_F2);
  settle();
  const Dim3 grid = recording().grid;
  go_to(1);
  type(kMark);
  app().save_changes();
  stop();
  start();
  app().offer_left_edits();
  settle();
  click("//left_edits/###restore");
  EXPECT_TRUE(app().editing().lies_nowhere);
  EXPECT_TRUE(keeps_edits());
  EXPECT_TRUE(app().row_is_shown());
  EXPECT_EQ(recording().grid, grid) << "as it was launched, not as one would guess";
}

TEST_F(Unsaved, OfTwoWindowsEachKeepsItsOwn) {
  KeptEdits one(config() / "unsaved"), other(config() / "unsaved");
  const UnsavedSource of_one{.file = "/a.cu", .text = "a\nb"},
      of_other{.file = "b.cu", .lies_nowhere = true, .text = "\xff\n"};
  ASSERT_TRUE(one.keep(of_one));
  ASSERT_TRUE(other.keep(of_other));
  EXPECT_EQ(KeptEdits(config() / "unsaved").take_left_behind(), std::nullopt) << "both windows are there";
  other = KeptEdits(config() / "unsaved");  // Its window has ended
  EXPECT_EQ(one.take_left_behind(), of_other);
  EXPECT_EQ(other.take_left_behind(), std::nullopt) << "it has been offered";
  one.forget();
  one.drop();
  EXPECT_TRUE(fs::is_empty(config() / "unsaved"));
}

TEST_F(Unsaved, DamagedCopiesAreNotOffered) {
  fs::create_directories(config() / "unsaved");
  for (const char* const text :
       {"", "no line", "{}\ntext", "{\"file\": 3, \"lies_nowhere\": true}\ntext", "[[[[\n"}) {
    std::ofstream(config() / "unsaved/1.edits") << text;
    EXPECT_EQ(KeptEdits(config() / "unsaved").take_left_behind(), std::nullopt) << text;
    EXPECT_FALSE(fs::exists(config() / "unsaved/1.edits"));
  }
}

TEST_F(Unsaved, AFileThatDoesNotCompileIsWhatTheRowSays) {
  start();
  const auto before = app().loaded()->recording;
  app().open(write("bad.cu", "__global__ void k(float* x) { x[0] = nonsense; }\n"));
  settle();
  EXPECT_TRUE(app().editing().on);
  EXPECT_EQ(app().loaded()->recording, before) << "the last good picture stays";
  EXPECT_FALSE(app().row_is_shown()) << "and is not passed off as the file's";
  ASSERT_NE(app().menus().launch.file_kernel(), nullptr);
  EXPECT_EQ(app().menus().launch.file_kernel()->file.filename(), "bad.cu");
  EXPECT_TRUE(shows("nonsense"));
  keep_picture("bad_file");
  choose_kernel(app().menus(), *catalog().find("naive"));
  settle();
  EXPECT_FALSE(app().editing().on) << "its source would stand beside another launch's figures";
}

TEST_F(Unsaved, KeysOfTheWindowAreTypedIntoTheEditor) {
  edit(write("own.cu", kScale));
  const Selection before = app().selection();
  const Dim3 block = recording().event_blocks[before.event_block];
  const std::string text = app().editing().text;
  for (const ImGuiKeyChord key :
       {ImGuiKeyChord{ImGuiKey_Space}, ImGuiKeyChord{ImGuiKey_X}, ImGuiKeyChord{ImGuiKey_RightBracket},
        ImGuiKeyChord{ImGuiKey_F}, ImGuiKeyChord{ImGuiKey_O}, ImGuiMod_Shift | ImGuiKey_X,
        ImGuiMod_Alt | ImGuiKey_LeftArrow, ImGuiKeyChord{ImGuiKey_PageDown}, ImGuiKeyChord{ImGuiKey_Home},
        ImGuiKeyChord{ImGuiKey_DownArrow}}) {
    press(key);
    EXPECT_FALSE(app().player().playing) << key;
    EXPECT_EQ(app().selection(), before) << key;
    EXPECT_EQ(recording().event_blocks[app().selection().event_block], block) << key;
    EXPECT_TRUE(app().editing().focused) << key;
  }
  drive([&](ImGuiTestContext& context) {
    context.KeyPress(ImGuiKey_Escape);
    EXPECT_FALSE(app().editing().focused);
    EXPECT_TRUE(app().editing().on);
    context.KeyPress(ImGuiKey_Space);
    EXPECT_TRUE(app().player().playing) << "the keys are the window's again";
  });
}

TEST_F(Unsaved, KeysOfTheWindowAreTypedIntoFieldsOfTheRow) {
  start();
  app().open(write("own.cu", kScale));
  settle();
  const Selection before = app().selection();
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/x/##value");
    for (const ImGuiKey key :
         {ImGuiKey_Space, ImGuiKey_X, ImGuiKey_RightBracket, ImGuiKey_DownArrow, ImGuiKey_PageDown})
      context.KeyPress(key);
  });
  EXPECT_FALSE(app().player().playing);
  EXPECT_EQ(app().selection(), before);
}

TEST_F(Unsaved, EditingLeavesTheLayoutAsItWas) {
  start();
  const auto widths = [&] {
    draw(4);
    std::vector<float> all;
    for (const char* const view : {"source", "phases", "banks"}) {
      const ImGuiWindow* const window = ImGui::FindWindowByName((std::string("###") + view).c_str());
      all.push_back(window == nullptr ? 0 : window->Size.x);
    }
    return all;
  };
  const std::vector<float> before = widths();
  ASSERT_GT(before[0], 0);
  for (int i = 0; i < 6; ++i) {
    press(ImGuiKey_F2);
    settle();
    draw(4);
  }
  EXPECT_FALSE(app().editing().on);
  EXPECT_EQ(widths(), before);
}

TEST_F(Unsaved, TheCaretIsInTheSelectedLine) {
  start();
  const std::uint32_t selected = current_line(recording(), app().selection());
  ASSERT_GT(selected, 1u);
  drive([&](ImGuiTestContext& context) {
    context.KeyPress(ImGuiKey_F2);
    for (int i = 0; i < 10; ++i) context.Yield();
    context.KeyCharsAppend("/**/");
  });
  const std::string& text = app().editing().text;
  const std::size_t typed = text.find("/**/");
  ASSERT_NE(typed, std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(typed), '\n') + 1, selected);
}

}  // namespace
}  // namespace warplens::app
