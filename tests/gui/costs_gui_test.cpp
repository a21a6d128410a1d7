// From what is paid in vain to the access that pays it.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/session/navigation.h"
#include "gui/harness.h"

namespace warplens::app {
namespace {

using Costs = GuiTest;

TEST_F(Costs, ClickSelectsTheCostliestAccessOfTheLine) {
  start();
  command("record.tiled_swapped");
  settle();
  app().panels().show("costs");
  settle();
  expect_whole("costs");
  ASSERT_FALSE(app().loaded()->costs.empty());
  const analysis::LineCost& first = app().loaded()->costs.front();
  EXPECT_EQ(first.figures.line, 24u);
  ASSERT_TRUE(first.event);
  // From an access of another line.
  app().selection() = at_event(recording(), app().selection(), 0);
  ASSERT_NE(current_line(recording(), app().selection()), 24u);
  drive([this, &first](ImGuiTestContext& context) {
    const ImGuiTestItemInfo picture = context.ItemInfo("//costs/picture");
    IM_CHECK(picture.ID != 0);
    for (float y = picture.RectFull.Min.y + 4; y < picture.RectFull.Max.y && !app().hovered().event; y += 8) {
      context.MouseMoveToPos({picture.RectFull.GetCenter().x, y});
      context.Yield(2);
    }
    IM_CHECK(app().hovered().event == first.event);
    context.MouseClick();
    context.Yield(2);
  });
  EXPECT_EQ(current_event(recording(), app().selection()), first.event);
  EXPECT_EQ(current_line(recording(), app().selection()), 24u);
}

TEST_F(Costs, AtTheIdealSaySo) {
  start();
  app().panels().show("costs");
  settle();
  ASSERT_TRUE(app().loaded()->costs.empty()) << "the first recording is of tiled";
  EXPECT_GT(expect_uncut("costs"), 30u);
}

}  // namespace
}  // namespace warplens::app
