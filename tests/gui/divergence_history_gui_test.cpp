// Divergence and History: what one clicks there, and what one clicks elsewhere to be listed there.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "app/session/navigation.h"
#include "gui/harness.h"
#include "viz/analysis/grid_history.h"
#include "viz/analysis/history.h"
#include "viz/picture/divergence.h"

namespace warplens::app {
namespace {

class DivergenceAndHistory : public GuiTest {
 protected:
  void record(const std::string& kernel) {
    choose_kernel(app().menus(), *catalog().find(kernel));
    app().record();
    settle();
    ASSERT_EQ(recording().kernel, kernel);
  }

  /// Brings a view to the front and moves over its picture until `met`; clicks there. False if nothing of the
  /// kind is on it.
  bool click_on(ImGuiTestContext& context, const std::string& id, const std::function<bool()>& met) {
    context.WindowFocus(("//" + id).c_str());
    context.Yield(4);
    const ImGuiTestItemInfo picture = context.ItemInfo(("//" + id + "/picture").c_str());
    for (float y = picture.RectFull.Min.y + 30; y < picture.RectFull.Max.y - 20; y += 23) {
      for (float x = picture.RectFull.Min.x + 12; x < picture.RectFull.Max.x - 4; x += 31) {
        context.MouseTeleportToPos({x, y});
        context.Yield(2);
        if (!met()) continue;
        context.MouseClick();
        context.Yield(2);
        return true;
      }
    }
    return false;
  }

  /// Where on the picture of Divergence a target lies.
  ImVec2 place_of(ImGuiTestContext& context, std::int64_t phase, std::uint32_t site) {
    const ImRect rect = context.ItemInfo("//divergence/picture").RectFull;
    const Selection& selection = app().selection();
    const picture::Moment moment{&recording(),   {9, 0},          selection.event_block,
                                 selection.warp, selection.phase, selection.step};
    const picture::Picture made = picture::make_divergence(
        moment, app().loaded()->divergence(), selection.site, {}, {rect.GetWidth(), rect.GetHeight()},
        {&picture::dark_palette(), app().scale()});
    for (const picture::Region& region : made.regions) {
      if (region.target.kind != picture::Target::Kind::site || region.target.a != phase ||
          region.target.b != site)
        continue;
      return {rect.Min.x + region.rect.x + region.rect.width / 2,
              rect.Min.y + region.rect.y + region.rect.height / 2};
    }
    return {0, 0};
  }

  /// Draws until the history that is wanted is found and listed.
  void await_list(ImGuiTestContext& context) {
    context.WindowFocus("//history");
    IM_CHECK(await(context, [&] { return context.ItemExists("//history/**/##touch 1"); }));
  }
};

TEST_F(DivergenceAndHistory, AnElementOfMatrixHeatIsListedAndARowGoesThere) {
  start();
  drive([this](ImGuiTestContext& context) {
    IM_CHECK(click_on(context, "heat", [this] { return app().hovered().element.has_value(); }));
    IM_CHECK(app().selection().element.has_value());
    await_list(context);
    IM_CHECK(context.ItemExists("//history/**/##touch 2"));
  });
  keep_picture("history-element");
  const ElementRef element = *app().selection().element;
  const auto history = analysis::element_history(
      recording(), element.buffer, element.row * recording().buffers[element.buffer].pitch + element.column);
  ASSERT_GE(history.touches.size(), 2u);
  drive([](ImGuiTestContext& context) { context.ItemClick("//history/**/##touch 2"); });
  EXPECT_EQ(current_event(recording(), app().selection()), event_of(recording(), history.touches[1]));
  EXPECT_EQ(app().selection().element, element) << "the list stays";
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Escape); });
  EXPECT_FALSE(app().selection().element);
}

TEST_F(DivergenceAndHistory, AWordOfSharedMemoryIsListedForItsBlock) {
  start();
  std::optional<std::uint32_t> word;
  app().selection().element = ElementRef{0, 1, 2};
  drive([this, &word](ImGuiTestContext& context) {
    IM_CHECK(click_on(context, "phases", [&] {
      word = app().hovered().shared_word;
      return word.has_value();
    }));
    IM_CHECK(app().selection().shared_word == word);
    IM_CHECK(!app().selection().element.has_value());
    await_list(context);
  });
  keep_picture("history-word");
  const std::uint32_t block = app().selection().event_block;
  const auto history = analysis::shared_word_history(recording(), block, *word);
  ASSERT_GE(history.touches.size(), 3u);
  drive([](ImGuiTestContext& context) { context.ItemClick("//history/**/##touch 3"); });
  EXPECT_EQ(current_event(recording(), app().selection()), event_of(recording(), history.touches[2]));
  EXPECT_EQ(app().selection().event_block, block);
  drive([this](ImGuiTestContext& context) {
    IM_CHECK(click_on(context, "phases",
                      [this] { return app().hovered().shared_word == app().selection().shared_word; }));
  });
  EXPECT_FALSE(app().selection().shared_word) << "a second click takes it back";
}

TEST_F(DivergenceAndHistory, ACellOfBanksIsALaneAndItsWord) {
  start();
  command("go.next_step");  // To an access that is no broadcast: it fills the grid
  std::optional<std::uint32_t> word;
  std::optional<int> lane;
  drive([&](ImGuiTestContext& context) {
    IM_CHECK(click_on(context, "banks", [&] {
      word = app().hovered().shared_word;
      lane = app().hovered().lane;
      return word.has_value();
    }));
  });
  EXPECT_EQ(app().selection().shared_word, word);
  EXPECT_EQ(app().selection().lane, lane);
  ASSERT_TRUE(lane);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Escape); });
  EXPECT_FALSE(app().selection().shared_word);
  EXPECT_FALSE(app().selection().lane);
}

TEST_F(DivergenceAndHistory, HistorySaysWhatToClick) {
  start();
  drive([](ImGuiTestContext& context) {
    context.WindowFocus("//history");
    context.Yield(4);
    IM_CHECK(!context.ItemExists("//history/**/##touch 1"));
  });
  keep_picture("history-empty");
}

TEST_F(DivergenceAndHistory, ARowChoosesTheAccessAndACellItsPhase) {
  start();
  record("tiled_guarded");
  const auto& divergence = app().loaded()->facts->divergence;
  ASSERT_EQ(divergence.accesses[divergence.access_or_first_load(recording(), ~0u)].divergent, 350u);
  const auto& sites = recording().sites;
  const auto store = static_cast<std::uint32_t>(
      std::ranges::find_if(
          sites, [](const Site& site) { return site.space == Space::global && site.op == AccessOp::store; }) -
      sites.begin());
  ASSERT_LT(store, sites.size());
  const std::uint32_t first_load =
      divergence.accesses[divergence.access_or_first_load(recording(), ~0u)].sites.front();
  drive([](ImGuiTestContext& context) {
    context.WindowFocus("//divergence");
    context.Yield(4);
  });
  keep_picture("divergence");
  EXPECT_FALSE(app().selection().site);
  drive([&](ImGuiTestContext& context) {
    const ImRect rect = context.ItemInfo("//divergence/picture").RectFull;
    context.MouseTeleportToPos({rect.Min.x + 20, place_of(context, -1, store).y});
    context.Yield(2);
    IM_CHECK_EQ(app().hovered().line, sites[store].line);
    context.MouseClick();
    context.Yield(2);
  });
  EXPECT_EQ(app().selection().site, store);
  auto event = current_event(recording(), app().selection());
  ASSERT_TRUE(event);
  EXPECT_EQ(recording().events.site[*event], store);
  drive([&](ImGuiTestContext& context) {
    context.MouseTeleportToPos(place_of(context, 4, first_load));
    context.Yield(2);
    context.MouseClick();
    context.Yield(2);
  });
  EXPECT_EQ(app().selection().site, first_load);
  EXPECT_EQ(app().selection().phase, 4u);
  event = current_event(recording(), app().selection());
  ASSERT_TRUE(event);
  EXPECT_EQ(recording().events.site[*event], first_load);
}

/// Whether a line of a list's pixels is of the panel's colour alone.
bool is_blank(const PanelPixels& list, int y) {
  const picture::Colour panel = picture::dark_palette().panel;
  const auto is_near = [](std::uint32_t channel, std::uint8_t of_panel) {
    return std::abs(static_cast<int>(channel & 0xff) - of_panel) <= 12;
  };
  const std::uint32_t* const line =
      &list.colours[static_cast<std::size_t>(y) * static_cast<std::size_t>(list.width)];
  return std::all_of(line, line + list.width, [&](std::uint32_t colour) {
    return is_near(colour, panel.r) && is_near(colour >> 8, panel.g) && is_near(colour >> 16, panel.b);
  });
}

TEST_F(DivergenceAndHistory, ARowThatTheEdgeCutsFades) {
  start({}, {1280, 800});
  record("naive");
  app().selection().element = ElementRef{1, 3, 17};  // Of B, which every row of the block reads
  drive([this](ImGuiTestContext& context) {
    await_list(context);
    context.Yield(4);
  });
  for (const float hidden : {0.0f, 7.0f, 12.0f, 18.0f}) {
    drive([hidden](ImGuiTestContext& context) {
      const auto& windows = context.UiContext->Windows;
      const auto list = std::find_if(windows.begin(), windows.end(), [](const ImGuiWindow* window) {
        return window->Active &&
               std::string_view(window->Name).find("###history/touches_") != std::string_view::npos;
      });
      IM_CHECK_GT((*list)->ScrollMax.y, 20.0f);
      ImGui::SetScrollY(*list, hidden);
      context.Yield(3);
    });
    const PanelPixels list = pixels_of("history", "touches");
    ASSERT_GT(list.height, 30);
    EXPECT_TRUE(is_blank(list, list.height - 1)) << hidden;
  }
  keep_picture("history-fades");
}

/// Of all blocks, of which one is recorded: a row leads to another one, and into it.
TEST_F(DivergenceAndHistory, AnElementIsListedForAllBlocksAndARowGoesToOneThatIsNotRecorded) {
  start();
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 2048);
  settle();
  ASSERT_GT(recording().blocks_extrapolated, 0u);
  const Dim3 before = recording().event_blocks.front();
  const ElementRef element{0, 3, 17};
  app().selection().element = element;
  drive([this](ImGuiTestContext& context) { await_list(context); });
  await([this] { return shows("Of all 4,096 blocks."); });
  EXPECT_TRUE(shows("by 64 warps of 64 blocks: fetched again 63 times"));

  const analysis::WordTouch touch = app().loaded()->history()->of(0, 3 * 2048 + 17).touches.at(4);
  ASSERT_NE(touch.block, before);
  drive([](ImGuiTestContext& context) { context.ItemClick("//history/**/##touch 5"); });
  settle();
  EXPECT_EQ(recording().event_blocks, std::vector<Dim3>{touch.block});
  const auto event = current_event(recording(), app().selection());
  ASSERT_TRUE(event);
  EXPECT_EQ(event, event_of(recording(), touch));
  const std::optional<int> lane = app().selection().lane;
  ASSERT_TRUE(lane);
  const Buffer& a = recording().buffers[0];
  EXPECT_EQ(lane_address(recording(), *event, *lane), a.base + (3 * a.pitch + 17) * 4);
  EXPECT_EQ(app().selection().element, element) << "the list stays";
  await([this] { return shows("Of all 4,096 blocks."); });
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_RightBracket); });
  settle();
  EXPECT_EQ(recording().event_blocks, (std::vector<Dim3>{{touch.block.x + 1, touch.block.y, 0}}));
  EXPECT_EQ(app().selection().element, element) << "one walks on with it";
  EXPECT_EQ(app().selection().phase, touch.phase);
}

TEST_F(DivergenceAndHistory, AreOfTheWholeGridAtEverySize) {
  for (const WindowSize size : {WindowSize{1280, 800}, WindowSize{1920, 1080}}) {
    start({}, size);
    choose_kernel(app().menus(), *catalog().find("tiled_guarded"));
    for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 2045);
    settle();
    ASSERT_GT(recording().blocks_extrapolated, 0u);
    drive([](ImGuiTestContext& context) {
      context.WindowFocus("//divergence");
      context.Yield(4);
    });
    await([this] { return shows("all 16,384 blocks"); });
    app().selection().element = ElementRef{1, 3, 17};
    drive([this](ImGuiTestContext& context) { await_list(context); });
    await([this] { return shows("Of all 16,384"); });  // Where there is a line's end comes "blocks"
    const std::string pixels = std::to_string(size.width);
    keep_picture("grid-divergence-and-history-" + pixels);
    expect_whole("history");
    expect_whole("divergence");
    EXPECT_TRUE(shows("warp-phases divergent"));
    EXPECT_FALSE(shows("whole grid:")) << "it is said already";
    stop();
  }
}

/// Both views beside the others, at other sizes and scales.
TEST_F(DivergenceAndHistory, FitAtEverySizeAndScale) {
  struct Page {
    const char* name;
    WindowSize size;
    float scale;
    bool dark;
  };
  for (const Page& page :
       {Page{"1280x800-dark", {1280, 800}, 1, true}, Page{"1920x1080-light", {1920, 1080}, 1, false},
        Page{"1920x1080-dark-2x", {1920, 1080}, 2, true}, Page{"1280x800-light-2x", {1280, 800}, 2, false}}) {
    start({}, page.size);
    app().settings().scale = page.scale;
    app().settings().dark = page.dark;
    record("tiled_guarded");
    app().selection().element = ElementRef{0, 3, 17};
    drive([](ImGuiTestContext& context) {
      context.WindowFocus("//divergence");
      context.WindowFocus("//history");
      context.SleepNoSkip(0.3f, 0.02f);
      context.Yield(4);
    });
    SCOPED_TRACE(page.name);
    keep_picture(std::string("divergence-and-history-") + page.name);
    expect_whole("history");
    drive([](ImGuiTestContext& context) {
      context.ItemClick("//history/**/##touch 2");
      context.WindowFocus("//divergence");
      context.Yield(4);
    });
    keep_picture(std::string("divergence-") + page.name);
    expect_whole("divergence");
    EXPECT_EQ(pixels_of("divergence").brightness() < 128, page.dark);
    stop();
  }
}

}  // namespace
}  // namespace warplens::app
