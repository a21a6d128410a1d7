// What is shown in front of an audience, beside what it was drawn to be; and what the palette understands.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

#include "gui/drawn_text.h"
#include "gui/harness.h"
#include "kernels/catalog/catalog.h"
#include "kernels/catalog/published.h"

namespace warplens::app {
namespace {

class Presented : public GuiTest {
 protected:
  void record(const char* kernel) {
    command(std::string("record.") + kernel);
    settle();
  }
  void press(ImGuiKeyChord key) {
    drive([&](ImGuiTestContext& context) { context.KeyPress(key); });
    settle();
  }
  void type_into_palette(const char* words) {
    drive([&](ImGuiTestContext& context) {
      context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
      context.KeyCharsAppendEnter(words);
    });
    settle();
  }
  [[nodiscard]] static std::size_t times_drawn(const std::string& words) {
    return static_cast<std::size_t>(
        std::ranges::count_if(drawn_texts(), [&](const DrawnText& drawn) { return drawn.text == words; }));
  }
  /// Above each bank, or in each lane's cell.
  [[nodiscard]] static bool draws_lane_and_bank_numbers() {
    std::vector<int> times(32);
    for (const DrawnText& drawn : drawn_texts()) {
      std::istringstream words(drawn.text);
      for (std::string word; words >> word;) {
        const bool number = std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
        if (number && word.size() < 3 && std::stoul(word) < times.size()) ++times[std::stoul(word)];
      }
    }
    return std::ranges::all_of(times, [](int count) { return count >= 1; });
  }
};

TEST_F(Presented, BanksHasItsNumbersAndNamesTheLineOnce) {
  for (const WindowSize size : {WindowSize{1280, 800}, WindowSize{1920, 1080}, WindowSize{3840, 2160}}) {
    SCOPED_TRACE(size.width);
    start({}, size);
    record("volkov_transposed");
    app().panels().show("banks");
    draw(3);
    press(ImGuiKey_F11);
    ASSERT_TRUE(app().presenting());
    keep_picture("presented_banks_" + std::to_string(size.width));
    EXPECT_TRUE(draws_lane_and_bank_numbers());
    EXPECT_TRUE(shows("line 23: as["));
    EXPECT_EQ(times_drawn("line 23"), 0u) << "it stands before the code";
    EXPECT_TRUE(shows("shared store to as, 8 of 8 · warp 0")) << "the subtitle, by whole parts";
    stop();
  }
}

TEST_F(Presented, CompareHasAllRowsTheSourcesAndMoreThanOneFigure) {
  for (const WindowSize size : {WindowSize{1280, 800}, WindowSize{1920, 1080}, WindowSize{3840, 2160}}) {
    SCOPED_TRACE(size.width);
    start({}, size);
    record("volkov_transposed");
    record("volkov_padded");
    press(ImGuiKey_F8);
    draw(4);
    keep_picture("presented_compare_" + std::to_string(size.width));
    EXPECT_FALSE(shows("more wavefronts")) << "all 16 rows are there";
    EXPECT_TRUE(shows("16 wavefronts"));
    EXPECT_TRUE(shows("A per request") && shows("B per request")) << "the sources of both";
    EXPECT_TRUE(shows("shared store: wavefronts"));
    EXPECT_TRUE(shows("shared load: wavefronts"));
    stop();
  }
}

TEST_F(Presented, F11PresentsTheViewChosenInThePalette) {
  start();
  for (const char* const under : {"source", "coalescing", "banks"}) {
    for (const char* const id : {"banks", "heat", "occupancy", "throughput"}) {
      for (const bool clicked : {false, true}) {
        SCOPED_TRACE(std::string(id) + " over " + under + (clicked ? ", clicked" : ""));
        const auto panel = std::ranges::find(app().panels().all(), std::string_view(under),
                                             [](const Panel& one) { return std::string_view(one.view->id); });
        const ImVec2 middle{panel->at.x + panel->size.x / 2, panel->at.y + panel->size.y * 0.6f};
        drive([&](ImGuiTestContext& context) {
          context.MouseMoveToPos(middle);
          if (clicked) context.MouseClick(ImGuiMouseButton_Left);
        });
        type_into_palette((std::string("show.") + id).c_str());
        press(ImGuiKey_F11);
        ASSERT_TRUE(app().presenting());
        EXPECT_EQ(app().panels().all()[app().panels().presented()].view->id, std::string_view(id));
        press(ImGuiKey_F11);
      }
    }
  }
}

TEST_F(Presented, ChosenViewIsPresentedBeforeItsFirstFrame) {
  start();
  app().panels().show("heat");
  command("view.presentation");
  draw(2);
  EXPECT_EQ(app().panels().all()[app().panels().presented()].view->id, std::string_view("heat"));
}

TEST_F(Presented, TwoViewsKeepWhatEachShowsAlone) {
  start({}, {1920, 1080});
  record("volkov_transposed");
  app().panels().show("banks");
  draw(3);
  press(ImGuiKey_F11);
  press(ImGuiMod_Shift | ImGuiKey_Tab);
  ASSERT_TRUE(app().panels().presented_beside());
  draw(4);
  keep_picture("presented_two");
  EXPECT_FALSE(shows("more wavefronts"));
  EXPECT_TRUE(shows("16 wavefronts"));
  EXPECT_TRUE(shows("by time")) << "banks over time";
}

TEST_F(Presented, AViewIsNotPresentedBesideItself) {
  start();
  record("volkov_transposed");
  app().panels().show("banks");
  draw(3);
  press(ImGuiKey_F11);
  command("view.present_beside");
  ASSERT_TRUE(app().panels().presented_beside());
  const std::size_t beside = *app().panels().presented_beside();
  press(ImGuiKey_F11);
  app().panels().show(app().panels().all()[beside].view->id);
  draw(3);
  press(ImGuiKey_F11);
  draw(3);
  EXPECT_EQ(app().panels().presented(), beside);
  EXPECT_FALSE(app().panels().presented_beside());
}

TEST_F(Presented, ThroughputWithoutAGpuIsTheLadderOfAnother) {
  start();
  await([this] { return app().model().gpu.driver.has_value(); });
  command("present.throughput");
  draw(3);
  keep_picture("presented_throughput");
  EXPECT_TRUE(shows("% of cuBLAS"));
  EXPECT_TRUE(shows("H200"));
  const PublishedTable* const ladder = shipped_ladder("f32");
  for (const PublishedPoint& point : ladder->series.front().points) {
    EXPECT_TRUE(point.name == "cublas" || shows(point.name)) << point.name;
  }
  EXPECT_TRUE(shows("There is no NVIDIA driver"));
  EXPECT_FALSE(shows("ijk")) << "the processor's loops come second";
}

TEST_F(Presented, TheLadderIsOfTheTypeThatTheKernelMultiplies) {
  start();
  await([this] { return app().model().gpu.driver.has_value(); });
  record("mma_pipelined");
  command("present.throughput");
  draw(3);
  EXPECT_TRUE(shows("in f16"));
  EXPECT_TRUE(shows("wmma_naive"));
  EXPECT_FALSE(shows("tiled_padded"));
  app().menus().launch.value_type = "bf16";
  settle();
  draw(3);
  EXPECT_TRUE(shows("in bf16"));
}

TEST_F(Presented, TilesAndPhasesAreOneCount) {
  start();
  app().selection().phase = 11;
  draw(3);
  EXPECT_TRUE(shows("tile 6 of 8, compute"));
  EXPECT_TRUE(shows("Tile 6 computes"));
  EXPECT_FALSE(shows("hase 12"));
}

TEST_F(Presented, ThePaletteUnderstandsSizesAndPlaces) {
  start();
  type_into_palette("size 96");
  EXPECT_EQ(recording().m, 96u);
  EXPECT_EQ(recording().n, 96u);
  type_into_palette("size 256");
  type_into_palette("block 3,2");
  EXPECT_EQ(recording().event_blocks[app().selection().event_block], (Dim3{3, 2, 0}));
  type_into_palette("warp 5");
  EXPECT_EQ(app().selection().warp, 5u);
  type_into_palette("about");
  EXPECT_TRUE(app().about_shown());
  keep_picture("about");
  EXPECT_TRUE(shows("Warplens 0"));
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app().about_shown());
  const float scale = app().scale();
  type_into_palette("font size");
  EXPECT_GT(app().scale(), scale);
  const auto next = std::ranges::find(app().commands(), "go.next_finding", &Command::id);
  EXPECT_NE(next->also.find("next race"), std::string::npos);
  type_into_palette("fullscreen");
  EXPECT_TRUE(app().presenting());
}

TEST_F(Presented, ATileStaysOneOfTheNextKernel) {
  start();
  app().menus().launch.set("T", 16);
  settle();
  choose_kernel(app().menus(), *catalog().find("tiled_padded"));
  settle();
  EXPECT_EQ(recording().kernel, "tiled_padded");
  EXPECT_EQ(recording().block, (Dim3{16, 16, 1}));
}

TEST_F(Presented, OpenRecentStandsAboveQuit) {
  start();
  app().settings().add_recent(config() / "of_late.cu");
  drive([](ImGuiTestContext& context) {
    context.MenuAction(ImGuiTestAction_Open, "//Warplens/###file/###recent");
    context.Yield(3);
    const auto at = [](const char* words) {
      for (const DrawnText& drawn : drawn_texts()) {
        if (drawn.text.find(words) != std::string::npos) return drawn.letters.y;
      }
      return -1.0f;
    };
    EXPECT_GT(at("Open recent"), 0);
    EXPECT_GT(at("Quit"), at("Open recent"));
  });
}

}  // namespace
}  // namespace warplens::app
