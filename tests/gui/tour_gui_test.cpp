// The tour of a first start.
#include <gtest/gtest.h>

#include <fstream>

#include "gui/harness.h"

namespace warplens::app {
namespace {

class TourGui : public GuiTest {
 protected:
  void press(ImGuiKey key) {
    drive([key](ImGuiTestContext& context) {
      context.KeyPress(key);
      context.Yield(2);
    });
  }
};

TEST_F(TourGui, LeadsThroughTheWindowByKeysAndByMouse) {
  for (const auto& [size, name] :
       {std::pair{WindowSize{1280, 800}, "small"}, {WindowSize{1920, 1080}, "large"}}) {
    start({}, size);
    app().settings().dark = size.width < 1900;
    app().start_tour();
    draw(3);
    ASSERT_TRUE(app().tour().going());
    const std::size_t step = app().selection().step;
    for (std::size_t stop = 0; app().tour().going(); ++stop) {
      ASSERT_LT(stop, 20u);
      EXPECT_EQ(app().tour().stop(), stop);
      EXPECT_GT(expect_uncut("tour"), 50u);
      keep_picture("tour-" + std::string(name) + "-" + std::to_string(stop + 1));
      if (stop % 2 == 0) {
        press(ImGuiKey_RightArrow);
      } else {
        drive([](ImGuiTestContext& context) { context.ItemClick("//###tour/###next"); });
      }
      draw(2);
    }
    EXPECT_EQ(app().selection().step, step) << "keys are the tour's";
    stop();
  }
}

TEST_F(TourGui, IsEndedForGood) {
  start();
  app().start_tour();
  draw(2);
  press(ImGuiKey_Enter);
  press(ImGuiKey_LeftArrow);
  EXPECT_EQ(app().tour().stop(), 0u);
  drive([](ImGuiTestContext& context) {
    context.MouseMoveToPos({800, 450});
    context.MouseClick();
  });
  EXPECT_TRUE(app().tour().going()) << "what lies below gets no clicks";
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app().tour().going());
  EXPECT_TRUE(is_first_start(config()));
  app().save_state();
  EXPECT_FALSE(is_first_start(config()));
  command("help.tour");
  EXPECT_TRUE(app().tour().going());
  drive([](ImGuiTestContext& context) { context.ItemClick("//###tour/###end"); });
  draw(2);
  EXPECT_FALSE(app().tour().going());
}

TEST_F(TourGui, IsLeftByWhoKnowsTheKeys) {
  start({}, {1280, 800});
  app().start_tour();
  draw(2);
  drive([this](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.Yield(2);
    EXPECT_TRUE(app().palette().is_open());
    context.KeyCharsAppendEnter("tiled_swapped");
  });
  settle();
  EXPECT_FALSE(app().tour().going());
  EXPECT_EQ(recording().kernel, "tiled_swapped");
}

}  // namespace
}  // namespace warplens::app
