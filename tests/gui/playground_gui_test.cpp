// The view Playground: addresses of one's own, by formula, slider and mask.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "gui/drawn_text.h"
#include "gui/harness.h"
#include "kernels/recording/recording.h"

namespace warplens::app {
namespace {

class PlaygroundGui : public GuiTest {
 protected:
  void enter(const char* field, const std::string& text) {
    drive([=](ImGuiTestContext& context) {
      context.ItemInputValue((std::string("//playground/") + field).c_str(), text.c_str());
      context.Yield(2);
    });
  }
  /// The picture's big figure; a legend may have the same words in it.
  static bool has_figure(const std::string& words) {
    return std::ranges::any_of(drawn_texts(), [&](const DrawnText& drawn) { return drawn.text == words; });
  }
  static std::string copied() {
    const char* const text = ImGui::GetClipboardText();
    return text != nullptr ? text : "";
  }
  void choose_swizzle(const char* bits) {
    drive([=](ImGuiTestContext& context) {
      context.ItemClick("//playground/##swizzle");
      context.Yield(2);
      context.ItemClick((std::string("//$FOCUSED/###") + bits).c_str());
      context.Yield(2);
    });
  }
  void open() {
    start({}, {1600, 900});
    app().panels().show("playground");
    draw(3);
  }
};

TEST_F(PlaygroundGui, AnswersWhatIsTyped) {
  open();
  EXPECT_TRUE(has_figure("32 wavefronts"));
  const Selection before = app().selection();
  enter("##padding", "1");
  EXPECT_TRUE(has_figure("1 wavefront"));
  EXPECT_FALSE(has_figure("32 wavefronts"));
  enter("##padding", "0");
  EXPECT_TRUE(has_figure("32 wavefronts"));
  choose_swizzle("5");
  EXPECT_FALSE(has_figure("32 wavefronts"));
  choose_swizzle("2");
  EXPECT_TRUE(has_figure("8 wavefronts"));
  choose_swizzle("0");
  enter("##items", "lane * k");
  EXPECT_TRUE(shows("`k` is not known here"));
  enter("##items", "lane % 16 * s");
  EXPECT_TRUE(has_figure("16 wavefronts"));
  enter("##mask", "0x3");
  EXPECT_TRUE(has_figure("2 wavefronts"));
  EXPECT_EQ(app().selection(), before) << "the recording is left alone";
  keep_picture("playground");
}

TEST_F(PlaygroundGui, DrawsGlobalMemoryTooAndIsCopiedAndExported) {
  open();
  command("show.playground.global_load");
  draw(2);
  EXPECT_TRUE(has_figure("32 sectors"));
  enter("##s", "1");
  EXPECT_TRUE(has_figure("4 sectors"));
  drive([](ImGuiTestContext& context) {  // Whose clipboard is its own
    context.ItemClick("//playground/###copy");
    context.Yield(2);
    IM_CHECK(copied().starts_with(
        "op,bytes_per_lane,active_mask,lane_byte_offsets\nglobal_load,4,0xffffffff,0 4 8 12 "));
  });
  command("copy.playground.svg");
  settle();
  const std::string svg = copied();
  EXPECT_NE(svg.find("4 sectors"), std::string::npos) << svg.substr(0, 200);
  keep_picture("playground-global");
}

TEST_F(PlaygroundGui, HasAPictureInTheLowestPanel) {
  start({}, {1280, 800});
  app().settings().scale = 2;
  settle();
  app().panels().show("playground");
  draw(4);
  EXPECT_TRUE(has_figure("32 wavefronts"));
  EXPECT_TRUE(has_figure("32")) << "in the cell of the one bank that is busy";
  keep_picture("playground-low");
}

TEST_F(PlaygroundGui, IsNeverExportedAsWhatIsRecorded) {
  start();  // The view has not been drawn, and a kernel without conflicts is recorded
  command("copy.playground.svg");
  settle();
  EXPECT_NE(copied().find("32 wavefronts"), std::string::npos);
  app().panels().show("playground");
  draw(3);
  enter("##items", "lane * k");
  command("copy.playground.svg");
  settle();
  EXPECT_NE(copied().find("This access cannot be made."), std::string::npos);
}

TEST_F(PlaygroundGui, LanesAreDrawnOnAndOff) {
  open();
  drive([](ImGuiTestContext& context) {
    const ImRect lanes = context.ItemInfo("//playground/##lanes").RectFull;
    const float each = lanes.GetWidth() / 32, y = lanes.GetCenter().y;
    context.MouseMoveToPos({lanes.Min.x + each * 16.5f, y});
    context.MouseDown(0);
    context.MouseMoveToPos({lanes.Max.x - 1, y});
    context.MouseUp(0);
    context.Yield(2);
  });
  EXPECT_TRUE(has_figure("16 wavefronts"));
}

TEST_F(PlaygroundGui, AKernelsParametersMoveItsPicture) {
  open();
  command("show.playground.kernel_bank_stride");
  await([] { return has_figure("32 wavefronts"); });
  keep_picture("playground-bank-stride");
  enter("##padding", "1");
  await([] { return has_figure("1 wavefront"); });
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//playground/##access");
    context.Yield(2);
    context.ItemClick("//$FOCUSED/line 21, global load of in");
    context.Yield(2);
  });
  await([] { return has_figure("4 sectors"); });
  EXPECT_TRUE(shows("Not timed."));
  command("copy.playground.svg");
  settle();
  EXPECT_NE(copied().find("4 sectors"), std::string::npos);
  command("show.playground.shared_load");
  draw(2);
  EXPECT_TRUE(has_figure("32 wavefronts")) << "one's own addresses are as they were";
}

TEST_F(PlaygroundGui, ParametersMovePictureAndMeasuredRateTogether) {
  start_with_gpu({1600, 900});
  app().panels().show("playground");
  command("show.playground.kernel_tiled_swapped");
  await([this] { return app().model().gpu.trials.size() == 1; });
  EXPECT_TRUE(has_figure("32 wavefronts"));
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//playground/##T");
    context.Yield(2);
    context.ItemClick("//$FOCUSED/16");
    context.Yield(2);
  });
  await([this] { return app().model().gpu.trials.size() == 2; });
  EXPECT_TRUE(has_figure("8 wavefronts"));
  const std::vector<gpu::RunResult>& trials = app().model().gpu.trials;
  EXPECT_EQ(trials[0].parameters.front().value, 32);
  EXPECT_EQ(trials[1].parameters.front().value, 16);
  EXPECT_TRUE(shows("T = 16"));
  EXPECT_TRUE(shows("T = 32"));
  draw(10);
  EXPECT_EQ(trials.size(), 2u) << "nothing is timed twice";
  drive([](ImGuiTestContext& context) { context.ItemClick("//playground/###every"); });
  await([&] { return trials.size() == catalog().find("tiled_swapped")->parameters.front().values.size(); });
  EXPECT_TRUE(shows("T = 8"));
  keep_picture("playground-timed");
}

}  // namespace
}  // namespace warplens::app
