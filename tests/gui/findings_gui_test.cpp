// What is wrong with a kernel comes to the front by itself.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "app/session/finding_words.h"
#include "app/session/navigation.h"
#include "base/pseudo_language.h"
#include "gui/drawn_text.h"
#include "gui/harness.h"
#include "kernels/base/texts.h"
#include "kernels/compile/compile.h"

namespace warplens::app {
namespace {

using Findings = GuiTest;

std::vector<std::string> kept_sentences() {
  std::vector<std::string> sentences;
  for (const std::string access :
       {"store of 4 bytes to shared address 0x480", "load of 16 bytes at shared address 0x12",
        "store of 8 bytes to local address 0x8", "load of 2 bytes at local address 0x9",
        "store of 4 bytes to constant or parameter address 0x1000",
        "load of 4 bytes at constant or parameter address 0x1000", "store of 4 bytes to 0x10018280",
        "reduction of 4 bytes at 0x10018280", "ldmatrix of 16 bytes at shared address 0x10"}) {
    for (const char* const what :
         {", which is not a multiple of 4", ", which nothing in the block has written",
          " with different values by several lanes of one instruction: which one remains is undefined",
          ", in the first 1,024 bytes, which are the system's on compute capability 8.0 and later",
          ", 0 bytes past the end of the block's shared memory (4,096 bytes)",
          ", 12 bytes past the end of the thread's local memory (16 bytes)",
          ", 1,020 bytes past the end of a buffer, of (mine) (262,144 bytes)",
          ", which reaches past the end of A (262,144 bytes)", ", 8 bytes before B (262,144 bytes)",
          ", which lies in no buffer", ", outside that memory"}) {
      sentences.push_back(access + what);
    }
  }
  sentences.emplace_back(
      "atomic of 4 bytes at shared address 0x480 by warp 1 and load of line 16 by warp 0, lane 31, with no "
      "barrier between them");
  sentences.emplace_back(
      "load of 4 bytes at shared address 0x404 by lane 0 of warp 2 and store of line 3 by lane 1, with no "
      "__syncwarp between them: since compute "
      "capability 7.0 lanes of a warp run in any order");
  sentences.emplace_back(
      "load of 4 bytes at partial[3][2] by block 1,0,0, thread 5, and atomic of line 5 by block 0,0,0, "
      "thread 37: nothing orders the two blocks");
  sentences.emplace_back("barrier reached by lanes 0-15, 17 of warp 3 only: lanes 16, 18-31 are missing");
  sentences.emplace_back("warp 2 waits forever at barrier 1: the warps that it waits for do not arrive");
  sentences.emplace_back("warps wait forever at barrier 0: fewer arrive than its thread count");
  const std::string where = "at shared address 0x8 by lane 3 of warp 1";
  for (const std::string& sentence : std::vector<std::string>{
           "mbarrier at the address 0x4 by lane 3 of warp 1: it is not a multiple of 8 in the block's shared "
           "memory",
           "operation on an mbarrier " + where + ": no mbarrier.init has made one there",
           "mbarrier.init " + where +
               ": that of line 7 has made one there, and no mbarrier.inval has ended it",
           "mbarrier.init with the count 0 " + where + ": a count is 1 to 1048575",
           "arrival with the count 2 at the mbarrier " + where + ": its phase expects 1 more",
           "arrival with .noComplete at the mbarrier " + where + ": it would end the phase",
           "operation on the mbarrier " + where + ": a store has changed the object since line 7 made it",
           "lanes 0-31 of warp 1 wait at the mbarrier at shared address 0x8, whose phase nothing in the "
           "block ends "
           "any more: 1 of 65 arrivals and 0 transaction bytes are missing"})
    sentences.push_back(sentence);
  return sentences;
}

TEST(FindingWords, SayInAnyLanguageWhatTheFileSaysInEnglish) {
  for (const std::string& sentence : kept_sentences()) {
    const Finding finding{.text = sentence};
    EXPECT_EQ(sentence_for(finding), sentence);
    const PseudoLanguage pseudo;
    const std::string other = sentence_for(finding);
    EXPECT_EQ(outside_brackets(other), "") << other;
  }
  EXPECT_EQ(sentence_for(Finding{.text = "store of 1 bytes to 0x7, which lies in no buffer"}),
            "store of 1 byte to 0x7, which lies in no buffer");
}

TEST(FindingWords, LeaveOtherSentencesAsTheyAre) {
  for (const char* const sentence :
       {"", ",", "something else", "warp", "warp 2 waits", ", which lies in no buffer",
        "{op} of {bytes} bytes", "barrier reached by lanes  of warp  only: lanes",
        "something, which lies in no buffer"}) {
    EXPECT_EQ(sentence_for(Finding{.text = sentence}), sentence);
  }
}

TEST_F(Findings, ComeToTheFrontAndGiveWayToTheSourceAgain) {
  start();
  const auto in_front = [&](std::string_view id) {
    draw(4);
    const auto& panels = app().panels().all();
    return std::ranges::any_of(panels,
                               [&](const Panel& panel) { return panel.view->id == id && panel.visible; });
  };
  EXPECT_TRUE(in_front("source"));
  for (const char* kernel : {"missing_barrier", "barrier_divergence"}) {
    command(std::string("record.") + kernel);
    settle();
    ASSERT_FALSE(recording().findings.empty());
    EXPECT_TRUE(in_front("findings")) << kernel;
  }
  command("record.tiled");
  settle();
  EXPECT_TRUE(in_front("source"));
}

TEST_F(Findings, StayBehindTheSourceForWhoChoseIt) {
  start();
  command("record.missing_barrier");
  settle();
  app().panels().show("source");
  draw(4);
  command("record.missing_barrier");
  settle();
  draw(4);
  const auto& panels = app().panels().all();
  EXPECT_TRUE(std::ranges::any_of(panels, [](const Panel& panel) {
    return panel.view->id == "source" && panel.visible;
  })) << "who looks at the source of what is wrong keeps it";
}

/// Findings at their accesses.
class FindingAtAccess : public GuiTest {
 protected:
  void SetUp() override {
    GuiTest::SetUp();
    if (compile::compilers().empty())
      GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  }
  void choose_kernel(const std::string& mangled, const std::string& block) {
    drive([&](ImGuiTestContext& context) {
      context.ItemClick("//Warplens/Launch/kernel/##value");
      context.ItemClick(("//$FOCUSED/###" + mangled).c_str());
    });
    settle();
    // What is guessed makes no facts
    for (const auto& [field, written] :
         {std::pair<std::string, std::string>{"block", block}, {"grid", "8"}}) {
      drive([&](ImGuiTestContext& context) {
        context.ItemClick(("//Warplens/Launch/" + field + "/##value").c_str());
        context.KeyCharsReplaceEnter(written.c_str());
      });
      settle();
    }
  }
  void open_races(const std::string& mangled, WindowSize size = {}) {
    start({}, size);
    app().open(std::filesystem::path(WARPLENS_TEST_DATA) / "cu" / "races.cu");
    settle();
    choose_kernel(mangled, "64");
  }
  void open_past_the_end(WindowSize size = {}) {
    const std::filesystem::path path = config() / "past.cu";
    std::ofstream(path) << "// warplens: grid=3 block=64 C=f32[180]\n__global__ void past(float* C) {\n  "
                           "C[blockIdx.x * 64 + threadIdx.x] = 1;\n}\n";
    start(path, size);
  }
  void click(const std::string& item) {
    drive([&](ImGuiTestContext& context) { context.ItemClick(item.c_str()); });
    settle();
  }
  void press(ImGuiKeyChord key) {
    drive([&](ImGuiTestContext& context) { context.KeyPress(key); });
    settle();
  }
  /// Clicks the middle of the sentence of what is found, in the view's picture.
  void click_sentence(const std::string& view) {
    const ImGuiWindow* const window = ImGui::FindWindowByName(window_name_of(view).c_str());
    ASSERT_NE(window, nullptr);
    const ImRect inner = window->InnerRect;
    drive([&](ImGuiTestContext& context) {
      context.MouseMoveToPos({inner.GetCenter().x, inner.Max.y - 24 * app().scale()});
      context.MouseClick();
    });
    settle();
  }
  [[nodiscard]] std::uint32_t line() { return current_line(recording(), app().selection()); }
  [[nodiscard]] Dim3 block() { return recording().event_blocks.at(app().selection().event_block); }
};

TEST_F(FindingAtAccess, ARaceOfLanesIsDrawnAndLeadsToItsOtherAccess) {
  open_races("_Z7shiftedPKiPi");
  ASSERT_EQ(recording().findings.size(), 1u);
  click("**/###finding");
  EXPECT_EQ(line(), 15u);
  EXPECT_EQ(app().selection().lane, 0);
  EXPECT_TRUE(shows("Race within a warp: lane 0 conflicts with the store at line 14 by lane 1 at s[1]"));
  keep_picture("found_lane_race");
  press(ImGuiKey_O);
  EXPECT_EQ(line(), 14u);
  EXPECT_EQ(app().selection().lane, 1);
  EXPECT_TRUE(shows("Race within a warp: lane 1 conflicts with the load at line 15 by lane 0 at s[1]"));
  press(ImGuiKey_O);
  EXPECT_EQ(line(), 15u);
  click("**/###other");
  EXPECT_EQ(line(), 14u);
  EXPECT_EQ(app().selection().finding, (ChosenFinding{0, true}));
  press(ImGuiKey_RightArrow);
  EXPECT_FALSE(app().selection().finding) << "one has gone elsewhere";
  press(ImGuiKey_F);
  EXPECT_EQ(app().selection().finding, (ChosenFinding{0, false}));
}

TEST_F(FindingAtAccess, TheSentenceOfTheRaceLeadsToItsOtherAccess) {
  open_races("_Z7shiftedPKiPi");
  click("**/###finding");
  click_sentence("banks");
  EXPECT_EQ(line(), 14u);
  click_sentence("banks");
  EXPECT_EQ(line(), 15u);
}

TEST_F(FindingAtAccess, ARaceOfBlocksLeadsToABlockThatIsRecordedThen) {
  open_races("_Z6smoothPi");
  ASSERT_EQ(recording().findings.size(), 1u);
  const Dim3 first = recording().findings[0].block, other = recording().findings[0].other->block;
  app().menus().blocks = BlocksMenu::all_draw_one;
  app().menus().drawn = Dim3{3, 0, 0};
  settle();
  ASSERT_EQ(recording().event_blocks, (std::vector<Dim3>{{3, 0, 0}}));
  ASSERT_EQ(recording().findings.size(), 1u);
  click("**/###finding");
  EXPECT_EQ(block(), first);
  EXPECT_EQ(line(), 90u);
  EXPECT_TRUE(shows("Race between blocks: lane 0 conflicts with the store at line 92 by block"));
  keep_picture("found_block_race");
  press(ImGuiKey_O);
  EXPECT_EQ(block(), other);
  EXPECT_EQ(line(), 92u);
  EXPECT_EQ(app().selection().lane, static_cast<int>(recording().findings[0].other->lane));
  EXPECT_TRUE(shows("conflicts with the load at line 90 by block"));
  press(ImGuiKey_O);
  EXPECT_EQ(block(), first);
}

TEST_F(FindingAtAccess, PastTheEndOfABufferItsEndIsDrawn) {
  open_past_the_end();
  ASSERT_EQ(recording().findings.size(), 1u);
  click("**/###finding");
  EXPECT_EQ(block(), (Dim3{2, 0, 0}));
  EXPECT_EQ(app().selection().warp, 1u);
  EXPECT_TRUE(shows("Access out of bounds, lanes 20\u201331: lane 20 at C[180], right behind the end of C"));
  EXPECT_TRUE(shows("Thread 52 · C[180]")) << "in the list";
  EXPECT_TRUE(shows("C ends"));
  EXPECT_TRUE(overlapping_texts().empty()) << overlapping_texts().front();
  keep_picture("found_past_the_end");
}

// By eye, too: sizes, scales and themes.
TEST_F(FindingAtAccess, AreWholeInAllWindows) {
  struct Window {
    const char* name;
    WindowSize size;
    float scale;
    bool dark;
  };
  for (const Window& window :
       {Window{"small_dark", {1280, 800}, 1, true}, Window{"small_light_2x", {1280, 800}, 2, false},
        Window{"large_light", {1920, 1080}, 1, false}, Window{"large_dark_2x", {1920, 1080}, 2, true}}) {
    SCOPED_TRACE(window.name);
    for (const bool race : {true, false}) {
      race ? open_races("_Z7shiftedPKiPi", window.size) : open_past_the_end(window.size);
      app().settings().scale = window.scale;
      app().settings().dark = window.dark;
      draw(3);
      const std::string view = race ? "banks" : "coalescing";
      drive([&](ImGuiTestContext& context) {
        context.ItemClick("**/###finding");
        context.Yield(3);
        EXPECT_TRUE(std::ranges::any_of(app().panels().all(), [&](const Panel& panel) {
          return panel.view->id == view && panel.visible;
        })) << "the picture comes to the front";
      });
      app().panels().show(view);  // The test engine has given the focus back to the list
      settle();
      EXPECT_TRUE(overlapping_texts().empty()) << overlapping_texts().front();
      expect_uncut(view);
      keep_picture(std::string(race ? "found_race_" : "found_end_") + window.name);
      app().settings() = {};
      stop();
    }
  }
}

}  // namespace
}  // namespace warplens::app
