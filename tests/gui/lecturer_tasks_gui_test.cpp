// What a lecturer does in the window, five minutes before class and in it (task.h).
#include <gtest/gtest.h>

#include "app/session/navigation.h"
#include "gui/harness.h"
#include "gui/task.h"
#include "kernels/recording/file.h"
#include "viz/canvas/canvas.h"

namespace warplens::app {
namespace {

class LecturerTask : public Task {};
INSTANTIATE_TEST_SUITE_P(Screens, LecturerTask, testing::ValuesIn(screens()), name_of_screen);

TEST_P(LecturerTask, L01FindsARecordingOnScreenAtTheFirstStart) {
  EXPECT_EQ(recording().kernel, "tiled");
  EXPECT_EQ(recording().verified, true);
  EXPECT_TRUE(app().row_is_shown());
}

TEST_P(LecturerTask, L02ChoosesAnotherKernel) {
  choose("kernel", "naive");
  EXPECT_EQ(recording().kernel, "naive");
}

TEST_P(LecturerTask, L03TypesASize) {
  type_into("size", "64");
  EXPECT_EQ(recording().m, 64u);
}

TEST_P(LecturerTask, L04ChoosesASizeByKeys) {
  ask("size 128");
  EXPECT_EQ(recording().n, 128u);
}

TEST_P(LecturerTask, L05ChangesTheTile) {
  choose("T", "8");
  EXPECT_EQ(recording().block.x, 8u);
}

TEST_P(LecturerTask, L06StepsThroughAPhase) {
  const Selection before = selection();
  press(ImGuiKey_RightArrow, 3);
  EXPECT_EQ(current_event(recording(), selection()), *current_event(recording(), before) + 3);
}

TEST_P(LecturerTask, L07TurnsThePhasesWithTheClicker) {
  const std::uint32_t phase = selection().phase;
  press(ImGuiKey_PageDown);
  EXPECT_EQ(selection().phase, phase + 1);
  press(ImGuiKey_PageUp, 2);
  EXPECT_EQ(selection().phase, phase - 1);
}

TEST_P(LecturerTask, L08PlaysAndStops) {
  const auto before = current_event(recording(), selection());
  press(ImGuiKey_Space);
  EXPECT_TRUE(app().player().playing);
  await([&] { return current_event(recording(), selection()) != before; });
  press(ImGuiKey_Space);
  EXPECT_FALSE(app().player().playing);
}

TEST_P(LecturerTask, L09DragsTheScrubber) {
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

TEST_P(LecturerTask, L10PresentsBanks) {
  ask("present banks");
  EXPECT_TRUE(app().presenting());
  EXPECT_EQ(presented(), "banks");
}

TEST_P(LecturerTask, L10ReadsItFromTheLastRow) {
  ask("present banks");
  draw(2);
  const ImVec2 size = ImGui::GetMainViewport()->Size;
  EXPECT_GE(app().scale() * picture::kTinySize, size.y / 45 * 0.999f);
}

TEST_P(LecturerTask, L11PresentsAViewByItsDigit) {
  press(ImGuiKey_F11);
  press(ImGuiKey_2);
  EXPECT_EQ(app().panels().presented(), 1u);
}

TEST_P(LecturerTask, L12PresentsTwoViews) {
  ask("present banks");
  ask("present coalescing beside");
  ASSERT_TRUE(app().panels().presented_beside());
  EXPECT_EQ(app().panels().all()[*app().panels().presented_beside()].view->id, "coalescing");
}

TEST_P(LecturerTask, L13HidesThePhasesWhilePresenting) {
  press(ImGuiKey_F11);
  ASSERT_TRUE(shows("Phases"));
  press(ImGuiKey_H);
  EXPECT_FALSE(shows("Phases"));
}

TEST_P(LecturerTask, L14ReadsKernelPlaceAndCodeWhilePresenting) {
  ask("present banks");
  EXPECT_TRUE(shows("tiled · m 256"));
  EXPECT_TRUE(shows("line 25:"));
}

TEST_P(LecturerTask, L15LeavesThePresentation) {
  press(ImGuiKey_F11);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app().presenting());
}

TEST_P(LecturerTask, L16SeesWhyALaunchIsRefusedWhilePresenting) {
  press(ImGuiKey_F11);
  app().menus().blocks = BlocksMenu::chosen;
  app().menus().chosen_blocks = "99,0";
  settle();
  EXPECT_TRUE(shows("Of tiled"));
  EXPECT_TRUE(shows("99"));
}

TEST_P(LecturerTask, L17MakesTheTextLarger) {
  const float before = app().scale();
  press(ImGuiMod_Ctrl | ImGuiKey_Equal, 2);
  EXPECT_GT(app().scale(), before * 1.1f);
}

TEST_P(LecturerTask, L18TurnsTheLightOn) {
  ask("light");
  EXPECT_FALSE(app().settings().dark);
}

TEST_P(LecturerTask, L19LooksUpTheKeys) {
  press(ImGuiKey_F1);
  EXPECT_TRUE(app().keys_shown());
  press(ImGuiKey_F1);
  EXPECT_FALSE(app().keys_shown());
}

TEST_P(LecturerTask, L20PointsAtALaneAndSeesItEverywhere) {
  show("coalescing");
  EXPECT_TRUE(point("coalescing", [this] { return app().hovered().lane.has_value(); }));
}

TEST_P(LecturerTask, L21SelectsALaneByAClick) {
  show("banks");
  press(ImGuiKey_RightArrow);  // To a load that is no broadcast
  ASSERT_TRUE(point("banks", [this] { return app().hovered().lane.has_value(); }));
  click_there();
  EXPECT_TRUE(selection().lane.has_value());
  press(ImGuiKey_Escape);
  EXPECT_FALSE(selection().lane.has_value());
}

TEST_P(LecturerTask, L22ShowsTheRulesOfAnOldGpu) {
  choose("rules", "1.0 Tesla");
  await([this] { return app().loaded()->cc == analysis::ComputeCapability{1, 0}; });
  show("banks");
  EXPECT_TRUE(shows("half-warp"));
}

TEST_P(LecturerTask, L23ShowsAConflictAndItsFix) {
  choose("kernel", "volkov_transposed");
  const std::size_t before = app().loaded()->costs.size();
  choose("kernel", "volkov_padded");
  EXPECT_LT(app().loaded()->costs.size(), before);
  press(ImGuiMod_Alt | ImGuiKey_LeftArrow);
  settle();
  EXPECT_EQ(recording().kernel, "volkov_transposed");
}

TEST_P(LecturerTask, L24GoesForwardAgain) {
  choose("kernel", "naive");
  press(ImGuiMod_Alt | ImGuiKey_LeftArrow);
  settle();
  EXPECT_EQ(recording().kernel, "tiled");
  press(ImGuiMod_Alt | ImGuiKey_RightArrow);
  settle();
  EXPECT_EQ(recording().kernel, "naive");
}

TEST_P(LecturerTask, L25SavesTheRecordingForTheNextLecture) {
  EXPECT_TRUE(std::filesystem::exists(saved()));
  command("file.save");
  press(ImGuiKey_Escape);
}

TEST_P(LecturerTask, L26OpensTheRecordingOfTheLastLecture) {
  const auto path = saved();
  choose("kernel", "naive");
  app().open(path);
  settle();
  EXPECT_EQ(app().loaded()->path, path);
  EXPECT_EQ(recording().kernel, "tiled");
}

TEST_P(LecturerTask, L27NotesAPlaceAndComesBackToIt) {
  press(ImGuiKey_RightArrow, 2);
  const Selection there = selection();
  command("go.copy_place");  // Not by its key: the test engine has a clipboard of its own
  EXPECT_EQ(copied().substr(0, 8), "--select");
  press(ImGuiKey_PageDown, 3);
  command("go.paste_place");
  EXPECT_EQ(selection(), there);
}

TEST_P(LecturerTask, L28ShowsTheLadderWithoutAGpu) {
  show("throughput");
  EXPECT_TRUE(panel("throughput").visible);
}

TEST_P(LecturerTask, L29ShowsTheRoofline) {
  ask("roofline");
  EXPECT_TRUE(panel("roofline").visible);
  EXPECT_TRUE(shows("GFLOP/s"));
}

TEST_P(LecturerTask, L30FollowsAnElementThroughTheKernel) {
  show("heat");
  keep_picture("heat");
  ASSERT_TRUE(point("heat", [this] { return app().hovered().element.has_value(); }));
  click_there();
  ASSERT_TRUE(selection().element.has_value());
  show("history");
  EXPECT_TRUE(panel("history").visible);
}

}  // namespace
}  // namespace warplens::app
