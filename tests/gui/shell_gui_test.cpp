// Menus, themes, scale, layout, files and errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "app/shell/commands.h"
#include "gui/harness.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

using Shell = GuiTest;

TEST_F(Shell, EveryViewDrawsAndCanBeHiddenAndShown) {
  start();
  for (const Panel& panel : app().panels().all()) {
    const std::string name(panel.view->id);
    app().panels().show(panel.view->id);
    draw(4);
    EXPECT_TRUE(panel.visible) << name;
    drive([&](ImGuiTestContext& context) {
      context.MenuClick(("//Warplens/###view/###show." + name).c_str());
    });
    EXPECT_FALSE(panel.open) << name;
    drive([&](ImGuiTestContext& context) {
      context.MenuClick(("//Warplens/###view/###show." + name).c_str());
    });
    EXPECT_TRUE(panel.open && panel.visible) << name;
  }
}

TEST_F(Shell, FirstStartShowsTheFourPicturesAndTheSource) {
  start();
  for (const Panel& panel : app().panels().all()) {
    constexpr std::string_view kInFront[] = {"source", "phases", "coalescing", "banks", "throughput"};
    const bool in_front = std::ranges::find(kInFront, panel.view->id) != std::end(kInFront);
    EXPECT_EQ(panel.visible, in_front) << panel.view->id;
  }
}

TEST_F(Shell, TheKernelIsChosenAndRecorded) {
  start();
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/kernel/##value");
    context.ItemClick("//$FOCUSED/naive_uncoalesced");
    context.ItemClick("//Warplens/Launch/###separate_sizes");
    context.ItemInputValue("//Warplens/Launch/m/##value", 64);
    context.ItemInputValue("//Warplens/Launch/p/##value", 96);
    context.ItemInputValue("//Warplens/Launch/n/##value", 32);
    context.ItemClick("//Warplens/Launch/###record");
  });
  settle();
  EXPECT_EQ(recording().kernel, "naive_uncoalesced");
  EXPECT_EQ(recording().m, 64u);
  EXPECT_EQ(recording().p, 96u);
  EXPECT_EQ(recording().n, 32u);
  EXPECT_EQ(recording().verified, true);
}

TEST_F(Shell, SquareMatricesHaveOneSizeField) {
  start();
  drive([](ImGuiTestContext& context) {
    IM_CHECK(!context.ItemExists("//Warplens/Launch/m/##value"));
    context.ItemInputValue("//Warplens/Launch/size/##value", 64);
  });
  settle();
  EXPECT_EQ(recording().m, 64u);
  EXPECT_EQ(recording().p, 64u);
  EXPECT_EQ(recording().n, 64u);
  keep_picture("one_size");
}

TEST_F(Shell, SeparateSizesAreKeptAndMadeOneAgain) {
  start();
  command("launch.separate_sizes");
  drive([](ImGuiTestContext& context) {
    context.ItemInputValue("//Warplens/Launch/m/##value", 64);
    context.ItemInputValue("//Warplens/Launch/n/##value", 32);
  });
  settle();
  EXPECT_EQ(recording().p, 256u);
  app().save_state();
  stop();
  start();
  drive([](ImGuiTestContext& context) {
    IM_CHECK(context.ItemExists("//Warplens/Launch/n/##value"));
    context.ItemInputValue("//Warplens/Launch/n/##value", 48);
    context.ItemClick("//Warplens/Launch/###separate_sizes");
    context.Yield(2);
    IM_CHECK(context.ItemExists("//Warplens/Launch/size/##value"));
  });
  settle();
  EXPECT_EQ(recording().n, 256u);
}

TEST_F(Shell, SizesOfMatricesThatAreNotSquareAreSeparate) {
  start();
  app().menus().launch.set("n", 64);
  settle();
  drive([](ImGuiTestContext& context) {
    IM_CHECK(context.ItemExists("//Warplens/Launch/m/##value"));
    context.ItemInputValue("//Warplens/Launch/n/##value", 256);
    context.Yield(2);
    IM_CHECK(context.ItemExists("//Warplens/Launch/n/##value"));  // It stays while it is edited
  });
  EXPECT_TRUE(app().settings().separate_sizes);
}

TEST_F(Shell, PlusEnlargesWithShiftAndWithout) {
  start();
  for (const ImGuiKeyChord key :
       {ImGuiMod_Ctrl | ImGuiKey_Equal, ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal,
        ImGuiMod_Ctrl | ImGuiKey_KeypadAdd}) {
    app().settings().scale = 1;
    drive([key](ImGuiTestContext& context) { context.KeyPress(key); });
    EXPECT_GT(app().settings().scale, 1) << name_of_key(key);
  }
}

TEST_F(Shell, EveryKernelOfTheCatalogueIsDrawn) {
  start();
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 96);
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    command("record." + kernel.id);
    settle();
    EXPECT_EQ(recording().kernel, kernel.id);
    EXPECT_TRUE(app().messages().all().empty());
  }
}

TEST_F(Shell, ADemonstratorHasItsOwnSizes) {
  start();
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/kernel/##value");
    context.ItemClick("//$FOCUSED/vector_add");
    context.Yield(2);
    EXPECT_TRUE(context.ItemExists("//Warplens/Launch/n/##value"));
    EXPECT_FALSE(context.ItemExists("//Warplens/Launch/m/##value"));
    EXPECT_FALSE(context.ItemExists("//Warplens/Launch/p/##value"));
    context.ItemClick("//Warplens/Launch/###record");
  });
  settle();
  EXPECT_EQ(recording().kernel, "vector_add");
  EXPECT_EQ(recording().n, 1000u);
  EXPECT_EQ(recording().m, 0u);
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(Shell, OtherMemoryRulesRecomputeCosts) {
  start();
  ASSERT_NE(app().loaded()->cc, (analysis::ComputeCapability{1, 0}));
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/rules/##value");
    context.ItemClick("//$FOCUSED/1.0 Tesla");
  });
  settle();
  EXPECT_EQ(app().loaded()->cc, (analysis::ComputeCapability{1, 0}));
}

TEST_F(Shell, WhatCannotBeRecordedIsSaidInTheWindow) {
  start();
  const auto before = app().loaded()->recording;
  app().menus().launch.set("m", 0);
  drive([](ImGuiTestContext& context) { context.ItemClick("//Warplens/Launch/###record"); });
  ASSERT_EQ(app().messages().all().size(), 1u);
  EXPECT_FALSE(app().messages().all().front().error.hint.empty() &&
               app().messages().all().front().error.what.empty());
  EXPECT_TRUE(app().messages().showing());
  EXPECT_EQ(app().loaded()->recording, before);
  close_message();
  EXPECT_FALSE(app().messages().showing());
}

TEST_F(Shell, WorkIsCancelled) {
  start();
  const auto before = app().loaded()->recording;
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 2048);
  app().menus().blocks = BlocksMenu::all_draw_one;
  app().menus().launch.whole_result = true;  // Else it takes no time
  command("launch.record");
  ASSERT_TRUE(app().busy());
  command("launch.cancel");
  settle();
  EXPECT_EQ(app().loaded()->recording, before);
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(Shell, ARecordingIsSavedAndOpened) {
  start();
  const auto path = config() / "kept.wlr";
  command("file.save");
  enter_path(path);
  settle();
  ASSERT_TRUE(std::filesystem::exists(path));
  const auto loaded = load(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->events, recording().events);

  app().open(path);
  settle();
  EXPECT_EQ(app().loaded()->path, path);
  ASSERT_FALSE(app().settings().recent.empty());
  EXPECT_EQ(app().settings().recent.front(), path);
}

// It may be called as one of the ladder's: its name alone goes into the launch row, which launches nothing
// then until a kernel is chosen.
TEST_F(Shell, AUsersRecordingIsNotTakenForTheLadders) {
  start();
  Recording own = recording();
  own.origin = Origin::file;
  own.origin_file = "mine.ptx";
  own.m = own.p = own.n = 0;
  own.parameters.clear();
  own.verified.reset();
  const auto path = config() / "own.wlr";
  ASSERT_TRUE(save(own, path));
  app().open(path);
  settle();
  ASSERT_EQ(recording().origin, Origin::file);
  EXPECT_EQ(app().menus().kernel(), "");
  EXPECT_EQ(name_of(app().menus().launch), "tiled<32> of mine.ptx");
  keep_picture("own_kernel");
  const auto shown = app().loaded()->recording;  // its machine code may still be added beside it
  app().record();
  settle();
  EXPECT_EQ(app().loaded()->recording, shown);
  ASSERT_EQ(app().messages().all().size(), 1u);
  close_message();
  drive([](ImGuiTestContext& context) {
    IM_CHECK(!context.ItemExists("//Warplens/Launch/m/##value"));
    context.ItemClick("//Warplens/Launch/kernel/##value");
    context.ItemClick("//$FOCUSED/tiled");
    context.ItemClick("//Warplens/Launch/###record");
  });
  settle();
  EXPECT_EQ(recording().origin, Origin::ladder);
}

// All that it takes is in the recording: the row shows its launch, and Record makes it again.
TEST_F(Shell, ARecordingOfAFileIsLaunchedAgain) {
  LaunchRequest request;
  request.origin = FileKernel{
      .file = "fill.ptx",
      .entry = {},
      .text =
          ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry fill(.param .u64 c)\n{\n.reg .b32 "
          "%r<3>;\n"
          ".reg .b64 %rd<4>;\nld.param.u64 %rd1, [c];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 8;\n"
          "add.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n",
      .sources = {},
      .source_folders = {}};
  request.shape = {.grid = {2}, .block = {64}};
  request.arguments = {{"c", BufferSpec{.type = ElementType::i32, .count = 128, .file = {}}}};
  request.event_blocks = BlockChoice{};
  const auto made = record(request);
  ASSERT_TRUE(made) << made.error().message();
  const auto path = config() / "fill.wlr";
  ASSERT_TRUE(save(*made, path));
  start();
  app().open(path);
  settle();
  EXPECT_EQ(name_of(app().menus().launch), "fill of fill.ptx");
  drive([](ImGuiTestContext& context) { context.ItemClick("//Warplens/Launch/###record"); });
  settle();
  EXPECT_TRUE(app().messages().all().empty());
  EXPECT_TRUE(app().loaded()->path.empty()) << "made here";
  EXPECT_EQ(recording().origin, Origin::file);
  EXPECT_EQ(recording().events, made->events);
  EXPECT_EQ(recording().arguments, made->arguments);
}

// Each recording with the launch, the rules and the selection that it was left with.
TEST_F(Shell, OneGoesBackToWhatWasOnScreen) {
  start();
  const auto first = app().loaded();
  app().selection().warp = 1;
  choose_kernel(app().menus(), *catalog().find("naive"));
  app().record();
  settle();
  ASSERT_EQ(recording().kernel, "naive");
  const auto second = app().loaded();
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiMod_Alt | ImGuiKey_LeftArrow); });
  EXPECT_EQ(app().loaded(), first);
  EXPECT_EQ(app().menus().kernel(), "tiled");
  EXPECT_EQ(app().selection().warp, 1u);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiMod_Alt | ImGuiKey_RightArrow); });
  EXPECT_EQ(app().loaded(), second);
  app().menus().launch.cc = {2, 0};
  settle();
  await([this] { return app().loaded()->cc == analysis::ComputeCapability{2, 0}; });
  EXPECT_EQ(app().loaded()->recording, second->recording) << "the same object";
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiMod_Alt | ImGuiKey_LeftArrow); });
  EXPECT_EQ(app().loaded(), first);
  EXPECT_EQ(app().menus().launch.cc, (analysis::ComputeCapability{9, 0}));
}

TEST_F(Shell, ADamagedFileIsRefusedWithAReason) {
  const auto path = config() / "damaged.wlr";
  std::ofstream(path) << "this is no recording";
  start();
  app().open(path);
  settle();
  ASSERT_EQ(app().messages().all().size(), 1u);
  EXPECT_NE(app().messages().all().front().title.find("damaged.wlr"), std::string::npos);
  EXPECT_NE(app().loaded(), nullptr);
  app().open(config() / "kernel.cu");
  await([this] { return app().messages().all().size() == 2; });
  EXPECT_EQ(app().messages().all().size(), 2u);
}

TEST_F(Shell, ThemeAndScaleChange) {
  start();
  EXPECT_TRUE(app().settings().dark);
  drive([](ImGuiTestContext& context) { context.MenuClick("//Warplens/###view/###view.light"); });
  EXPECT_FALSE(app().settings().dark);
  const float before = app().scale();
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_Equal, 3); });
  EXPECT_GT(app().scale(), before * 1.2f);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_Minus); });
  EXPECT_LT(app().scale(), before * 1.3f);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_0); });
  EXPECT_EQ(app().scale(), before);
}

TEST_F(Shell, ArrowKeysChooseInAnOpenMenu) {
  start();
  const Selection selection = app().selection();
  const KernelDescriptor* const kernel = catalog().find(app().menus().kernel());
  ASSERT_NE(kernel, nullptr);
  const auto& kernels = catalog().kernels();
  const auto after = std::ranges::find(kernels, kernel->id, &KernelDescriptor::id) + 1;
  const auto next = std::find_if(after, kernels.end(),
                                 [&](const KernelDescriptor& one) { return one.group == kernel->group; });
  ASSERT_NE(next, kernels.end());
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/kernel/##value");
    context.KeyPress(ImGuiKey_DownArrow);
    context.KeyPress(ImGuiKey_Enter);
  });
  EXPECT_EQ(app().menus().kernel(), next->id);
  EXPECT_EQ(app().selection().warp, selection.warp);
  settle();
  const std::uint32_t warp = app().selection().warp;
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_DownArrow); });
  EXPECT_EQ(app().menus().kernel(), next->id);
  EXPECT_EQ(app().selection().warp, warp + 1);
}

TEST_F(Shell, ChangesAreKeptAsTheyAreMade) {
  start();
  command("view.light");
  await([this] {
    app().save_changes();
    return std::filesystem::exists(config() / "settings.json");
  });
  const auto kept = load_settings(config());
  ASSERT_TRUE(kept);
  EXPECT_FALSE(kept->dark);
}

TEST_F(Shell, NothingIsRedrawnWhileNothingChanges) {
  start();
  app().meter().switch_on(false);
  await_rest();
}

TEST_F(Shell, AWindowThatTheGpuNoLongerDrawsGoesOnWithoutIt) {
  start();
  const auto menu = [&](const char* view) {
    drive([&](ImGuiTestContext& context) {
      context.MenuClick((std::string("//Warplens/###view/###show.") + view).c_str());
    });
  };
  menu("throughput");  // Time moves what is in it
  const auto size = platform().size();
  const std::vector<std::uint8_t> before = pixels();
  const auto drawing = platform().draw_without_gpu();
  ASSERT_TRUE(drawing) << drawing.error().message();
  EXPECT_TRUE(platform().left_gpu());
  EXPECT_EQ(platform().size(), size);
  draw(3);
  EXPECT_TRUE(pixels() == before);
  menu("heat");  // Its heat maps are drawn in the new context alone
  draw(3);
  EXPECT_FALSE(pixels() == before);
  keep_picture("without-gpu");
}

TEST_F(Shell, CpuVariantsAreChosen) {
  start();
  app().meter().set_size(64);
  app().panels().show("throughput");
  draw(3);
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//throughput/shown/###processor");
    context.ItemClick("//throughput/##products");
    context.ItemClick("//$FOCUSED/blocked");
    context.ItemClick("//$FOCUSED/ijk");
    context.KeyPress(ImGuiKey_Escape);
  });
  EXPECT_TRUE(app().meter().chosen(measure::CpuProduct::blocked));
  EXPECT_FALSE(app().meter().chosen(measure::CpuProduct::ijk));
  for (const auto product : measure::kCpuProducts)
    app().meter().choose(product, !measure::what_is_missing_for(product));
  app().meter().switch_on(true);
  await([this] {
    return std::ranges::all_of(measure::kCpuProducts, [this](measure::CpuProduct product) {
      return measure::what_is_missing_for(product) || !app().meter().samples(product).empty();
    });
  });
  keep_picture("every-way-to-multiply");
}

TEST_F(Shell, TheMeterMeasuresWhileSwitchedOn) {
  start();
  app().meter().set_size(64);
  app().meter().switch_on(true);
  ASSERT_NO_FATAL_FAILURE(await([this] { return !app().meter().samples(measure::CpuProduct::ikj).empty(); }));
  EXPECT_GT(app().meter().samples(measure::CpuProduct::ikj).front().gflops, 0);
  app().meter().switch_on(false);
}

}  // namespace
}  // namespace warplens::app
