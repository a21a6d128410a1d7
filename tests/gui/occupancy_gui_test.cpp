// The Occupancy view: another device, another launch, the variants of the kernel.
#include <gtest/gtest.h>

#include <algorithm>

#include "gui/harness.h"

namespace warplens::app {
namespace {

using OccupancyGui = GuiTest;

TEST_F(OccupancyGui, TriesAnotherLaunchAndGoesBack) {
  start();
  drive([](ImGuiTestContext& context) {
    context.WindowFocus("//occupancy");
    context.Yield(4);
    const ImGuiID reset = context.GetID("//occupancy/###reset");
    IM_CHECK((context.ItemInfo(reset).ItemFlags & ImGuiItemFlags_Disabled) != 0);
    context.ItemInputValue("//occupancy/##registers", 128);
    context.Yield(2);
    IM_CHECK((context.ItemInfo(reset).ItemFlags & ImGuiItemFlags_Disabled) == 0);
    context.ItemClick(reset);
    context.Yield(2);
    IM_CHECK((context.ItemInfo(reset).ItemFlags & ImGuiItemFlags_Disabled) != 0);
  });
  keep_picture("occupancy");
}

TEST_F(OccupancyGui, TakesAnotherDevice) {
  start();
  drive([](ImGuiTestContext& context) {
    context.WindowFocus("//occupancy");
    context.Yield(4);
    context.ItemClick("//occupancy/##device");
    context.Yield(2);
    context.ItemClick("//$FOCUSED/###2.0");
    context.Yield(4);
    context.ItemClick("//occupancy/###variants");
    context.Yield(2);
    context.ItemClick("//occupancy/###launch");
    context.Yield(2);
    context.ItemClick("//occupancy/##device");
    context.Yield(2);
    context.ItemClick("//$FOCUSED/###memory_rules");
  });
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(OccupancyGui, FitsASmallWindow) {
  start({}, {1280, 800});
  drive([](ImGuiTestContext& context) {
    context.WindowFocus("//occupancy");
    context.Yield(4);
    IM_CHECK(context.ItemInfo("//occupancy/picture").RectFull.GetHeight() > 150);
  });
  keep_picture("occupancy-1280");
}

TEST_F(OccupancyGui, TakesTheLaunchInAMenuWhereThePanelIsLow) {
  start({}, {1280, 800});
  app().settings().scale = 2;
  settle();
  drive([](ImGuiTestContext& context) {
    context.WindowFocus("//occupancy");
    context.Yield(4);
    IM_CHECK(!context.ItemExists("//occupancy/##registers"));
    context.ItemClick("//occupancy/###fields");
    context.Yield(2);
    context.ItemInputValue("//$FOCUSED/##registers", 48);
    context.Yield(2);
    context.PopupCloseAll();
    context.Yield(2);
  });
  EXPECT_TRUE(shows("32 of 64 warps")) << "one block of 1,024 threads has room, and no two";
  keep_picture("occupancy-low");
}

}  // namespace
}  // namespace warplens::app
