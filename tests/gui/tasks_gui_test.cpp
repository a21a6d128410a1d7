// What a lecturer and an engineer do in the window, each from a first start, by mouse and by keys: on small
// and large screens, at two scales. After every task no text lies on another, and none is cut off in the
// views that are in sight.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/navigation.h"
#include "app/session/subject.h"
#include "gui/drawn_text.h"
#include "gui/harness.h"
#include "kernels/recording/file.h"
#include "viz/canvas/canvas.h"
#include "viz/views/view.h"

namespace warplens::app {
namespace {

struct TaskScreen {
  int width, height;
  float scale;
};

std::vector<TaskScreen> screens() {
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

std::string name_of_screen(const testing::TestParamInfo<TaskScreen>& screen) {
  return std::to_string(screen.param.width) + "x" + std::to_string(screen.param.height) + "at" +
         std::to_string(static_cast<int>(screen.param.scale * 10));
}

INSTANTIATE_TEST_SUITE_P(Screens, Task, testing::ValuesIn(screens()), name_of_screen);

// A lecturer, five minutes before class and in it.

TEST_P(Task, L01FindsARecordingOnScreenAtTheFirstStart) {
  EXPECT_EQ(recording().kernel, "tiled");
  EXPECT_EQ(recording().verified, true);
  EXPECT_TRUE(app().row_is_shown());
}

TEST_P(Task, L02ChoosesAnotherKernel) {
  choose("kernel", "naive");
  EXPECT_EQ(recording().kernel, "naive");
}

TEST_P(Task, L03TypesASize) {
  type_into("size", "64");
  EXPECT_EQ(recording().m, 64u);
}

TEST_P(Task, L04ChoosesASizeByKeys) {
  ask("size 128");
  EXPECT_EQ(recording().n, 128u);
}

TEST_P(Task, L05ChangesTheTile) {
  choose("T", "8");
  EXPECT_EQ(recording().block.x, 8u);
}

TEST_P(Task, L06StepsThroughAPhase) {
  const Selection before = selection();
  press(ImGuiKey_RightArrow, 3);
  EXPECT_EQ(current_event(recording(), selection()), *current_event(recording(), before) + 3);
}

TEST_P(Task, L07TurnsThePhasesWithTheClicker) {
  const std::uint32_t phase = selection().phase;
  press(ImGuiKey_PageDown);
  EXPECT_EQ(selection().phase, phase + 1);
  press(ImGuiKey_PageUp, 2);
  EXPECT_EQ(selection().phase, phase - 1);
}

TEST_P(Task, L08PlaysAndStops) {
  const auto before = current_event(recording(), selection());
  press(ImGuiKey_Space);
  EXPECT_TRUE(app().player().playing);
  await([&] { return current_event(recording(), selection()) != before; });
  press(ImGuiKey_Space);
  EXPECT_FALSE(app().player().playing);
}

TEST_P(Task, L09DragsTheScrubber) {
  drive([this](ImGuiTestContext& context) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    context.MouseTeleportToPos({size.x * 0.3f, size.y - 28 * app().scale()});
    context.MouseDown();
    context.Yield(2);
    const std::uint32_t early = selection().phase;
    context.MouseMoveToPos({size.x * 0.8f, size.y - 28 * app().scale()});
    context.Yield(2);
    context.MouseUp();
    IM_CHECK_LT(early, selection().phase);
  });
}

TEST_P(Task, L10PresentsBanks) {
  ask("present banks");
  EXPECT_TRUE(app().presenting());
  EXPECT_EQ(presented(), "banks");
}

TEST_P(Task, L10ReadsItFromTheLastRow) {
  ask("present banks");
  draw(2);
  const ImVec2 size = ImGui::GetMainViewport()->Size;
  EXPECT_GE(app().scale() * picture::kTinySize, size.y / 45 * 0.999f);
}

TEST_P(Task, L11PresentsAViewByItsDigit) {
  press(ImGuiKey_F11);
  press(ImGuiKey_2);
  EXPECT_EQ(app().panels().presented(), 1u);
}

TEST_P(Task, L12PresentsTwoViews) {
  ask("present banks");
  ask("present coalescing beside");
  ASSERT_TRUE(app().panels().presented_beside());
  EXPECT_EQ(app().panels().all()[*app().panels().presented_beside()].view->id, "coalescing");
}

TEST_P(Task, L13HidesThePhasesWhilePresenting) {
  press(ImGuiKey_F11);
  ASSERT_TRUE(shows("Phases"));
  press(ImGuiKey_H);
  EXPECT_FALSE(shows("Phases"));
}

TEST_P(Task, L14ReadsKernelPlaceAndCodeWhilePresenting) {
  ask("present banks");
  EXPECT_TRUE(shows("tiled · m 256"));
  EXPECT_TRUE(shows("line 25:"));
}

TEST_P(Task, L15LeavesThePresentation) {
  press(ImGuiKey_F11);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app().presenting());
}

TEST_P(Task, L16SeesWhyALaunchIsRefusedWhilePresenting) {
  press(ImGuiKey_F11);
  app().menus().blocks = BlocksMenu::chosen;
  app().menus().chosen_blocks = "99,0";
  settle();
  EXPECT_TRUE(shows("Of tiled"));
  EXPECT_TRUE(shows("99"));
}

TEST_P(Task, L17MakesTheTextLarger) {
  const float before = app().scale();
  press(ImGuiMod_Ctrl | ImGuiKey_Equal, 2);
  EXPECT_GT(app().scale(), before * 1.1f);
}

TEST_P(Task, L18TurnsTheLightOn) {
  ask("light");
  EXPECT_FALSE(app().settings().dark);
}

TEST_P(Task, L19LooksUpTheKeys) {
  press(ImGuiKey_F1);
  EXPECT_TRUE(app().keys_shown());
  press(ImGuiKey_F1);
  EXPECT_FALSE(app().keys_shown());
}

TEST_P(Task, L20PointsAtALaneAndSeesItEverywhere) {
  show("coalescing");
  EXPECT_TRUE(point("coalescing", [this] { return app().hovered().lane.has_value(); }));
}

TEST_P(Task, L21SelectsALaneByAClick) {
  show("banks");
  press(ImGuiKey_RightArrow);  // To a load that is no broadcast
  ASSERT_TRUE(point("banks", [this] { return app().hovered().lane.has_value(); }));
  click_there();
  EXPECT_TRUE(selection().lane.has_value());
  press(ImGuiKey_Escape);
  EXPECT_FALSE(selection().lane.has_value());
}

TEST_P(Task, L22ShowsTheRulesOfAnOldGpu) {
  choose("rules", "1.0 Tesla");
  await([this] { return app().loaded()->cc == analysis::ComputeCapability{1, 0}; });
  show("banks");
  EXPECT_TRUE(shows("half-warp"));
}

TEST_P(Task, L23ShowsAConflictAndItsFix) {
  choose("kernel", "volkov_transposed");
  const std::size_t before = app().loaded()->costs.size();
  choose("kernel", "volkov_padded");
  EXPECT_LT(app().loaded()->costs.size(), before);
  press(ImGuiMod_Alt | ImGuiKey_LeftArrow);
  settle();
  EXPECT_EQ(recording().kernel, "volkov_transposed");
}

TEST_P(Task, L24GoesForwardAgain) {
  choose("kernel", "naive");
  press(ImGuiMod_Alt | ImGuiKey_LeftArrow);
  settle();
  EXPECT_EQ(recording().kernel, "tiled");
  press(ImGuiMod_Alt | ImGuiKey_RightArrow);
  settle();
  EXPECT_EQ(recording().kernel, "naive");
}

TEST_P(Task, L25SavesTheRecordingForTheNextLecture) {
  EXPECT_TRUE(std::filesystem::exists(saved()));
  command("file.save");
  press(ImGuiKey_Escape);
}

TEST_P(Task, L26OpensTheRecordingOfTheLastLecture) {
  const auto path = saved();
  choose("kernel", "naive");
  app().open(path);
  settle();
  EXPECT_EQ(app().loaded()->path, path);
  EXPECT_EQ(recording().kernel, "tiled");
}

TEST_P(Task, L27NotesAPlaceAndComesBackToIt) {
  press(ImGuiKey_RightArrow, 2);
  const Selection there = selection();
  command("go.copy_place");  // Not by its key: the test engine has a clipboard of its own
  EXPECT_EQ(copied().substr(0, 8), "--select");
  press(ImGuiKey_PageDown, 3);
  command("go.paste_place");
  EXPECT_EQ(selection(), there);
}

TEST_P(Task, L28ShowsTheLadderWithoutAGpu) {
  show("throughput");
  EXPECT_TRUE(panel("throughput").visible);
}

TEST_P(Task, L29ShowsTheRoofline) {
  ask("roofline");
  EXPECT_TRUE(panel("roofline").visible);
  EXPECT_TRUE(shows("GFLOP/s"));
}

TEST_P(Task, L30FollowsAnElementThroughTheKernel) {
  show("heat");
  keep_picture("heat");
  ASSERT_TRUE(point("heat", [this] { return app().hovered().element.has_value(); }));
  click_there();
  ASSERT_TRUE(selection().element.has_value());
  show("history");
  EXPECT_TRUE(panel("history").visible);
}

// An engineer with a slow kernel.

TEST_P(Task, E01FindsTheWorstLineOfTiledSwappedInTwoClicks) {
  choose("kernel", "tiled_swapped");  // The two: the menu, and the kernel
  EXPECT_EQ(line(), 24u);
  EXPECT_EQ(app().loaded()->costs.front().figures.line, 24u);
}

TEST_P(Task, E02JumpsToTheCostliestAccessByAKey) {
  ask("record tiled_swapped");
  selection() = at_event(recording(), selection(), 0);
  press(ImGuiKey_X);
  for (std::size_t i = 0; i < app().loaded()->costs.size() && line() != 24u; ++i)
    press(ImGuiKey_X);  // The first event may be a costly one
  EXPECT_EQ(line(), 24u);
}

TEST_P(Task, E03GoesToTheNextCostlyLineAndBack) {
  ask("record tiled_swapped");
  const std::uint32_t worst = line();
  press(ImGuiKey_X);
  EXPECT_NE(line(), worst);
  press(ImGuiMod_Shift | ImGuiKey_X);
  EXPECT_EQ(line(), worst);
}

TEST_P(Task, E04ReadsTheSuggestedFix) {
  ask("record tiled_swapped");
  show("costs");
  EXPECT_TRUE(shows("With rows of 33 words"));
}

TEST_P(Task, E05SeesTheExcessBesideTheSource) {
  ask("record tiled_swapped");
  show("source");
  EXPECT_TRUE(shows("excess"));
}

TEST_P(Task, E06ClicksALineAndGetsItsCostliestAccess) {
  ask("record tiled_swapped");
  show("source");
  selection() = at_event(recording(), selection(), 0);
  draw(3);
  drive([](ImGuiTestContext& context) {
    context.MouseMove("//source/**/line 19");
    for (int i = 0; i < 30 && context.ItemInfo("**/line 24", ImGuiTestOpFlags_NoError).ID == 0; ++i)
      context.MouseWheelY(-1);
    context.ItemClick("**/line 24");
  });
  EXPECT_EQ(line(), 24u);
  EXPECT_EQ(picture::array_of(recording(), *current_event(recording(), selection())), "as");
}

TEST_P(Task, E07TellsTheTwoLoadsOfALineApart) {
  show("source");
  EXPECT_TRUE(shows("shared load of as"));
  EXPECT_TRUE(shows("shared load of bs"));
}

TEST_P(Task, E08ComparesAsWrittenWithAsCompiled) {
  ask("source: as compiled");
  EXPECT_TRUE(panel("source").visible);
  ask("source: as written");
  EXPECT_TRUE(panel("source").visible);
}

TEST_P(Task, E09ReadsThePtxOfTheLine) {
  show("ptx");
  EXPECT_TRUE(shows("ld.shared"));
}

TEST_P(Task, E10ReadsTheMachineCode) {
  show("sass");
  EXPECT_TRUE(shows("multiply-adds"));
}

TEST_P(Task, E11WalksToAnotherBlock) {
  const std::uint32_t block = selection().event_block;
  press(ImGuiKey_RightBracket);
  EXPECT_EQ(selection().event_block, block + 1);
}

TEST_P(Task, E12WalksToAnotherWarp) {
  press(ImGuiKey_DownArrow, 2);
  EXPECT_EQ(selection().warp, 2u);
}

TEST_P(Task, E13RecordsTheMiddleBlockOfALargeLaunch) {
  choose("blocks", "###centre_only");
  ask("size 2048");
  EXPECT_EQ(recording().m, 2048u);
  EXPECT_EQ(recording().blocks_counted, 1u);
}

TEST_P(Task, E14RecordsMatricesThatAreNotSquare) {
  click("//Warplens/Launch/###separate_sizes");
  type_into("m", "33");
  type_into("p", "65");
  type_into("n", "100");
  EXPECT_EQ(recording().m, 33u);
  EXPECT_EQ(recording().p, 65u);
  EXPECT_EQ(recording().n, 100u);
  EXPECT_EQ(recording().verified, true);
}

TEST_P(Task, E15RecordsDoubles) {
  choose("kernel", "tiled_shared_a");
  choose("values", "double");
  EXPECT_EQ(recording().value_type, "f64");
}

TEST_P(Task, E16IsToldThatASizeCannotBe) {
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/size/##value");
    context.KeyCharsReplace("100000");
  });
  draw();
  EXPECT_TRUE(shows("1 to 16384"));
  press(ImGuiKey_Escape);
  settle();
  EXPECT_EQ(recording().m, 256u);
}

TEST_P(Task, E17CancelsALongRecording) {
  app().menus().blocks = BlocksMenu::all_draw_one;
  app().menus().launch.whole_result = true;  // Else it takes no time
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 2048);
  await([this] { return app().busy(); });
  click("//Warplens/Launch/###cancel");
  settle();
  EXPECT_EQ(recording().m, 256u);
  EXPECT_TRUE(shows("not recorded"));
}

TEST_P(Task, E18GoesOnAfterADamagedFile) {
  const auto path = config() / "damaged.wlr";
  std::ofstream(path) << "this is no recording";
  app().open(path);
  settle();
  ASSERT_TRUE(app().messages().showing());
  close_message();
  EXPECT_EQ(recording().kernel, "tiled");
}

TEST_P(Task, E19StartsWithARecording) {
  const auto path = saved();
  stop();
  begin(path);
  EXPECT_EQ(app().loaded()->path, path);
}

TEST_P(Task, E20SeesWhichLanesAreInactive) {
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 50);
  choose("kernel", "naive");
  show("divergence");
  EXPECT_TRUE(panel("divergence").visible);
}

TEST_P(Task, E21SeesWhatLimitsTheOccupancy) {
  show("occupancy");
  EXPECT_TRUE(panel("occupancy").visible);
}

TEST_P(Task, E22FindsARace) {
  choose("kernel", "missing_barrier");
  EXPECT_FALSE(recording().findings.empty());
  EXPECT_TRUE(panel("findings").visible);
}

TEST_P(Task, E23FindsABarrierThatNotAllReach) {
  choose("kernel", "barrier_divergence");
  EXPECT_FALSE(recording().findings.empty());
}

TEST_P(Task, E24ReadsAnErrorAgain) {
  app().report("Trying", {"it failed", "", "Try again."});
  draw(2);
  close_message();
  ask("messages");
  EXPECT_TRUE(shows("it failed"));
  close_message();
}

TEST_P(Task, E25HidesAViewAndShowsItAgain) {
  const bool was_visible = panel("banks").visible;
  command("show.banks");
  EXPECT_NE(panel("banks").open, was_visible);
  ask("banks");
  EXPECT_TRUE(panel("banks").visible);
}

TEST_P(Task, E26ExportsAPicture) {
  command("export.banks.svg");
  ASSERT_FALSE(app().messages().showing());
  press(ImGuiKey_Escape);
}

TEST_P(Task, E27CopiesTheFiguresOfTheSource) {
  command("copy.source.csv");
  await([] { return !copied().empty(); });
  EXPECT_TRUE(copied().starts_with("file,line,space,op,array"));
}

TEST_P(Task, E28ResetsTheLayout) {
  command("show.coalescing");
  command("view.lay_out");
  EXPECT_TRUE(panel("coalescing").open);
}

TEST_P(Task, E29FindsTheWindowAsItWasLeft) {
  command("view.light");
  app().save_state();
  stop();
  begin();
  EXPECT_FALSE(app().settings().dark);
}

TEST_P(Task, E30SwitchesMemoryRulesByKeys) {
  ask("rules.7.0");
  await([this] { return app().loaded()->cc == analysis::ComputeCapability{7, 0}; });
  EXPECT_TRUE(app().row_is_shown());
}

TEST_P(Task, E31GoesFromATileOfCToItsBlock) {
  show("phases");
  const auto click_block = [&](std::uint64_t column, std::uint64_t row) {
    drive([&](ImGuiTestContext& context) {
      const ImRect box = context.ItemInfo("//phases/picture").RectFull;
      const picture::Picture drawn = viz::find_view("phases")->make(
          subject_of(*app().loaded(), selection(), {}), {box.GetWidth(), box.GetHeight()},
          {&picture::dark_palette(), app().scale()});
      const auto tiles = std::ranges::find_if(drawn.regions, [](const picture::Region& one) {
        return one.target.kind == picture::Target::Kind::block;
      });
      IM_CHECK(tiles != drawn.regions.end());
      const float across = (static_cast<float>(column) + 0.5f) / static_cast<float>(tiles->columns),
                  down = (static_cast<float>(row) + 0.5f) / static_cast<float>(tiles->rows);
      context.MouseTeleportToPos({box.Min.x + tiles->rect.x + across * tiles->rect.width,
                                  box.Min.y + tiles->rect.y + down * tiles->rect.height});
      context.MouseClick();
    });
    settle();
  };
  click_block(6, 1);
  EXPECT_EQ(recording().event_blocks[selection().event_block], (Dim3{6, 1, 0}));
  app().menus().blocks = BlocksMenu::chosen;
  app().menus().chosen_blocks = "2,5";
  settle();
  ASSERT_EQ(recording().event_blocks.size(), 1u);
  click_block(4, 3);  // Not recorded: it is, then
  EXPECT_EQ(recording().event_blocks, (std::vector<Dim3>{{4, 3, 0}}));
}

}  // namespace
}  // namespace warplens::app
