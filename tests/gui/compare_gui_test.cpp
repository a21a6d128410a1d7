// The view Compare: two launches beside each other.
#include <gtest/gtest.h>

#include <string>

#include "gui/harness.h"

namespace warplens::app {
namespace {

class CompareGui : public GuiTest {
 protected:
  void record(const std::string& kernel, std::int64_t tile = 0) {
    LaunchRequest& launch = app().menus().launch;
    launch.origin = Rung{kernel};
    launch.values = {{"m", 256}, {"p", 256}, {"n", 256}};
    if (tile > 0) launch.set("T", tile);
    settle();
  }
};

TEST_F(CompareGui, OneLaunchHasNothingBesideIt) {
  start({}, {1280, 800});
  command("view.compare");
  draw(3);
  EXPECT_TRUE(app().presenting());
  EXPECT_TRUE(shows("There is one launch, and none beside it."));
}

TEST_F(CompareGui, PaddingIsSeenBesideWhatItMends) {
  start({}, {1280, 800});
  record("volkov_transposed");
  record("volkov_padded");
  command("view.compare");
  draw(3);
  keep_picture("compare_banks");
  EXPECT_TRUE(shows("16 wavefronts"));
  EXPECT_TRUE(shows("1 wavefront"));
  EXPECT_TRUE(shows("\u2212122,880 (\u221294 %)"));
  EXPECT_TRUE(shows("matched by phase"));
  expect_uncut("compare");
  command("view.compare");
  draw(2);
  EXPECT_FALSE(app().presenting()) << "the same key leads back";
}

TEST_F(CompareGui, OneScrubberDrivesBoth) {
  start({}, {1600, 900});
  record("tiled", 16);
  record("tiled", 32);
  command("view.compare");
  draw(3);
  Selection& selection = app().selection();
  selection = Selection{.phase = 4};  // The third fill; also of A
  draw(3);
  EXPECT_TRUE(shows("matched by phase"));
  selection.warp = 20;
  draw(3);
  EXPECT_TRUE(shows("warp 20 beside warp 7")) << "a block of 16 x 16 has 8 warps";
  keep_picture("compare_tiles");
}

TEST_F(CompareGui, AnyLaunchThatIsHeldCanBeA) {
  start({}, {1600, 900});
  record("naive");
  record("tiled_swapped");
  app().panels().show("compare");
  draw(3);
  EXPECT_TRUE(shows("naive"));
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//compare/##a");
    context.Yield(2);
    context.ItemClick("//$FOCUSED/###0");
    context.Yield(3);
  });
  EXPECT_TRUE(shows("tiled ·"));
  command("go.back");
  settle();
  draw(3);
  EXPECT_TRUE(shows("B against A")) << "what comes after can be compared with as well";
}

// The answers of the tests' worker: what is compared is what it said.
TEST_F(CompareGui, TimesStandBesideTheFiguresOnceBothWereRun) {
  start_with_gpu();
  record("tiled", 16);
  command("launch.run_once");
  settle();
  record("tiled", 32);
  command("view.compare");
  draw(3);
  EXPECT_TRUE(shows("ms a launch"));
  EXPECT_FALSE(app().shelf().all()[2].run);
  command("view.compare");
  command("launch.run_once");
  settle();
  command("view.compare");
  draw(3);
  EXPECT_TRUE(shows("GFLOP/s"));
  ASSERT_EQ(app().shelf().all().size(), 3u);
  EXPECT_TRUE(app().shelf().all()[1].run && app().shelf().all()[2].run);
  keep_picture("compare_times");
}

}  // namespace
}  // namespace warplens::app
