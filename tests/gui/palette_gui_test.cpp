// The command palette, and presentations.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "app/shell/commands.h"
#include "gui/harness.h"

namespace warplens::app {
namespace {

using Palette = GuiTest;
using Presentation = GuiTest;

TEST_F(Palette, ThePaletteRunsWhatIsTyped) {
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

TEST_F(Palette, ThePaletteRecordsAKernelWithAParameter) {
  start();
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("tiled_swapped with T = 8");
  });
  settle();
  EXPECT_EQ(recording().kernel, "tiled_swapped");
  EXPECT_EQ(recording().block, (Dim3{8, 8, 1}));
}

TEST_F(Palette, CommandsHaveIdsAndAreFoundByThem) {
  start();
  std::set<std::string_view> ids;
  for (const Command& command : app().commands()) EXPECT_TRUE(ids.insert(command.id).second) << command.id;
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("view.light");  // English in every language
  });
  EXPECT_FALSE(app().settings().dark);
}

TEST_F(Palette, ThePaletteTakesANameBeforeOthersThatHoldIt) {
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

TEST_F(Palette, ThePaletteShowsWhatCannotBeDoneAndDoesNotDoIt) {
  start();
  drive([this](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("present the next view");  // Outside of a presentation
    IM_CHECK(app().palette().is_open());
    context.KeyPress(ImGuiKey_Escape);
    IM_CHECK(!app().palette().is_open());
  });
}

TEST_F(Palette, ThePaletteOpensOverAMenu) {
  start();
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/kernel/##value");
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("view light");
  });
  EXPECT_FALSE(app().settings().dark);
  EXPECT_FALSE(app().palette().is_open());
}

TEST_F(Palette, AKernelsNameInThePaletteRecordsIt) {
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

TEST_F(Palette, PartOfAKernelNameRanksRecordBeforeLongerTitles) {
  start();
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("tiled_swap");  // Not "Playground: parameters of tiled_swapped"
  });
  settle();
  EXPECT_EQ(recording().kernel, "tiled_swapped");
}

TEST_F(Palette, ThePaletteNamesWhatIsPresented) {
  start();
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiKey_F11);
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    context.KeyCharsAppendEnter("Memory levels");
  });
  EXPECT_TRUE(app().presenting());
  EXPECT_EQ(app().panels().all()[app().panels().presented()].view->id, "levels");
}

TEST_F(Presentation, KeysAreListedAndPresentationIsEnteredAndLeft) {
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

TEST_F(Presentation, APresentationBeginsWithAViewThatHasSomething) {
  start();
  app().menus().launch = launch_of_kernel("naive");
  settle();
  app().panels().show("banks");
  draw(3);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_F11); });
  EXPECT_NE(app().panels().all()[app().panels().presented()].view->id, "banks")
      << "naive uses no shared memory";
}

TEST_F(Presentation, APresentationIsDrawnInAWindowOfAPixel) {
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

TEST_F(Presentation, APresentationIsAsLargeOnAScreenOfMorePixels) {
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

TEST_F(Presentation, TabPresentsEveryViewThatHasSomethingAndThenTheFirstAgain) {
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

}  // namespace
}  // namespace warplens::app
