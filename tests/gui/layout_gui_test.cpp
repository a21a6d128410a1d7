// The layout of panels: kept, dragged, and in windows of every size.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string_view>

#include "app/shell/commands.h"
#include "gui/harness.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

using Layout = GuiTest;

TEST_F(Layout, LayoutThemeAndHiddenViewsAreKept) {
  start();
  command("view.light");
  command("show.findings");
  if (app().panels().all().front().open) command("show.findings");
  ImGui::SetWindowSize("banks", {300, 300});
  draw(3);
  app().save_state();
  const auto hidden = app().panels().hidden();
  stop();
  start();
  EXPECT_FALSE(app().settings().dark);
  EXPECT_EQ(app().panels().hidden(), hidden);
  EXPECT_TRUE(std::filesystem::exists(config() / "layout-wide.ini"));
}

/// `id`: of a view.
const Panel& panel_of(App& app, std::string_view id) {
  return *std::ranges::find_if(app.panels().all(), [&](const Panel& panel) { return panel.view->id == id; });
}

TEST_F(Layout, PanelsShareTheRoomThatAWindowWinsAndKeepIt) {
  start({}, {1600, 900});
  app().settings().scale = 1.25f;  // The dock space has no whole pixels
  settle();
  const ImVec2 source = panel_of(app(), "source").size, banks = panel_of(app(), "banks").size;
  draw(60);
  EXPECT_EQ(panel_of(app(), "source").size.x, source.x) << "it drifts";
  EXPECT_EQ(panel_of(app(), "banks").size.y, banks.y);
  platform().resize(1920, 1080);
  await([] { return ImGui::GetIO().DisplaySize.x == 1920; });
  draw(3);
  EXPECT_NEAR(panel_of(app(), "source").size.x, source.x * 1.2f, 4);
  EXPECT_NEAR(panel_of(app(), "banks").size.x, banks.x * 1.2f, 4);
  platform().resize(40, 30);  // Nothing can be shown there
  await([] { return ImGui::GetIO().DisplaySize.x < 200; });
  draw(3);
  platform().resize(1600, 900);
  await([] { return ImGui::GetIO().DisplaySize.x == 1600; });
  draw(3);
  EXPECT_NEAR(panel_of(app(), "source").size.x, source.x, 4);
  EXPECT_NEAR(panel_of(app(), "banks").size.x, banks.x, 4);
}

TEST_F(Layout, APanelCannotBeDraggedSmallerThanWhatItShows) {
  start({}, {1600, 900});
  const Panel& banks = panel_of(app(), "banks");
  for (const ImVec2 way : {ImVec2{0, 1}, ImVec2{0, -1}, ImVec2{1, 0}, ImVec2{-1, 0}}) {
    drive([&](ImGuiTestContext& context) {
      const ImGuiDockNode* node = ImGui::FindWindowByName(window_name(*banks.view).c_str())->DockNode;
      const ImVec2 middle{node->Pos.x + node->Size.x / 2, node->Pos.y + node->Size.y / 2};
      const float half_gap = ImGui::GetStyle().DockingSeparatorSize / 2;
      // Its upper edge dragged down, its left edge to the right; the others the other way.
      const ImVec2 edge{way.x == 0  ? middle.x
                        : way.x > 0 ? node->Pos.x - half_gap
                                    : node->Pos.x + node->Size.x + half_gap,
                        way.y == 0  ? middle.y
                        : way.y > 0 ? node->Pos.y - half_gap
                                    : node->Pos.y + node->Size.y + half_gap};
      context.MouseMoveToPos(edge);
      context.MouseDown();
      context.MouseMoveToPos({edge.x + way.x * 3000, edge.y + way.y * 3000});
      context.MouseUp();
    });
    draw(2);
    for (const Panel& panel : app().panels().all()) {
      const ImGuiWindow* window =
          panel.open ? ImGui::FindWindowByName(window_name(*panel.view).c_str()) : nullptr;
      if (window == nullptr || window->DockNode == nullptr) continue;
      EXPECT_GE(window->DockNode->Size.x, kLeastPanel.x - 1) << panel.view->id;
      EXPECT_GE(window->DockNode->Size.y, kLeastPanel.y - 1) << panel.view->id;
    }
  }
}

TEST_F(Layout, EveryWidthOfWindowHasALayout) {
  for (const WindowSize size : {WindowSize{1600, 900}, WindowSize{1000, 700}, WindowSize{640, 420}}) {
    start({}, size);
    int visible = 0;
    for (const Panel& panel : app().panels().all()) visible += panel.visible ? 1 : 0;
    EXPECT_GE(visible, 1);
    stop();
  }
}

TEST_F(Layout, EvenAWindowWithoutRoomIsLaidOut) {
  for (const WindowSize size : {WindowSize{1, 900}, WindowSize{900, 1}, WindowSize{1, 1}}) {
    start({}, size);
    command("view.lay_out");
    draw(3);
    stop();
  }
}

}  // namespace
}  // namespace warplens::app
