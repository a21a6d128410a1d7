// The GPU in the window: what is offered with one and without, and what becomes of its worker's answers and
// deaths.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>

#include "gui/gpu_worker.h"
#include "gui/harness.h"

namespace warplens::app {
namespace {

class OnGpu : public GuiTest {
 protected:
  const GpuModel& gpu() { return app().model().gpu; }
  /// The replay that follows the row is of one block: it is not what is looked at.
  void set_size(std::int64_t size) {
    app().menus().blocks = BlocksMenu::centre_only;
    for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, size);
  }
  const Error& last_error() { return app().messages().all().back().error; }
  void show_in_throughput(const char* what) {
    app().panels().show("throughput");
    draw(3);
    drive([what](ImGuiTestContext& context) {
      context.ItemClick((std::string("//throughput/shown/###") + what).c_str());
    });
  }
};

bool is_disabled(ImGuiTestContext& context, const char* item) {
  return (context.ItemInfo(item).ItemFlags & ImGuiItemFlags_Disabled) != 0;
}

TEST_F(OnGpu, ItsCountersStandInMemoryLevels) {
  start_with_gpu();
  app().panels().show("levels");
  draw(3);
  EXPECT_FALSE(shows("counted:"));
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiMod_Shift | ImGuiKey_F6); });
  await([this] { return app().loaded()->hardware != nullptr; });
  app().menus().launch.cc = {8, 0};  // Other rules do not change what was counted
  settle();
  ASSERT_NE(app().loaded()->hardware, nullptr);
  EXPECT_EQ(app().loaded()->hardware->dram_read_bytes, 528'896u);
  command("view.presentation");
  draw(3);
  EXPECT_TRUE(shows("counted: 529 kB"));
  EXPECT_TRUE(shows("counted: 4.19 MB"));
  keep_picture("levels-counted");
  command("view.presentation");
  app().menus().launch.cc = {9, 0};
  settle();
  EXPECT_TRUE(shows("the GPU: 2 each LDS.128")) << "in Banks";
  EXPECT_TRUE(shows("counted: 529 kB")) << "in Memory levels, which has rows there";
  EXPECT_TRUE(shows("the GPU: 4 each")) << "in Coalescing";
  EXPECT_TRUE(shows("the line's, counted by the GPU")) << "in Source";
  keep_picture("instructions-counted");
  // The worker that has counted is not used for times: another has taken its place.
  await([this] { return gpu().busy_with.empty(); });
  command("launch.run_once");
  await([this] { return gpu().last_run.has_value(); });
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(OnGpu, AMachineThatForbidsCountersSaysSoAndLosesNothing) {
  start_with_gpu();
  set_size(kForbidden);
  settle();
  command("launch.count");
  await([this] { return !app().messages().all().empty(); });
  EXPECT_EQ(last_error().what, "this machine does not let users read the GPU's counters");
  EXPECT_EQ(app().loaded()->hardware, nullptr);
  close_message();
  command("launch.run_once");
  await([this] { return gpu().last_run.has_value(); });
}

TEST_F(OnGpu, WithoutOneTheControlsAreDisabledAndSayWhy) {
  start();
  await([this] { return gpu().driver.has_value(); });
  EXPECT_FALSE(gpu().usable());
  EXPECT_EQ(gpu().unusable(),
            "There is no NVIDIA driver (libcuda.so.1). Install the driver of your GPU; without one, kernels "
            "are replayed on the CPU.");
  drive([](ImGuiTestContext& context) {
    IM_CHECK(is_disabled(context, "//Warplens/Launch/###run_once"));
    IM_CHECK(is_disabled(context, "//Warplens/Launch/###live"));
    IM_CHECK(!is_disabled(context, "//Warplens/Launch/###record"));
    IM_CHECK(is_disabled(context, "**/ladder/###measure"));
    context.ItemClick("//throughput/shown/###sweep");
    IM_CHECK(is_disabled(context, "//throughput/###start"));
    context.ItemClick("//Warplens/Launch/engine/##value");
    IM_CHECK(is_disabled(context, "//$FOCUSED/###gpu"));
    context.KeyPress(ImGuiKey_Escape);
  });
  keep_picture("no-gpu-sweep");
  for (const char* id : {"launch.run_once", "launch.live", "launch.measure_ladder", "launch.sweep_size"}) {
    const auto command = std::ranges::find(app().commands(), id, &Command::id);
    ASSERT_NE(command, app().commands().end()) << id;
    EXPECT_FALSE(command->can_run()) << id;
  }
  drive([](ImGuiTestContext& context) { context.ItemClick("//throughput/shown/###processor"); });
  keep_picture("no-gpu");
}

TEST_F(OnGpu, NothingIsRedrawnOnceItIsKnownAndUnlessItIsLive) {
  start_with_gpu();
  app().meter().switch_on(false);
  await_rest();
  command("launch.live");
  EXPECT_LE(app().seconds_until_next_frame(), 1.0 / 60);
  command("launch.live");
  await([this] { return !std::isfinite(app().seconds_until_next_frame()); });
}

TEST_F(OnGpu, RunOnceVerifiesAndShowsItsTimes) {
  start_with_gpu();
  set_size(1024);
  drive([](ImGuiTestContext& context) { context.ItemClick("//Warplens/Launch/###run_once"); });
  settle();
  ASSERT_TRUE(gpu().last_run);
  EXPECT_EQ(gpu().last_run->kernel, "tiled");
  EXPECT_EQ(gpu().last_run->m, 1024u);
  EXPECT_TRUE(gpu().last_run->verified);
  ASSERT_TRUE(gpu().last_run->cublas);
  EXPECT_TRUE(app().messages().all().empty());
  keep_picture("run-once");
}

TEST_F(OnGpu, RecordsThere) {
  start_with_gpu();
  set_size(96);
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/engine/##value");
    context.ItemClick("//$FOCUSED/###gpu");
    context.ItemClick("//Warplens/Launch/###record");
  });
  settle();
  EXPECT_EQ(recording().engine, "gpu");
  EXPECT_EQ(recording().m, 96u);
  EXPECT_TRUE(app().messages().all().empty());
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/engine/##value");
    context.ItemClick("//$FOCUSED/###cpu");
    context.ItemClick("//Warplens/Launch/###record");
  });
  settle();
  EXPECT_EQ(recording().engine, "cpu");
}

TEST_F(OnGpu, OneBlockIsDrawnWhereAllMakeTooManyAccesses) {
  start_with_gpu();
  app().menus().launch.engine = Engine::gpu;
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 1024);
  settle();
  EXPECT_EQ(recording().engine, "gpu");
  EXPECT_EQ(recording().blocks_counted, 1024u);
  EXPECT_EQ(recording().event_blocks, (std::vector<Dim3>{{16, 16, 0}}));
  EXPECT_EQ(app().menus().blocks, BlocksMenu::all_draw_one);
  EXPECT_NE(app().notice().text().find("All blocks"), std::string::npos);
  command("go.next_block");
  settle();
  EXPECT_EQ(recording().engine, "gpu");
  EXPECT_EQ(recording().event_blocks, (std::vector<Dim3>{{17, 16, 0}}));
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 96);
  settle();
  EXPECT_EQ(app().menus().blocks, BlocksMenu::all);
  EXPECT_EQ(recording().event_blocks.size(), 9u);
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(OnGpu, TotalsAreOfTheWholeGridThoughBlocksAreChosen) {
  start_with_gpu();
  set_size(96);
  for (const BlocksMenu blocks : {BlocksMenu::chosen, BlocksMenu::centre_only}) {
    app().menus().launch.engine = Engine::gpu;
    app().menus().blocks = blocks;
    app().menus().chosen_blocks = "1,1";
    command("launch.record");
    settle();
    EXPECT_TRUE(app().messages().all().empty());
    EXPECT_EQ(recording().engine, "gpu");
    EXPECT_EQ(recording().event_blocks, (std::vector<Dim3>{{1, 1, 0}}));
    EXPECT_EQ(recording().blocks_counted, 9u);
    app().menus().launch.engine = Engine::cpu;
    command("launch.record");
    settle();
    EXPECT_EQ(recording().blocks_counted, 1u);
  }
}

TEST_F(OnGpu, CublasIsLaunchedAndNotRecorded) {
  start_with_gpu();
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/kernel/##value");
    context.ItemClick("//$FOCUSED/cublas");
    context.Yield(2);
    IM_CHECK(is_disabled(context, "//Warplens/Launch/###record"));
    context.ItemClick("//Warplens/Launch/###run_once");
  });
  settle();
  ASSERT_TRUE(gpu().last_run);
  EXPECT_EQ(gpu().last_run->kernel, "cublas");
  EXPECT_TRUE(app().messages().all().empty());
  keep_picture("cublas");
}

TEST_F(OnGpu, LiveGoesOnUntilItIsSwitchedOffAndFollowsTheMenus) {
  start_with_gpu();
  set_size(2048);
  drive([](ImGuiTestContext& context) { context.ItemClick("//Warplens/Launch/###live"); });
  EXPECT_TRUE(gpu().live_on);
  await([this] { return !gpu().live.empty() && gpu().live.back().samples.size() > 20; });
  EXPECT_EQ(gpu().live.back().label, "tiled, T = 32");
  choose_kernel(app().menus(), *catalog().find("naive"));
  await(
      [this] { return gpu().live.back().label == "naive, T = 32" && gpu().live.back().samples.size() > 20; });
  EXPECT_EQ(gpu().live.size(), 2u);
  command("launch.run_once");  // Comes between
  settle();
  EXPECT_TRUE(gpu().last_run);
  await([this] { return gpu().live.size() == 3 && gpu().live.back().samples.size() > 20; });
  keep_picture("live");
  drive([](ImGuiTestContext& context) { context.ItemClick("//Warplens/Launch/###live"); });
  EXPECT_FALSE(gpu().live_on);
  command("launch.run_once");  // Comes when live has ended
  settle();
  const std::size_t samples = gpu().live.back().samples.size();
  for (int i = 0; i < 20; ++i) {
    platform().wait(0.02);
    draw();
  }
  EXPECT_EQ(gpu().live.back().samples.size(), samples);
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(OnGpu, TheLadderIsMeasuredAtTheSizeThatIsSet) {
  start_with_gpu();
  set_size(4096);
  show_in_throughput("live");
  drive([](ImGuiTestContext& context) { context.ItemClick("**/ladder/###measure"); });
  EXPECT_TRUE(gpu().measuring_ladder);
  settle();
  std::vector<std::string> expected, measured;
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group == KernelGroup::ladder &&
        std::ranges::find(kernel.value_types, "f32") != kernel.value_types.end())
      expected.push_back(kernel.id);
  }
  expected.emplace_back(gpu::kCublasId);
  for (const gpu::RunResult& result : gpu().ladder.results) measured.push_back(result.kernel);
  EXPECT_EQ(measured, expected);
  EXPECT_EQ(gpu().ladder.m, 4096u);
  keep_picture("ladder");
}

TEST_F(OnGpu, ASweepOverNIsDrawnAsItComesAndCancelled) {
  start_with_gpu();
  show_in_throughput("sweep");
  drive([](ImGuiTestContext& context) { context.ItemClick("//throughput/###start"); });
  EXPECT_TRUE(gpu().sweeping);
  await([this] { return gpu().sweep.points.size() == 3; });
  keep_picture("sweeping");
  drive([](ImGuiTestContext& context) { context.ItemClick("//throughput/###cancel"); });
  settle();
  EXPECT_FALSE(gpu().sweeping);
  EXPECT_GE(gpu().sweep.points.size(), 3u);
  EXPECT_LT(gpu().sweep.points.size(), gpu().sweep.planned.size());
  EXPECT_TRUE(app().messages().all().empty());
  command("launch.sweep_size");
  settle();
  EXPECT_EQ(gpu().sweep.points.size(), gpu().sweep.planned.size());
  EXPECT_EQ(gpu().sweep.points.front().at, 128);
  EXPECT_EQ(gpu().sweep.points.back().at, 4096);
  keep_picture("sweep");
}

TEST_F(OnGpu, WhatBeginsThereIsBroughtToTheFront) {
  start_with_gpu();
  const auto shows = [this](const char* item) {
    bool found = false;
    drive([&](ImGuiTestContext& context) { found = context.ItemExists(item); });
    return found;
  };
  app().panels().show("roofline");
  draw(3);
  command("launch.sweep_size");
  EXPECT_TRUE(shows("//throughput/###cancel") || shows("//throughput/###start"));
  settle();
  show_in_throughput("published");
  EXPECT_FALSE(shows("//throughput/###start"));
  command("launch.sweep_parameter");
  settle();
  EXPECT_TRUE(shows("//throughput/###start"));
  command("launch.live");
  EXPECT_FALSE(shows("//throughput/###start"));
}

TEST_F(OnGpu, ASweepOverTheTileTakesEveryTileOfTheKernel) {
  start_with_gpu();
  command("launch.sweep_parameter");
  settle();
  const auto& values = catalog().find("tiled")->parameters.front().values;
  ASSERT_EQ(gpu().sweep.points.size(), values.size());
  EXPECT_EQ(gpu().sweep.points.front().at, values.front());
  choose_kernel(app().menus(), *catalog().find("volkov_padded"));
  command("launch.sweep_parameter");
  ASSERT_EQ(app().messages().all().size(), 1u);
  EXPECT_NE(last_error().what.find("volkov_padded has no parameter"), std::string::npos);
}

TEST_F(OnGpu, WhatIsNoProductIsTimedByItsBytes) {
  start_with_gpu();
  const auto kernel =
      std::ranges::find(catalog().kernels(), KernelGroup::demonstrator, &KernelDescriptor::group);
  ASSERT_NE(kernel, catalog().kernels().end());
  choose_kernel(app().menus(), *kernel);
  command("launch.run_once");
  settle();
  ASSERT_TRUE(gpu().last_run);
  EXPECT_FALSE(gpu().last_run->cublas);
  EXPECT_STREQ(rate_of(*gpu().last_run).unit, "GB/s");
  command("launch.live");
  await([this] { return !gpu().live.empty() && gpu().live.back().samples.size() > 20; });
  keep_picture("live-bytes");
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(OnGpu, AFaultACrashAndAHangAreToldAndCostNothingElse) {
  start_with_gpu();
  command("launch.run_once");
  settle();
  const auto run = gpu().runs_made;
  struct Trouble {
    unsigned m;
    const char* words;
  };
  for (const Trouble& trouble :
       {Trouble{kFaults, "tiled, T = 32 stopped: illegal address"}, Trouble{kCrashes, "signal 11"}}) {
    SCOPED_TRACE(trouble.words);
    app().menus().launch.set("m", trouble.m);
    command("launch.run_once");
    settle();
    ASSERT_FALSE(app().messages().all().empty());
    EXPECT_NE(last_error().what.find(trouble.words), std::string::npos) << last_error().what;
    if (trouble.m == kFaults) keep_picture("fault");
    close_message();
    EXPECT_EQ(gpu().runs_made, run);
    EXPECT_TRUE(gpu().last_run);
  }
  app().menus().launch.set("m", kHangs);
  command("launch.run_once");
  draw(5);
  ASSERT_TRUE(app().busy());
  command("launch.cancel");
  settle();
  app().menus().launch.set("m", 256);
  command("launch.run_once");
  settle();
  EXPECT_EQ(gpu().runs_made, run + 1);
  EXPECT_EQ(recording().m, 256u);
  EXPECT_EQ(app().messages().all().size(), 2u);
}

TEST_F(OnGpu, ACrashWhileLiveSwitchesItOffAndKeepsItsSamples) {
  start_with_gpu();
  app().menus().launch.set("m", kCrashes);
  command("launch.live");
  await([this] { return !app().messages().all().empty(); });
  EXPECT_FALSE(gpu().live_on);
  EXPECT_NE(last_error().what.find("signal 11"), std::string::npos);
  EXPECT_FALSE(gpu().live.empty());
  close_message();
  app().menus().launch.set("m", 512);
  command("launch.live");
  await([this] { return gpu().live.back().samples.size() > 20; });
  EXPECT_TRUE(gpu().live_on);
}

TEST_F(OnGpu, LooksAsItShouldInEverySizeAndTheme) {
  for (const WindowSize size : {WindowSize{1280, 800}, WindowSize{1920, 1080}}) {
    if (size.width > 1280 && !on_every_screen()) continue;
    start_with_gpu(size);
    set_size(4096);
    command("launch.measure_ladder");
    settle();
    command("launch.live");
    await([this] { return !gpu().live.empty() && gpu().live.back().samples.size() > 120; });
    const std::string name = std::to_string(size.width);
    const auto look = [&](const std::string& what) {
      const std::string page = fmt::format("{}-{}", what, name);
      SCOPED_TRACE(page);
      keep_picture(page);
      expect_whole("throughput");
      return pixels_of("throughput");
    };
    const PanelPixels dark_live = look("dark-live");
    EXPECT_LT(dark_live.brightness(), 80);
    command("view.light");
    EXPECT_GT(look("light-live").brightness(), 200);
    command("launch.sweep_size");
    settle();
    EXPECT_GT(look("light-sweep").brightness(), 200);
    command("view.dark");
    const PanelPixels dark_sweep = look("dark-sweep");
    EXPECT_LT(dark_sweep.brightness(), 80);
    EXPECT_NE(dark_sweep, dark_live);
    show_in_throughput("processor");
    EXPECT_NE(look("dark-processor"), dark_sweep);
    stop();
  }
}

}  // namespace
}  // namespace warplens::app
