// The Roofline view, and what others published in Throughput.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>

#include "gui/gpu_worker.h"
#include "gui/harness.h"
#include "kernels/catalog/published.h"

namespace warplens::app {
namespace {

class OnArithmetic : public GuiTest {
 protected:
  void show(const char* panel) {
    app().panels().show(panel);
    draw(3);
  }
  void click(const std::string& item) {
    drive([&](ImGuiTestContext& context) { context.ItemClick(item.c_str()); });
  }
  void slide(const std::string& time, float value) {
    drive(
        [&](ImGuiTestContext& context) { context.ItemInputValue(("//roofline/##" + time).c_str(), value); });
  }
  /// The picture of the gain alone, without the sliders, which move by themselves, and with nothing pointed
  /// at.
  PanelPixels gain() {
    drive([](ImGuiTestContext& context) {
      context.MouseTeleportToPos({1, 1});
      context.Yield(2);
    });
    expect_whole("roofline");
    return pixels_of("roofline", "arithmetic");
  }
  void choose(const std::string& menu, const std::string& entry) {
    drive([&](ImGuiTestContext& context) {
      context.ItemClick(menu.c_str());
      context.ItemClick(("//$FOCUSED/###" + entry).c_str());
    });
  }
};

TEST_F(OnArithmetic, TheThreePicturesAreShown) {
  start();
  show("roofline");
  keep_picture("roofline");
  click("//roofline/###intensity");
  keep_picture("roofline-ladder");
  click("//roofline/###gain");
  keep_picture("roofline-gain");
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(OnArithmetic, ACardIsChosenAndFiguresAreEntered) {
  start();
  show("roofline");
  choose("//roofline/##card", "RTX 4070");
  drive([](ImGuiTestContext& context) {
    context.ItemInputValue("//roofline/##bandwidth", "300");
    context.ItemInputValue("//roofline/##peak", "2000");
  });
  keep_picture("roofline-own-figures");
  choose("//roofline/##card", "Textbook");
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(OnArithmetic, TheTimesOfAccessesAreSlid) {
  start();
  show("roofline");
  click("//roofline/###gain");
  const PanelPixels before = gain();
  slide("t_g", 400);
  const PanelPixels slower_global = gain();
  EXPECT_FALSE(slower_global.looks_like(before)) << "the gain has moved";
  slide("t_s", 400);
  const PanelPixels equal = gain();
  EXPECT_FALSE(equal.looks_like(slower_global));
  keep_picture("roofline-gain-equal-times");
  slide("t_s", 100);
  slide("t_g", 100);
  EXPECT_TRUE(gain().looks_like(equal)) << "only how the times compare counts";
  slide("t_g", 400);
  EXPECT_FALSE(gain().looks_like(equal));
}

TEST_F(OnArithmetic, ADemonstratorHasNoRatioAndThePicturesSayWhy) {
  start();
  command("record.vector_add");
  settle();
  show("roofline");
  keep_picture("roofline-no-product");
  click("//roofline/###gain");
  keep_picture("roofline-gain-no-product");
  click("//roofline/###intensity");
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(OnArithmetic, EveryPublishedTableIsDrawn) {
  start();
  show("throughput");
  click("//throughput/shown/###published");
  for (const PublishedTable& table : *published_tables()) {
    choose("//throughput/##table", table.id);
    keep_picture("published-" + table.id);
  }
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(OnArithmetic, LoopOrdersAreMeasuredBesideThePublishedOnes) {
  start();
  app().meter().set_size(64);
  show("throughput");
  click("//throughput/shown/###published");
  choose("//throughput/##table", "lecture_cpu_loop_orders");
  EXPECT_FALSE(app().meter().chosen(measure::CpuProduct::kji));
  click("//throughput/###measure_here");
  EXPECT_TRUE(app().meter().on());
  await([this] { return !app().meter().samples(measure::CpuProduct::kji).empty(); });
  for (const auto order : {measure::CpuProduct::ijk, measure::CpuProduct::jki, measure::CpuProduct::kij})
    EXPECT_TRUE(app().meter().chosen(order));
  keep_picture("published-loop-orders-measured");
  click("//throughput/###measure_here");
  EXPECT_FALSE(app().meter().on());
}

TEST_F(OnArithmetic, OwnRunsStandBesideThePublishedOnesAndUnderTheRoof) {
  start_with_gpu();
  app().menus().blocks = BlocksMenu::centre_only;
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 1024);
  command("launch.measure_ladder");
  settle();
  command("launch.sweep_parameter");
  settle();
  ASSERT_FALSE(app().model().gpu.ladder.results.empty());
  show("throughput");
  click("//throughput/shown/###published");
  keep_picture("published-own-kernels");
  choose("//throughput/##table", "paper_gtx770_tiled_block_size");
  keep_picture("published-own-tiles");
  show("roofline");
  keep_picture("roofline-measured");
  click("//roofline/###intensity");
  keep_picture("roofline-ladder-measured");
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(OnArithmetic, ItFitsASmallWindowAtTwiceTheScale) {
  start({}, {1280, 800});
  command("view.light");
  const auto look = [this](const std::string& panel, const std::string& name) {
    SCOPED_TRACE(name);
    keep_picture(name);
    expect_whole(panel);
  };
  show("roofline");
  look("roofline", "roofline-1280");
  click("//roofline/###gain");
  look("roofline", "roofline-gain-1280");
  click("//roofline/###roofline");
  app().set_monitor_scale(2);
  show("roofline");
  look("roofline", "roofline-small");
  click("//roofline/###intensity");
  look("roofline", "roofline-ladder-small");
  click("//roofline/###gain");
  look("roofline", "roofline-gain-small");
  show("throughput");
  choose("//throughput/##shown", "published");
  keep_picture("published-small");
  EXPECT_GT(expect_uncut("throughput"), 20u);
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//throughput/###controls");  // They take no room where there is little
    IM_CHECK(context.ItemExists("//$FOCUSED/##table"));
    context.KeyPress(ImGuiKey_Escape);
  });
  choose("//throughput/##shown", "processor");
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//throughput/###controls");
    context.ItemUncheck("//$FOCUSED/###measure");
    context.KeyPress(ImGuiKey_Escape);
  });
  EXPECT_FALSE(app().meter().on());
}

TEST_F(OnArithmetic, MenusAreWideEnoughAtEveryScale) {
  start({}, {1900, 1150});
  show("throughput");
  for (const float scale : {1.0f, 1.15f, 1.25f, 1.35f, 1.5f, 1.75f}) {
    SCOPED_TRACE(scale);
    app().settings().scale = scale;
    draw(4);
    app().panels().show("throughput");
    draw(3);
    EXPECT_GT(expect_uncut("throughput"), 20u);
  }
}

}  // namespace
}  // namespace warplens::app
