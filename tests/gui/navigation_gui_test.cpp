// Keys, the scrubber and the source: one selection, moved from everywhere.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/session/navigation.h"
#include "gui/drawn_text.h"
#include "gui/harness.h"

namespace warplens::app {
namespace {

using Navigation = GuiTest;

TEST_F(Navigation, OpensOnARecordingOfTiled) {
  start();
  ASSERT_NE(app().loaded(), nullptr);
  EXPECT_EQ(recording().kernel, "tiled");
  EXPECT_EQ(recording().m, 256u);
  EXPECT_EQ(recording().blocks_counted, recording().blocks_total);
  EXPECT_EQ(recording().verified, true);
  EXPECT_TRUE(current_event(recording(), app().selection()).has_value());
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(Navigation, ArrowsStepAndPageKeysChangeThePhase) {
  start();
  const Selection before = app().selection();
  const auto event = *current_event(recording(), before);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_RightArrow); });
  EXPECT_EQ(current_event(recording(), app().selection()), event + 1);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_LeftArrow, 2); });
  EXPECT_EQ(current_event(recording(), app().selection()), event - 1);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_PageDown); });
  EXPECT_EQ(app().selection().phase, before.phase + 1);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_PageUp, 2); });
  EXPECT_EQ(app().selection().phase, before.phase - 1);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_DownArrow, 3); });
  EXPECT_EQ(app().selection().warp, 3u);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_RightBracket); });
  EXPECT_EQ(app().selection().event_block, before.event_block + 1);
}

TEST_F(Navigation, HomeAndEndGoToTheWarpsFirstAndLastAccess) {
  start();
  const EventRange warp = events_of_warp(recording(), app().selection().event_block, app().selection().warp);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Home); });
  EXPECT_EQ(current_event(recording(), app().selection()), warp.begin);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_LeftArrow); });
  EXPECT_EQ(current_event(recording(), app().selection()), warp.begin);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_End); });
  EXPECT_EQ(current_event(recording(), app().selection()), warp.end - 1);
}

TEST_F(Navigation, TheScrubberIsDragged) {
  start();
  drive([this](ImGuiTestContext& context) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const float y = size.y - 30;
    context.MouseTeleportToPos({size.x * 0.3f, y});
    context.MouseDown();
    context.Yield(2);
    const std::uint32_t early = app().selection().phase;
    context.MouseMoveToPos({size.x * 0.8f, y});
    context.Yield(2);
    const std::uint32_t late = app().selection().phase;
    context.MouseUp();
    IM_CHECK_LT(early, late);
    IM_CHECK_LT(static_cast<std::size_t>(late), recording().phases.size());
  });
}

TEST_F(Navigation, SpacePlaysUntilTheLastAccess) {
  start();
  drive([this](ImGuiTestContext& context) {
    context.KeyPress(ImGuiKey_Space);
    IM_CHECK(app().player().playing);
    app().player().steps_per_second = 1e6;
  });
  await([&] { return !app().player().playing; });
  const EventRange warp = events_of_warp(recording(), app().selection().event_block, app().selection().warp);
  EXPECT_EQ(current_event(recording(), app().selection()), warp.end - 1);
  EXPECT_FALSE(app().player().playing);
}

TEST_F(Navigation, ALineOfTheSourceSelectsItsFirstAccess) {
  start();
  const auto& sites = recording().sites;
  const auto store = std::ranges::find_if(
      sites, [](const Site& site) { return site.space == Space::global && site.op == AccessOp::store; });
  ASSERT_NE(store, sites.end());
  const std::uint32_t line = store->line;
  drive(
      [line](ImGuiTestContext& context) { context.ItemClick(("**/line " + std::to_string(line)).c_str()); });
  EXPECT_EQ(app().selection().line, line);
  const auto event = current_event(recording(), app().selection());
  ASSERT_TRUE(event);
  EXPECT_EQ(sites[recording().events.site[*event]].line, line);
}

TEST_F(Navigation, AnInstructionOfTheMachineCodeSelectsItsLine) {
  start();
  const AsCompiled& compiled = app().loaded()->compiled;
  ASSERT_TRUE(compiled.has_counts()) << compiled.why_not();
  const auto first = [&](std::string_view opcode) {
    return *std::ranges::find_if(compiled.accesses.sites,
                                 [&](const Site& site) { return site.text.starts_with(opcode); });
  };
  const Site store = first("STS"),
             load = first("LDS ");  // The load comes a few rows beneath the store that is shown
  app().selection() = at_line(recording(), app().selection(), app().loaded()->facts->source_file, store.line);
  const auto labels = std::ranges::count_if(
      compiled.function.labels, [&](const auto& label) { return label.instruction <= load.instruction; });
  const auto row = load.instruction + static_cast<std::uint32_t>(labels) + 1;
  drive([row](ImGuiTestContext& context) {
    context.WindowFocus("//sass");
    context.Yield(4);
    context.ItemClick(("**/line " + std::to_string(row)).c_str());
  });
  EXPECT_EQ(app().selection().line, load.line);
  const auto event = current_event(recording(), app().selection());
  ASSERT_TRUE(event);
  EXPECT_EQ(recording().sites[recording().events.site[*event]].line, load.line);
}

/// In the list of the source, or of the PTX or the machine code, which are lists of the same kind.
bool lists(std::string_view code) {
  return std::ranges::any_of(drawn_texts(), [&](const DrawnText& drawn) {
    return drawn.window.find("/lines_") != std::string::npos && drawn.letters.x < drawn.letters.z &&
           drawn.text.find(code) != std::string::npos;
  });
}

TEST_F(Navigation, TheSourceIsPresentedAtTheCurrentLine) {
  start({}, {1280, 800});
  command("record.volkov");
  settle();
  const std::uint32_t line = current_line(recording(), app().selection());
  ASSERT_GT(line, 20u);
  command("present.source");
  draw(4);
  EXPECT_TRUE(app().presenting());
  EXPECT_TRUE(lists(std::to_string(line)));
  platform().resize(1280, 620);
  await([] { return ImGui::GetIO().DisplaySize.y == 620; });
  draw(2);  // A list is scrolled in the frame after
  EXPECT_TRUE(lists(std::to_string(line))) << "where there is less room, too";
}

TEST_F(Navigation, AListOfCodeBeginsAndEndsWithWholeRows) {
  start({}, {1280, 800});
  drive([](ImGuiTestContext& context) {
    context.MouseMove("//source/**/line 25");
    for (const float wheel : {0.3f, 0.3f, 0.7f, 1.1f, 5.0f, -0.4f, -30.0f}) {
      context.MouseWheelY(wheel);
      context.Yield(2);
      int rows = 0;
      for (int line = 1; line <= 45; ++line) {
        const ImGuiTestItemInfo row =
            context.ItemInfo(("//source/**/line " + std::to_string(line)).c_str(), ImGuiTestOpFlags_NoError);
        if (row.ID == 0 || row.RectClipped.GetHeight() <= 0) continue;
        IM_CHECK(row.RectClipped.GetHeight() >= row.RectFull.GetHeight() - 0.5f);
        ++rows;
      }
      IM_CHECK(rows >= 8);
    }
  });
}

TEST_F(Navigation, TheDetailOfAnAccessIsThatOfItsArray) {
  start({}, {1280, 800});  // Line 25 reads as and bs at the same cost
  ASSERT_TRUE(shows("shared load of as · step"));
  EXPECT_TRUE(shows("524,288"));
  EXPECT_FALSE(shows("1,048,576"));
}

TEST_F(Navigation, TheCurrentLineIsSeenWithItsFiguresHoweverSmallThePanelIs) {
  start({}, {1280, 800});
  app().settings().scale = 2;
  command("record.tiled_swapped");
  settle();
  draw(4);
  for (const char* const words : {"sum += ", "shared load of as", "32.0 wf"})
    EXPECT_TRUE(lists(words)) << words;
  EXPECT_TRUE(shows("verified"));
  EXPECT_TRUE(shows("64 blocks") || shows("64 of 64 blocks"));
  app().settings().scale = 1;  // In a presentation all is larger
  command("view.presentation");
  command("present.source");
  draw(4);
  for (const char* const words : {"sum += ", "shared load of as", "32.0 wf"})
    EXPECT_TRUE(lists(words)) << words;
}

TEST_F(Navigation, TitlesOfPanelsAreWholeOrAnEllipsis) {
  start({}, {1280, 800});
  for (const float scale : {1.0f, 1.5f, 2.0f}) {
    app().settings().scale = scale;
    draw(6);
    for (const DrawnText& drawn : drawn_texts()) {
      if (drawn.window.find("DockSpace") == std::string::npos &&
          drawn.window.find("Warplens") == std::string::npos)
        continue;
      EXPECT_EQ(drawn.text.find("..."), std::string::npos) << drawn.text << " at " << scale;
      EXPECT_FALSE(drawn.text.size() > 4 && drawn.text.ends_with("…")) << drawn.text << " at " << scale;
    }
  }
}

TEST_F(Navigation, APresentedViewIsHeadedByTheCodeOfWhatItDraws) {
  start({}, {1280, 800});
  command("present.banks");
  draw(3);
  EXPECT_TRUE(shows("line 25: sum"));
  command("present.coalescing");
  draw(3);
  EXPECT_FALSE(shows("line 25: sum"));
  EXPECT_TRUE(shows("line 21: bs[y][x]"));
}

TEST_F(Navigation, CodeScrollsSidewaysAndItsNumbersStay) {
  start({}, {1280, 800});
  drive([](ImGuiTestContext& context) {
    context.MouseMove("//source/**/line 25");
    context.KeyDown(ImGuiMod_Shift);
    context.MouseWheelY(-3);
    context.KeyUp(ImGuiMod_Shift);
    context.Yield(4);
  });
  EXPECT_TRUE(lists("25"));
  EXPECT_FALSE(lists("template")) << "its beginning is out of sight";
}

TEST_F(Navigation, TheMarginCountsAsCompiledToo) {
  start();
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//source/###as_compiled");
    context.Yield(2);
    IM_CHECK(context.ItemInfo("//source/###as_compiled").ID != 0);
    context.ItemClick("//source/###as_written");
  });
}

TEST_F(Navigation, EscapeForgetsTheLane) {
  start();
  app().selection().lane = 7;
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Escape); });
  EXPECT_FALSE(app().selection().lane);
}

TEST_F(Navigation, APictureSelectsALaneByClick) {
  start();
  drive([this](ImGuiTestContext& context) {
    // Somewhere in the row of lanes at the top of the picture of Coalescing.
    const ImGuiTestItemInfo picture = context.ItemInfo("//coalescing/picture");
    IM_CHECK(picture.ID != 0);
    for (float y = picture.RectFull.Min.y + 4; y < picture.RectFull.Max.y && !app().hovered().lane; y += 8) {
      context.MouseMoveToPos({picture.RectFull.GetCenter().x, y});
      context.Yield(2);
    }
    IM_CHECK(app().hovered().lane.has_value());
    const int lane = *app().hovered().lane;
    context.MouseClick();
    context.Yield(2);
    IM_CHECK(app().selection().lane == lane);
  });
}

TEST_F(Navigation, ARecordingWithoutAccessesHasNoPlace) {
  start(std::filesystem::path(WARPLENS_TEST_DATA) / "../fuzz/corpus/recording/empty.wlr");
  ASSERT_NE(app().loaded(), nullptr);
  EXPECT_TRUE(recording().event_blocks.empty());
  for (const char* go :
       {"go.next_step", "go.previous_phase", "go.next_warp", "go.next_block", "go.last_step"})
    command(go);
  draw(3);
}

TEST_F(Navigation, EscapeLeavesOneThingAtATime) {
  start();
  const auto escape = [&] { drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Escape); }); };
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiKey_F11);
    context.KeyPress(ImGuiKey_F1);
  });
  app().selection().lane = 3;
  ASSERT_TRUE(app().keys_shown());
  escape();
  EXPECT_FALSE(app().keys_shown());
  EXPECT_EQ(app().selection().lane, 3);
  escape();
  EXPECT_EQ(app().selection().lane, std::nullopt);
  EXPECT_TRUE(app().presenting());
  escape();
  EXPECT_FALSE(app().presenting());
}

TEST_F(Navigation, APointerThatRestsInAPresentationExplainsNothing) {
  start();
  drive([this](ImGuiTestContext& context) {
    const auto explained = [] {
      const ImGuiWindow* const tooltip = ImGui::FindWindowByName("##Tooltip_00");
      return tooltip != nullptr && tooltip->Active;
    };
    context.KeyPress(ImGuiKey_F11);
    context.MouseMoveToPos({500, 300});
    context.Yield(3);
    IM_CHECK(explained());
    pass(5);
    context.Yield(3);
    IM_CHECK(!explained());
    context.MouseMoveToPos({500, 320});
    context.Yield(3);
    IM_CHECK(explained());
    context.KeyPress(ImGuiKey_RightArrow);
    context.Yield(3);
    IM_CHECK(!explained());
  });
}

TEST_F(Navigation, KeysHelpListsTheCurrentMode) {
  start();
  const auto listed = [&](const char* name) {
    return std::ranges::any_of(app().commands_with_keys(),
                               [&](const Command& command) { return command.name == name; });
  };
  EXPECT_TRUE(listed("Next block"));
  EXPECT_FALSE(listed("Hide the phases"));
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_F11); });
  EXPECT_TRUE(listed("Hide the phases"));
  EXPECT_EQ(app().commands_with_keys().front().key_works(), true) << "those of presentations come first";
}

}  // namespace
}  // namespace warplens::app
