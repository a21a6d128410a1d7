// Menus, palette, themes, scale, layout, files and errors.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string_view>

#include "app/shell/commands.h"
#include "app/views/look.h"
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

TEST_F(Shell, ThePaletteRunsWhatIsTyped) {
  start();
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("view light");
  });
  EXPECT_FALSE(app().settings().dark);
  EXPECT_FALSE(app().palette().is_open());
  EXPECT_TRUE(matches("rcdnv", "Record naive"));
  EXPECT_FALSE(matches("naiver", "Record naive"));
}

TEST_F(Shell, ThePaletteRecordsAKernelWithAParameter) {
  start();
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("tiled_swapped with T = 8");
  });
  settle();
  EXPECT_EQ(recording().kernel, "tiled_swapped");
  EXPECT_EQ(recording().block, (Dim3{8, 8, 1}));
}

TEST_F(Shell, CommandsHaveIdsAndAreFoundByThem) {
  start();
  std::set<std::string_view> ids;
  for (const Command& command : app().commands()) EXPECT_TRUE(ids.insert(command.id).second) << command.id;
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("view.light");  // English in every language
  });
  EXPECT_FALSE(app().settings().dark);
}

TEST_F(Shell, ThePaletteTakesANameBeforeOthersThatHoldIt) {
  start();
  const auto is_shown = [this](const char* id) {
    const auto& panels = app().panels().all();
    const auto panel = std::ranges::find_if(panels, [id](const Panel& p) { return id == p.view->id; });
    return panel->open && panel->visible;
  };
  for (int i = 0; i < 2; ++i) {  // One that is shown stays
    drive([](ImGuiTestContext& context) {
      context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
      context.KeyCharsAppendEnter("roofline");
    });
    draw(3);
    EXPECT_TRUE(is_shown("roofline"));
  }
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("Present: Divergence");  // Not "Present: Divergence beside"
  });
  draw(3);
  EXPECT_TRUE(app().presenting() && is_shown("divergence"));
  EXPECT_FALSE(app().panels().presented_beside());
  command("view.presentation");
  const auto before = app().loaded()->recording;
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("record");  // Not "Open a recording"
  });
  await([this, before] { return app().loaded()->recording != before; });
}

TEST_F(Shell, ThePaletteShowsWhatCannotBeDoneAndDoesNotDoIt) {
  start();
  drive([this](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("present the next view");  // Outside of a presentation
    IM_CHECK(app().palette().is_open());
    context.KeyPress(ImGuiKey_Escape);
    IM_CHECK(!app().palette().is_open());
  });
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

TEST_F(Shell, ThePaletteOpensOverAMenu) {
  start();
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/kernel/##value");
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("view light");
  });
  EXPECT_FALSE(app().settings().dark);
  EXPECT_FALSE(app().palette().is_open());
}

TEST_F(Shell, KeysAreListedAndPresentationIsEnteredAndLeft) {
  start();
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_F1); });
  EXPECT_TRUE(app().keys_shown());
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_F1); });
  EXPECT_FALSE(app().keys_shown());
  const float scale = app().scale();
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_F11); });
  EXPECT_TRUE(app().presenting());
  EXPECT_GT(app().scale(), scale);
  const std::size_t shown = app().panels().presented();
  const std::uint32_t phase = app().selection().phase;
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiKey_Tab);
    context.KeyPress(ImGuiKey_PageDown);
  });
  EXPECT_NE(app().panels().presented(), shown);
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiKey_2);
    context.KeyPress(ImGuiMod_Shift | ImGuiKey_3);
  });
  EXPECT_EQ(app().panels().presented(), 1u);
  EXPECT_EQ(app().panels().presented_beside(), 2u);
  keep_picture("presented-beside");
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Shift | ImGuiKey_3);
    context.KeyPress(ImGuiKey_H);
  });
  EXPECT_EQ(app().panels().presented_beside(), std::nullopt);
  keep_picture("presented-without-phases");
  EXPECT_EQ(app().selection().phase, phase + 1);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Escape); });
  EXPECT_FALSE(app().presenting());
}

TEST_F(Shell, APresentationBeginsWithAViewThatHasSomething) {
  start();
  app().menus().launch = launch_of_rung("naive");
  settle();
  app().panels().show("banks");
  draw(3);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_F11); });
  EXPECT_NE(app().panels().all()[app().panels().presented()].view->id, "banks")
      << "naive uses no shared memory";
}

TEST_F(Shell, APresentationIsDrawnInAWindowOfAPixel) {
  start();
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_F11); });
  const float scale = app().scale();
  platform().resize(1, 1);
  await([] { return ImGui::GetIO().DisplaySize.x < 200; });
  EXPECT_LT(app().scale(), scale);
  platform().resize(1600, 900);
  await([] { return ImGui::GetIO().DisplaySize.x == 1600; });
  draw(3);
  EXPECT_TRUE(app().presenting());
  EXPECT_EQ(app().scale(), scale);
}

TEST_F(Shell, APresentationIsAsLargeOnAScreenOfMorePixels) {
  start({}, {1280, 800});
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_F11); });
  const float usual = app().scale();
  platform().resize(3840, 2160);
  await([] { return ImGui::GetIO().DisplaySize.x == 3840; });
  draw(3);
  const float large = app().scale();
  EXPECT_GT(large, 1.5f * usual);
  app().settings().scale = 1.5f;
  draw(3);
  EXPECT_EQ(app().scale(), large) << "what suits the desk says nothing of the hall";
  command("view.larger");
  draw(3);
  EXPECT_GT(app().scale(), large);
  EXPECT_EQ(app().settings().scale, 1.5f);
  command("view.actual_size");
  draw(3);
  EXPECT_EQ(app().scale(), large);
}

TEST_F(Shell, AKernelsNameInThePaletteRecordsIt) {
  start();
  for (const char* const kernel : {"tiled_swapped", "tiled", "naive"}) {
    drive([kernel](ImGuiTestContext& context) {
      context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
      context.KeyCharsAppendEnter(kernel);
    });
    settle();
    EXPECT_EQ(recording().kernel, kernel);
  }
}

TEST_F(Shell, ThePaletteNamesWhatIsPresented) {
  start();
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiKey_F11);
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("Memory levels");
  });
  EXPECT_TRUE(app().presenting());
  EXPECT_EQ(app().panels().all()[app().panels().presented()].view->id, "levels");
}

TEST_F(Shell, TabPresentsEveryViewThatHasSomethingAndThenTheFirstAgain) {
  start();
  const auto step = [this](ImGuiKeyChord key) {
    drive([key](ImGuiTestContext& context) { context.KeyPress(key); });
  };
  const auto id = [this](std::size_t index) { return std::string(app().panels().all()[index].view->id); };
  step(ImGuiKey_F11);
  const std::size_t first = app().panels().presented();
  std::set<std::string> presented, beside;
  do {
    presented.insert(id(app().panels().presented()));
    step(ImGuiKey_Tab);
  } while (app().panels().presented() != first && presented.size() < 40);
  step(ImGuiMod_Shift | ImGuiKey_Tab);
  while (app().panels().presented_beside() && beside.size() < 40) {
    beside.insert(id(*app().panels().presented_beside()));
    step(ImGuiMod_Shift | ImGuiKey_Tab);
  }
  for (const char* with_a_list : {"findings", "ptx", "sass", "history"}) {
    EXPECT_TRUE(presented.contains(with_a_list)) << with_a_list;
    EXPECT_TRUE(beside.contains(with_a_list)) << with_a_list;
  }
  EXPECT_EQ(beside.size() + 1, presented.size());
}

TEST_F(Shell, LayoutThemeAndHiddenViewsAreKept) {
  start();
  command("view.light");
  command("show.findings");
  if (app().panels().all().front().open) command("show.findings");
  ImGui::SetWindowSize("banks", {300, 300});
  draw(3);
  app().save_state();
  const auto hidden = app().panels().hidden();
  stop();
  start();
  EXPECT_FALSE(app().settings().dark);
  EXPECT_EQ(app().panels().hidden(), hidden);
  EXPECT_TRUE(std::filesystem::exists(config() / "layout-wide.ini"));
}

/// `id`: of a view.
const Panel& panel_of(App& app, std::string_view id) {
  return *std::ranges::find_if(app.panels().all(), [&](const Panel& panel) { return panel.view->id == id; });
}

TEST_F(Shell, PanelsShareTheRoomThatAWindowWinsAndKeepIt) {
  start({}, {1600, 900});
  app().settings().scale = 1.25f;  // The dock space has no whole pixels
  settle();
  const ImVec2 source = panel_of(app(), "source").size, banks = panel_of(app(), "banks").size;
  draw(60);
  EXPECT_EQ(panel_of(app(), "source").size.x, source.x) << "it drifts";
  EXPECT_EQ(panel_of(app(), "banks").size.y, banks.y);
  platform().resize(1920, 1080);
  await([] { return ImGui::GetIO().DisplaySize.x == 1920; });
  draw(3);
  EXPECT_NEAR(panel_of(app(), "source").size.x, source.x * 1.2f, 4);
  EXPECT_NEAR(panel_of(app(), "banks").size.x, banks.x * 1.2f, 4);
  platform().resize(40, 30);  // Nothing can be shown there
  await([] { return ImGui::GetIO().DisplaySize.x < 200; });
  draw(3);
  platform().resize(1600, 900);
  await([] { return ImGui::GetIO().DisplaySize.x == 1600; });
  draw(3);
  EXPECT_NEAR(panel_of(app(), "source").size.x, source.x, 4);
  EXPECT_NEAR(panel_of(app(), "banks").size.x, banks.x, 4);
}

TEST_F(Shell, APanelCannotBeDraggedSmallerThanWhatItShows) {
  start({}, {1600, 900});
  const Panel& banks = panel_of(app(), "banks");
  for (const ImVec2 way : {ImVec2{0, 1}, ImVec2{0, -1}, ImVec2{1, 0}, ImVec2{-1, 0}}) {
    drive([&](ImGuiTestContext& context) {
      const ImGuiDockNode* node = ImGui::FindWindowByName(window_name(*banks.view).c_str())->DockNode;
      const ImVec2 middle{node->Pos.x + node->Size.x / 2, node->Pos.y + node->Size.y / 2};
      const float half_gap = ImGui::GetStyle().DockingSeparatorSize / 2;
      // Its upper edge dragged down, its left edge to the right; the others the other way.
      const ImVec2 edge{way.x == 0  ? middle.x
                        : way.x > 0 ? node->Pos.x - half_gap
                                    : node->Pos.x + node->Size.x + half_gap,
                        way.y == 0  ? middle.y
                        : way.y > 0 ? node->Pos.y - half_gap
                                    : node->Pos.y + node->Size.y + half_gap};
      context.MouseMoveToPos(edge);
      context.MouseDown();
      context.MouseMoveToPos({edge.x + way.x * 3000, edge.y + way.y * 3000});
      context.MouseUp();
    });
    draw(2);
    for (const Panel& panel : app().panels().all()) {
      const ImGuiWindow* window =
          panel.open ? ImGui::FindWindowByName(window_name(*panel.view).c_str()) : nullptr;
      if (window == nullptr || window->DockNode == nullptr) continue;
      EXPECT_GE(window->DockNode->Size.x, kLeastPanel.x - 1) << panel.view->id;
      EXPECT_GE(window->DockNode->Size.y, kLeastPanel.y - 1) << panel.view->id;
    }
  }
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

TEST_F(Shell, EveryWidthOfWindowHasALayout) {
  for (const WindowSize size : {WindowSize{1600, 900}, WindowSize{1000, 700}, WindowSize{640, 420}}) {
    start({}, size);
    int visible = 0;
    for (const Panel& panel : app().panels().all()) visible += panel.visible ? 1 : 0;
    EXPECT_GE(visible, 1);
    stop();
  }
}

TEST_F(Shell, EvenAWindowWithoutRoomIsLaidOut) {
  for (const WindowSize size : {WindowSize{1, 900}, WindowSize{900, 1}, WindowSize{1, 1}}) {
    start({}, size);
    command("view.lay_out");
    draw(3);
    stop();
  }
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
