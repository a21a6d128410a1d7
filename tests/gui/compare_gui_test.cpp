// The view Compare: two launches beside each other.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "gui/harness.h"
#include "kernels/base/figures.h"
#include "kernels/compile/compile.h"
#include "viz/views/view.h"

namespace warplens::app {
namespace {

class CompareGui : public GuiTest {
 protected:
  /// With letters for a desk, so that all that is looked for has its room.
  void start(const std::filesystem::path& open = {}, WindowSize size = {}) {
    GuiTest::start(open, size);
    app().settings().presented = 0.65f;
  }
  void record(const std::string& kernel, std::int64_t tile = 0) {
    LaunchRequest& launch = app().menus().launch;
    launch.origin = CatalogKernel{kernel};
    launch.values = {{"m", 256}, {"p", 256}, {"n", 256}};
    if (tile > 0) launch.set("T", tile);
    settle();
  }
  /// The launch on screen by the rules of compute capability 1.0 becomes A.
  void choose_old_rules() {
    drive([](ImGuiTestContext& context) {
      context.ItemClick("//compare presented/##a");
      context.Yield(2);
      context.ItemClick("//$FOCUSED/###cc 1.0");
      context.Yield(3);
    });
    await([] { return shows("CC 1.0"); });
  }
  /// Two recordings that were saved, opened again.
  void open_two_files() {
    for (const auto& [kernel, name] : {std::pair{"tiled_swapped", "a.wlr"}, {"tiled", "b.wlr"}}) {
      record(kernel);
      app().save(config() / name);
      settle();
    }
    app().open_all({config() / "a.wlr", config() / "b.wlr"});
    settle();
  }
  void edit_own_kernel();

  struct Window {
    const char* name;
    WindowSize size;
    float scale;
    bool dark;
  };
  static constexpr Window kWindows[] = {
      {"small_dark", {1280, 800}, 1, true},  {"small_light", {1280, 800}, 1, false},
      {"large_dark", {1920, 1080}, 1, true}, {"large_light", {1920, 1080}, 1, false},
      {"twice_dark", {1920, 1080}, 2, true}, {"twice_small", {1280, 800}, 2, false}};
  void start_in(const Window& window) {
    start({}, window.size);
    app().settings().presented = 1;
    app().settings().scale = window.scale;
    app().settings().dark = window.dark;
  }
  /// Nothing of the view is cut off, nor of its difference if it has one.
  void look_at(const viz::View& view, const std::string& name) {
    command(fmt::format("show.compare.{}", view.id));
    command("show.compare.side_by_side");
    await([this] { return shows("B against A"); });
    expect_uncut("compare presented");
    keep_picture(fmt::format("{}_{}", name, view.id));
    if (view.difference == nullptr) return;
    command("show.compare.difference");
    expect_uncut("compare presented");
    keep_picture(fmt::format("{}_{}_difference", name, view.id));
    command("show.compare.side_by_side");
  }
};

TEST_F(CompareGui, OneLaunchHasNothingBesideIt) {
  start({}, {1280, 800});
  command("view.compare");
  draw(3);
  EXPECT_TRUE(app().presenting());
  EXPECT_TRUE(shows("There is one launch, and none beside it."));
}

TEST_F(CompareGui, PaddedCostIsDrawnBesideTheCost) {
  start({}, {1280, 800});
  record("volkov_transposed");
  record("volkov_padded");
  command("view.compare");
  draw(3);
  keep_picture("compare_banks");
  EXPECT_TRUE(shows("16 wavefronts"));
  EXPECT_TRUE(shows("1 wavefront"));
  EXPECT_TRUE(shows("\u2212122,880 (\u221294 %)"));
  expect_uncut("compare presented");
  command("view.compare");
  draw(2);
  EXPECT_FALSE(app().presenting()) << "the same key leads back";
}

TEST_F(CompareGui, PanelIsPresentedWhenThereAreTwoLaunches) {
  start({}, {1280, 800});
  record("volkov_transposed");
  app().panels().show("compare");
  draw(3);
  record("volkov_padded");
  draw(3);
  command("view.presentation");
  draw(3);
  EXPECT_TRUE(app().presenting());
  EXPECT_TRUE(shows("B against A"));
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
  app().settings().presented = 0.65f;
  record("tiled", 16);
  command("launch.run_once");
  settle();
  record("tiled", 32);
  command("view.compare");
  draw(3);
  EXPECT_TRUE(shows("ms per launch"));
  EXPECT_FALSE(app().recordings().all()[2].run);
  command("view.compare");
  command("launch.run_once");
  settle();
  command("view.compare");
  draw(3);
  EXPECT_TRUE(shows("GFLOP/s"));
  ASSERT_EQ(app().recordings().all().size(), 3u);
  EXPECT_TRUE(app().recordings().all()[1].run && app().recordings().all()[2].run);
  keep_picture("compare_times");
}

// B less A in one picture, of what has one; the others stay side by side.
TEST_F(CompareGui, TheDifferenceIsDrawnInPlaceOfBoth) {
  start({}, {1280, 800});
  record("volkov_transposed");
  record("volkov_padded");
  command("view.compare");
  draw(3);
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//compare presented/##manner");
    context.Yield(2);
    context.ItemClick("//$FOCUSED/###difference");
    context.Yield(3);
  });
  EXPECT_TRUE(shows("16 \u2192 1 wavefront"));
  EXPECT_TRUE(shows("\u221294 %"));
  EXPECT_TRUE(shows("conflict degree by bank and time, B \u2212 A"));
  expect_uncut("compare presented");
  keep_picture("compare_difference_banks");
  command("show.compare.heat");
  EXPECT_TRUE(shows("accesses to each element, launch B \u2212 launch A, all blocks of both"));
  EXPECT_TRUE(shows("Every element is accessed as often by both"))
      << "padding moves words of shared memory alone";
  keep_picture("compare_difference_heat");
  command("show.compare.occupancy");
  EXPECT_TRUE(shows("warps of an SM") || shows("of an SM")) << "there is none of the difference";
  keep_picture("compare_occupancy");
  command("show.compare.banks");
  command("show.compare.side_by_side");
  EXPECT_TRUE(shows("16 wavefronts"));
}

// Lists have no picture: each half is the view's own, and a click in A's goes there in both.
TEST_F(CompareGui, ListsStandBesideEachOtherToo) {
  start({}, {1600, 900});
  record("tiled", 16);
  record("tiled", 32);
  command("view.compare");
  command("show.compare.ptx");
  draw(3);
  EXPECT_TRUE(shows("ld.shared.f32"));
  keep_picture("compare_ptx");
  command("show.compare.sass");
  draw(3);
  EXPECT_TRUE(shows("LDS"));
  keep_picture("compare_sass");
  app().selection().element = ElementRef{.buffer = 0, .row = 0, .column = 1};
  command("show.compare.history");
  await([] { return shows("by 16 warps of 16 blocks") && shows("by 8 warps of 8 blocks"); });
  keep_picture("compare_history");
  command("show.compare.roofline");
  draw(3);
  keep_picture("compare_roofline");
  command("show.compare.banks");
}

TEST_F(CompareGui, ElementsAreReadHalfAsOftenByLargerTiles) {
  start({}, {1920, 1080});
  record("tiled", 16);
  record("tiled", 32);
  command("view.compare");
  command("show.compare.heat");
  EXPECT_TRUE(shows("A: read 16 times")) << "by all blocks of B are 8; A is on the left";
  keep_picture("compare_heat");
  command("show.compare.difference");
  EXPECT_TRUE(shows("A: \u22128 reads per element"));
  EXPECT_TRUE(shows("C: written as often"));
  keep_picture("compare_difference_heat_tiles");
}

TEST_F(CompareGui, SourcesAreMatchedLineByLine) {
  start({}, {1280, 800});
  record("volkov_transposed");
  record("volkov_padded");
  command("view.compare");
  command("show.compare.source");
  command("show.compare.difference");
  EXPECT_TRUE(shows("in A alone"));
  EXPECT_TRUE(shows("16.0 wf"));
  EXPECT_TRUE(shows("1.0 wf"));
  EXPECT_TRUE(shows("\u2212122,880 (\u221294 %)"));
  keep_picture("compare_difference_source");
  EXPECT_TRUE(shows("with one unused word at the end")) << "a line that differs";
  EXPECT_FALSE(shows("const int row =")) << "one that does not, and makes no access";
}

TEST_F(CompareGui, SourcesThatDifferMuchAreScrolled) {
  start({}, {1280, 800});
  record("naive");
  record("volkov_padded");
  command("view.compare");
  command("show.compare.source");
  command("show.compare.difference");
  EXPECT_FALSE(shows("with one unused word at the end")) << "the beginning, above the current line";
  drive([](ImGuiTestContext& context) {
    context.MouseMoveToPos({600, 300});
    context.MouseWheelY(100);
    context.Yield(3);
  });
  EXPECT_TRUE(shows("with one unused word at the end"));
  EXPECT_TRUE(shows("in A alone")) << "what is said of all stays";
}

TEST_F(CompareGui, PlacesAreMatchedByStepWhereThatIsChosen) {
  start({}, {1600, 900});
  record("tiled", 16);
  record("tiled", 32);
  command("view.compare");
  draw(3);
  app().selection() = Selection{.phase = 3, .step = 50};
  draw(3);
  EXPECT_TRUE(shows("access 26 of its kind beside 16: there are no more"));
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("match by step");
    context.Yield(3);
  });
  EXPECT_TRUE(shows("matched by step"));
  keep_picture("compare_by_step");
  command("show.compare.by_phase");
  EXPECT_FALSE(shows("matched by step"));
}

// The window holds a recording by one set of rules; A is the same by others.
TEST_F(CompareGui, ALaunchStandsBesideItselfByOtherRules) {
  start({}, {1600, 900});
  record("tiled_swapped");
  command("view.compare");
  draw(3);
  choose_old_rules();
  await([] { return shows("half-warp 0\u201315"); });
  EXPECT_EQ(app().loaded()->cc, (analysis::ComputeCapability{9, 0})) << "the launch on screen stays as it is";
  keep_picture("compare_rules");
  const auto by_old_rules = with_rules(*app().loaded(), {1, 0});
  const auto transactions = with_thousands(by_old_rules->report.global_load.cost.sectors);
  EXPECT_TRUE(shows(transactions)) << transactions;
  record("tiled");
  await([] { return shows("tiled \u00b7 256"); });
  command("show.compare.coalescing");
  await([] { return shows("transactions"); });
  keep_picture("compare_rules_coalescing");
}

TEST_F(CompareGui, TwoFilesAreCompared) {
  start({}, {1280, 800});
  open_two_files();
  command("view.compare");
  draw(3);
  EXPECT_EQ(app().loaded()->path.filename(), "b.wlr");
  EXPECT_TRUE(shows("tiled_swapped \u00b7"));
  EXPECT_TRUE(shows("32 wavefronts"));
  keep_picture("compare_files");
}

TEST_F(CompareGui, BothHalvesAreExported) {
  start({}, {1600, 900});
  record("volkov_transposed");
  record("volkov_padded");
  command("view.compare");
  draw(3);
  command("copy.compare.svg");
  settle();
  const std::string svg = ImGui::GetClipboardText();
  EXPECT_NE(svg.find("16 wavefronts"), std::string::npos);
  EXPECT_NE(svg.find("1 wavefront"), std::string::npos);
  EXPECT_NE(svg.find("volkov_transposed"), std::string::npos);
  EXPECT_NE(svg.find("shared store: wavefronts"), std::string::npos) << "and what changed";
  EXPECT_NE(svg.find("matched by phase"), std::string::npos);
  command("show.compare.difference");
  command("copy.compare.svg");
  settle();
  EXPECT_NE(std::string(ImGui::GetClipboardText()).find("16 \u2192 1 wavefront"), std::string::npos);
}

constexpr const char* kConflicts = R"cu(// warplens: grid=(n+15)/16,(n+15)/16 block=16,16 n=64
//   A=f32[n][n]:ints B=f32[n][n]:ints C=f32[n][n] product=A*B->C
__global__ void mm(const float* A, const float* B, float* C, int n) {
  __shared__ float as[16][16], bs[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[x][y] = A[row * n + k + x];
    bs[y][x] = B[(k + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[i][y] * bs[i][x];
    __syncthreads();
  }
  C[row * n + col] = sum;
}
)cu";

/// Padding mends the conflicts of `kConflicts`.
void CompareGui::edit_own_kernel() {
  std::ofstream(config() / "own.cu") << kConflicts;
  app().open(config() / "own.cu");
  settle();
  const auto type = [&](const std::string& before, const std::string& text) {
    app().editing().line_wanted = 4;
    draw(3);
    drive([&](ImGuiTestContext& context) {
      context.KeyPress(ImGuiKey_End);
      context.KeyPress(ImGuiKey_Backspace, static_cast<int>(before.size()));
      context.KeyCharsAppend(text.c_str());
    });
    settle();
  };
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_F2); });
  settle();
  const std::uint64_t was = app().loaded()->report.shared_store.cost.wavefronts;
  type("as[16][16], bs[16][16];", "as[16][17], bs[16][16];");
  type(" bs[16][16];", " bs[16][20];");  // One more edit: what it was stays the same
  ASSERT_LT(app().loaded()->report.shared_store.cost.wavefronts, was);
}

TEST_F(CompareGui, AnEditStandsBesideWhatItWas) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  start({}, {1600, 900});
  edit_own_kernel();
  command("view.compare");
  draw(3);
  EXPECT_TRUE(shows("before the edit"));
  command("show.compare.source");
  command("show.compare.difference");
  EXPECT_TRUE(shows(
      "15 lines are the same, 1 in A alone, 1 in B alone; line 9 changes most: \u22123,072 wavefronts"));
  keep_picture("compare_edit");
}

// By eye, too: sizes, scales and themes.
TEST_F(CompareGui, IsLegibleInSmallAndLargeWindows) {
  for (const Window& window : kWindows) {
    SCOPED_TRACE(window.name);
    start_in(window);
    if (window.size.width == 1280) {
      record("volkov_transposed");
      record("volkov_padded");
    } else {
      record("tiled", 16);
      record("tiled", 32);
    }
    command("view.compare");
    for (const viz::View& view : viz::views()) {
      if (view.needs_recording && !view.of_two && view.place)
        look_at(view, fmt::format("legible_{}", window.name));
    }
    command("view.compare");  // As a panel among the others
    command("show.compare.banks");
    keep_picture(fmt::format("legible_{}_panel", window.name));
    stop();
  }
}

// The other pairs that lectures show.
TEST_F(CompareGui, RulesFilesAndEditsAreLegibleToo) {
  if (std::getenv("WARPLENS_PICTURES") == nullptr)
    GTEST_SKIP() << "skipped: for the eye; WARPLENS_PICTURES=FOLDER keeps the pictures";
  const bool compiles = !compile::compilers().empty();
  for (const Window& window : kWindows) {
    for (const std::string pair : {"rules", "files", "edit"}) {
      if (pair == "edit" && !compiles) continue;
      SCOPED_TRACE(window.name + pair);
      start_in(window);
      if (pair == "rules") record("tiled_swapped");
      if (pair == "files") open_two_files();
      if (pair == "edit") edit_own_kernel();
      command("view.compare");
      draw(3);
      if (pair == "rules") choose_old_rules();
      for (const char* const view : {"banks", "coalescing", "source"})
        look_at(*viz::find_view(view), fmt::format("{}_{}", pair, window.name));
      stop();
    }
  }
}

}  // namespace
}  // namespace warplens::app
