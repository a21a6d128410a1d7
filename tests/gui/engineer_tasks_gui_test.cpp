// What an engineer with a slow kernel does in the window (task.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "app/session/subject.h"
#include "gui/harness.h"
#include "gui/task.h"
#include "kernels/recording/file.h"
#include "viz/views/view.h"

namespace warplens::app {
namespace {

class EngineerTask : public Task {};
INSTANTIATE_TEST_SUITE_P(Screens, EngineerTask, testing::ValuesIn(screens()), name_of_screen);

TEST_P(EngineerTask, E01FindsTheWorstLineOfTiledSwappedInTwoClicks) {
  choose("kernel", "tiled_swapped");  // The two: the menu, and the kernel
  EXPECT_EQ(line(), 24u);
  EXPECT_EQ(app().loaded()->costs.front().figures.line, 24u);
}

TEST_P(EngineerTask, E02JumpsToTheCostliestAccessByAKey) {
  ask("record tiled_swapped");
  selection() = at_event(recording(), selection(), 0);
  press(ImGuiKey_X);
  for (std::size_t i = 0; i < app().loaded()->costs.size() && line() != 24u; ++i)
    press(ImGuiKey_X);  // The first event may be a costly one
  EXPECT_EQ(line(), 24u);
}

TEST_P(EngineerTask, E03GoesToTheNextCostlyLineAndBack) {
  ask("record tiled_swapped");
  const std::uint32_t worst = line();
  press(ImGuiKey_X);
  EXPECT_NE(line(), worst);
  press(ImGuiMod_Shift | ImGuiKey_X);
  EXPECT_EQ(line(), worst);
}

TEST_P(EngineerTask, E04ReadsTheSuggestedFix) {
  ask("record tiled_swapped");
  show("costs");
  EXPECT_TRUE(shows("With rows of 33 words"));
}

TEST_P(EngineerTask, E05SeesTheExcessBesideTheSource) {
  ask("record tiled_swapped");
  show("source");
  EXPECT_TRUE(shows("excess"));
}

TEST_P(EngineerTask, E06ClicksALineAndGetsItsCostliestAccess) {
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

TEST_P(EngineerTask, E07TellsTheTwoLoadsOfALineApart) {
  show("source");
  EXPECT_TRUE(shows("shared load of as"));
  EXPECT_TRUE(shows("shared load of bs"));
}

TEST_P(EngineerTask, E08ComparesAsWrittenWithAsCompiled) {
  ask("source: as compiled");
  EXPECT_TRUE(panel("source").visible);
  ask("source: as written");
  EXPECT_TRUE(panel("source").visible);
}

TEST_P(EngineerTask, E09ReadsThePtxOfTheLine) {
  show("ptx");
  EXPECT_TRUE(shows("ld.shared"));
}

TEST_P(EngineerTask, E10ReadsTheMachineCode) {
  show("sass");
  EXPECT_TRUE(shows("multiply-adds"));
}

TEST_P(EngineerTask, E11WalksToAnotherBlock) {
  const std::uint32_t block = selection().event_block;
  press(ImGuiKey_RightBracket);
  EXPECT_EQ(selection().event_block, block + 1);
}

TEST_P(EngineerTask, E12WalksToAnotherWarp) {
  press(ImGuiKey_DownArrow, 2);
  EXPECT_EQ(selection().warp, 2u);
}

TEST_P(EngineerTask, E13RecordsTheMiddleBlockOfALargeLaunch) {
  choose("blocks", "###centre_only");
  ask("size 2048");
  EXPECT_EQ(recording().m, 2048u);
  EXPECT_EQ(recording().blocks_counted, 1u);
}

TEST_P(EngineerTask, E14RecordsMatricesThatAreNotSquare) {
  click("//Warplens/Launch/###separate_sizes");
  type_into("m", "33");
  type_into("p", "65");
  type_into("n", "100");
  EXPECT_EQ(recording().m, 33u);
  EXPECT_EQ(recording().p, 65u);
  EXPECT_EQ(recording().n, 100u);
  EXPECT_EQ(recording().verified, true);
}

TEST_P(EngineerTask, E15RecordsDoubles) {
  choose("kernel", "tiled_shared_a");
  choose("values", "double");
  EXPECT_EQ(recording().value_type, "f64");
}

TEST_P(EngineerTask, E16IsToldThatASizeCannotBe) {
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

TEST_P(EngineerTask, E17CancelsALongRecording) {
  app().menus().blocks = BlocksMenu::all_draw_one;
  app().menus().launch.whole_result = true;  // Else it takes no time
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 2048);
  await([this] { return app().busy(); });
  click("//Warplens/Launch/###cancel");
  settle();
  EXPECT_EQ(recording().m, 256u);
  EXPECT_TRUE(shows("not recorded"));
}

TEST_P(EngineerTask, E18GoesOnAfterADamagedFile) {
  const auto path = config() / "damaged.wlr";
  std::ofstream(path) << "this is no recording";
  app().open(path);
  settle();
  ASSERT_TRUE(app().messages().showing());
  close_message();
  EXPECT_EQ(recording().kernel, "tiled");
}

TEST_P(EngineerTask, E19StartsWithARecording) {
  const auto path = saved();
  stop();
  begin(path);
  EXPECT_EQ(app().loaded()->path, path);
}

TEST_P(EngineerTask, E20SeesWhichLanesAreInactive) {
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 50);
  choose("kernel", "naive");
  show("divergence");
  EXPECT_TRUE(panel("divergence").visible);
}

TEST_P(EngineerTask, E21SeesWhatLimitsTheOccupancy) {
  show("occupancy");
  EXPECT_TRUE(panel("occupancy").visible);
}

TEST_P(EngineerTask, E22FindsARace) {
  choose("kernel", "missing_barrier");
  EXPECT_FALSE(recording().findings.empty());
  EXPECT_TRUE(panel("findings").visible);
}

TEST_P(EngineerTask, E23FindsABarrierThatNotAllReach) {
  choose("kernel", "barrier_divergence");
  EXPECT_FALSE(recording().findings.empty());
}

TEST_P(EngineerTask, E24ReadsAnErrorAgain) {
  app().report("Trying", {"it failed", "", "Try again."});
  draw(2);
  close_message();
  ask("messages");
  EXPECT_TRUE(shows("it failed"));
  close_message();
}

TEST_P(EngineerTask, E25HidesAViewAndShowsItAgain) {
  const bool was_visible = panel("banks").visible;
  command("show.banks");
  EXPECT_NE(panel("banks").open, was_visible);
  ask("banks");
  EXPECT_TRUE(panel("banks").visible);
}

TEST_P(EngineerTask, E26ExportsAPicture) {
  command("export.banks.svg");
  ASSERT_FALSE(app().messages().showing());
  press(ImGuiKey_Escape);
}

TEST_P(EngineerTask, E27CopiesTheFiguresOfTheSource) {
  command("copy.source.csv");
  await([] { return !copied().empty(); });
  EXPECT_TRUE(copied().starts_with("file,line,space,op,array"));
}

TEST_P(EngineerTask, E28ResetsTheLayout) {
  command("show.coalescing");
  command("view.lay_out");
  EXPECT_TRUE(panel("coalescing").open);
}

TEST_P(EngineerTask, E29FindsTheWindowAsItWasLeft) {
  command("view.light");
  app().save_state();
  stop();
  begin();
  EXPECT_FALSE(app().settings().dark);
}

TEST_P(EngineerTask, E30SwitchesMemoryRulesByKeys) {
  ask("rules.7.0");
  await([this] { return app().loaded()->cc == analysis::ComputeCapability{7, 0}; });
  EXPECT_TRUE(app().row_is_shown());
}

TEST_P(EngineerTask, E31GoesFromATileOfCToItsBlock) {
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
