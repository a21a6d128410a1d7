// What is on screen is what the launch row says: what is chosen or typed there is recorded by itself, and
// until it is, pictures say what they are of.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/session/navigation.h"
#include "app/views/launch_account.h"
#include "gui/drawn_text.h"
#include "gui/harness.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

class LaunchRow : public GuiTest {
 protected:
  void type_into(const char* field, const char* text) {
    drive([&](ImGuiTestContext& context) {
      context.ItemClick((std::string("//Warplens/Launch/") + field + "/##value").c_str());
      context.KeyCharsReplace(text);
    });
  }
  [[nodiscard]] std::int64_t size(const char* name) { return *app().menus().launch.value(name); }
};

TEST_F(LaunchRow, AKernelIsRecordedWhenItIsChosen) {
  start();
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/kernel/##value");
    context.ItemClick("//$FOCUSED/volkov_padded");
  });
  settle();
  EXPECT_EQ(recording().kernel, "volkov_padded");
  EXPECT_TRUE(app().row_is_shown());
  EXPECT_TRUE(shows("verified"));
}

TEST_F(LaunchRow, WhatIsTypedIsRecordedAfterAPauseWithoutAnyKey) {
  start();
  type_into("size", "128");
  EXPECT_EQ(size("m"), 128);
  EXPECT_TRUE(app().record_due());
  settle();
  EXPECT_EQ(recording().m, 128u);
}

TEST_F(LaunchRow, UntilItIsRecordedPicturesSayWhatTheyAreOf) {
  start();
  EXPECT_TRUE(shows("verified: C equals"));
  app().menus().launch.set("p", 512);
  draw(2);
  EXPECT_FALSE(app().row_is_shown());
  EXPECT_TRUE(shows("Of tiled · m 256 · p 256 · n 256 · T 32"));
  EXPECT_FALSE(shows("verified: C equals"));
  settle();
  EXPECT_EQ(recording().p, 512u);
  EXPECT_FALSE(shows("Of tiled"));
  EXPECT_TRUE(shows("verified: C equals"));
}

TEST_F(LaunchRow, WhatCannotBeRecordedIsSaidThereAndNothingIsLost) {
  start();
  const auto before = app().loaded()->recording;
  app().menus().blocks = BlocksMenu::chosen;
  app().menus().chosen_blocks = "99,0";
  settle();
  EXPECT_EQ(app().loaded()->recording, before);
  EXPECT_TRUE(app().messages().all().empty()) << "no dialogue for what nobody asked for";
  EXPECT_TRUE(shows("not recorded"));
  EXPECT_TRUE(shows("Of tiled · m 256"));
  EXPECT_FALSE(shows("verified: C equals"));
  keep_picture("not-recorded");
  command("launch.record");
  settle();
  EXPECT_EQ(app().messages().all().size(), 1u) << "it was asked for";
}

TEST_F(LaunchRow, OneBlockIsDrawnWhereAllMakeTooManyAccesses) {
  start();
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 1024);
  settle();
  EXPECT_EQ(recording().m, 1024u);
  EXPECT_EQ(recording().blocks_counted, 1024u);
  EXPECT_EQ(recording().event_blocks, (std::vector<Dim3>{{16, 16, 0}}));
  EXPECT_EQ(app().menus().blocks, BlocksMenu::all_draw_one);
  EXPECT_TRUE(app().row_is_shown());
  EXPECT_NE(app().notice().text().find("All blocks"), std::string::npos);
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(LaunchRow, AllAreDrawnAgainWhereTheyMakeFewEnough) {
  start();
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 1024);
  settle();
  command("go.next_block");
  settle();
  EXPECT_EQ(recording().event_blocks, (std::vector<Dim3>{{17, 16, 0}}));
  EXPECT_EQ(app().menus().blocks, BlocksMenu::all_draw_one);
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 128);
  settle();
  EXPECT_EQ(app().menus().blocks, BlocksMenu::all) << "as was chosen at first";
  EXPECT_EQ(recording().event_blocks.size(), 16u);

  app().menus().blocks = BlocksMenu::all_draw_one;
  settle();
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 64);
  settle();
  EXPECT_EQ(app().menus().blocks, BlocksMenu::all_draw_one) << "as was chosen now";
  EXPECT_EQ(recording().event_blocks.size(), 1u);
}

TEST_F(LaunchRow, ALargeResultIsVerifiedBehindItsPicture) {
  show_before_verified();
  start();
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 4096);
  await([this] { return app().row_is_shown() && recording().m == 4096; });
  const std::shared_ptr<const Recording> shown = app().loaded()->recording;
  EXPECT_EQ(app().menus().blocks, BlocksMenu::all_draw_one);
  EXPECT_NE(app().notice().text().find("All blocks"), std::string::npos);
  if (app().loaded()->verifying == Verifying::going_on) {
    EXPECT_TRUE(shows("Verifying "));
  }
  settle();
  EXPECT_EQ(app().loaded()->recording, shown);
  EXPECT_EQ(app().loaded()->verified, true);
  EXPECT_TRUE(shows("of 16,384 blocks: there C equals the reference"));
  EXPECT_TRUE(app().messages().all().empty());
  for (int i = 0; i < 5; ++i) {  // Each given up for the next
    command("go.next_block");
    draw(2);
  }
  settle();
  EXPECT_TRUE(app().row_is_shown());
  EXPECT_EQ(app().loaded()->verified, true);
  EXPECT_EQ(app().menus().blocks, BlocksMenu::all_draw_one);
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(LaunchRow, HowFarVerificationIsIsSaid) {
  start();
  const auto verdict = [&](Verifying verifying, std::optional<bool> verified) {
    return account_of(*with_verdict(*app().loaded(), verifying, verified), picture::dark_palette())
        .forms.front()
        .verdict;
  };
  EXPECT_EQ(verdict(Verifying::going_on, std::nullopt), "being verified");
  EXPECT_EQ(verdict(Verifying::given_up, std::nullopt), "not verified: cancelled");
  EXPECT_EQ(verdict(Verifying::done, std::nullopt), "no reference to compare with");
  EXPECT_EQ(verdict(Verifying::done, false), "wrong: C differs from the reference");
  EXPECT_EQ(verdict(Verifying::done, true), "verified: C equals the reference");
}

TEST_F(LaunchRow, WhatMachineCodeExecutesIsAddedToTheFirstPicture) {
  start();
  app().menus().launch = launch_of_kernel("buffered_row", {{"m", 4096}, {"p", 4096}, {"n", 4096}});
  app().menus().launch.cc = {9, 0};
  await([this] { return app().row_is_shown() && recording().kernel == "buffered_row"; });
  const std::shared_ptr<const Recording> first = app().loaded()->recording;
  await([this] { return app().loaded()->compiled.has_counts(); });
  EXPECT_EQ(app().loaded()->recording, first);
  command("go.next_block");
  await([&] { return app().loaded()->recording != first; });
  EXPECT_TRUE(app().loaded()->compiled.has_counts()) << "they are of all blocks";
}

TEST_F(LaunchRow, EveryBlockIsVerifiedOnDemand) {
  start();
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 1024);
  settle();
  EXPECT_GT(recording().blocks_extrapolated, 0u);
  EXPECT_TRUE(shows("of 1,024 blocks: there C equals the reference"));
  app().selection() = moved_by_steps(recording(), app().selection(), 30);
  const Selection before = app().selection();
  const std::shared_ptr<const Recording> followed = app().loaded()->recording;

  const auto& commands = app().commands();
  const auto verify = std::ranges::find(commands, "launch.verify_whole", &Command::id);
  ASSERT_NE(verify, commands.end());
  ASSERT_TRUE(verify->can_run());
  verify->run();
  EXPECT_TRUE(app().busy());
  app().cancel();
  settle();
  EXPECT_EQ(app().loaded()->recording, followed) << "cancelled";
  EXPECT_TRUE(app().row_is_shown());
  EXPECT_TRUE(app().messages().all().empty());

  verify->run();
  settle();
  EXPECT_EQ(recording().blocks_extrapolated, 0u);
  EXPECT_EQ(recording().verified, true);
  EXPECT_EQ(recording().warp_instructions, followed->warp_instructions);
  EXPECT_TRUE(shows("verified: C equals the reference"));
  EXPECT_EQ(app().selection(), before);
  EXPECT_TRUE(app().row_is_shown());
  EXPECT_FALSE(verify->can_run()) << "nothing more to verify";
}

TEST_F(LaunchRow, ElementsAreCountedOverAllBlocksOnceTheyAreLookedAt) {
  start();
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 4096);
  settle();
  EXPECT_EQ(recording().event_blocks.size(), 1u);
  EXPECT_EQ(app().loaded()->grid_counts, nullptr);
  app().panels().show("heat");
  await([this] { return app().loaded()->grid_counts != nullptr; });
  EXPECT_TRUE(shows("All 16,384 blocks together read every element of A 128 times"));
  keep_picture("heat-of-the-grid");
  const auto counts = app().loaded()->grid_counts;
  app().selection().element = ElementRef{0, 17, 4000};
  draw(2);
  EXPECT_TRUE(shows("By all 16,384 blocks: read 128 times"));
  app().menus().launch.cc = {7, 0};
  settle();
  EXPECT_EQ(app().loaded()->grid_counts, counts) << "whatever the rules";
  command("go.next_block");
  settle();
  EXPECT_EQ(app().loaded()->grid_counts, counts) << "whichever block is drawn";
}

TEST_F(LaunchRow, EveryBlockOfTheLargestMatricesIsWalkedToAndTheTotalsAreOfAll) {
  start();
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 16384);
  settle();
  EXPECT_EQ(recording().m, 16384u);
  EXPECT_EQ(recording().blocks_counted, 512u * 512);
  EXPECT_EQ(recording().event_blocks, (std::vector<Dim3>{{256, 256, 0}}));
  const Selection before = app().selection();
  const auto totals = recording().totals;
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_RightBracket); });
  settle();
  EXPECT_EQ(recording().event_blocks, (std::vector<Dim3>{{257, 256, 0}}));
  EXPECT_EQ(app().menus().blocks, BlocksMenu::all_draw_one);
  EXPECT_EQ(recording().totals, totals);
  EXPECT_EQ(app().selection().warp, before.warp);
  EXPECT_EQ(app().selection().phase, before.phase);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_LeftBracket); });
  settle();
  EXPECT_EQ(recording().event_blocks, (std::vector<Dim3>{{256, 256, 0}}));
}

TEST_F(LaunchRow, TheBlocksBesideTheDrawnOneAreRecordedAhead) {
  start();
  app().menus().blocks = BlocksMenu::all_draw_one;
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 4096);
  settle();
  const auto ahead = [this](Dim3 block) {
    LaunchMenus menus = app().menus();
    menus.drawn = block;
    return app().blocks_ahead().find(menus);
  };
  const Dim3 here = recording().event_blocks.front(), next{here.x + 1, here.y, 0},
             last{here.x - 1, here.y, 0};
  await([&] { return ahead(next) && ahead(last); });
  const auto wanted = ahead(next);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_RightBracket); });
  settle();
  EXPECT_EQ(app().loaded()->recording, wanted->recording);
  EXPECT_EQ(recording().event_blocks, std::vector<Dim3>{next});
  await([&] { return ahead({here.x + 2, here.y, 0}) && ahead(here); });
  EXPECT_EQ(ahead(last), nullptr);  // Forgotten
  app().menus().launch.set("pad", 1);
  settle();
  EXPECT_EQ(ahead(next), nullptr);
}

TEST_F(LaunchRow, WhatIsCancelledIsNotTriedAgainUnlessItIsAskedFor) {
  start();
  app().menus().blocks = BlocksMenu::all_draw_one;
  settle();
  app().menus().launch.whole_result = true;  // Else it takes no time
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 1536);
  await([this] { return app().busy(); });
  command("launch.cancel");
  settle();
  EXPECT_EQ(recording().m, 256u);
  EXPECT_TRUE(shows("not recorded"));
  command("launch.record");
  settle();
  EXPECT_EQ(recording().m, 1536u);
}

TEST_F(LaunchRow, AnotherChoiceTakesThePlaceOfARecordingInProgress) {
  start();
  app().menus().blocks = BlocksMenu::all_draw_one;
  settle();
  app().menus().launch.whole_result = true;  // Else it takes no time
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 2048);
  await([this] { return app().busy(); });
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 64);
  settle();
  EXPECT_EQ(recording().m, 64u);
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(LaunchRow, NumbersOutOfRangeAreRefusedWhereTheyAreTyped) {
  start();
  for (const char* text : {"100000", "-5", "0", "abc", "1e3"}) {
    SCOPED_TRACE(text);
    type_into("size", text);
    draw();
    EXPECT_TRUE(shows("1 to 16384"));
    EXPECT_TRUE(size("m") >= 1 && size("m") <= 16384);
    drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Escape); });
    settle();
    EXPECT_EQ(size("m"), 256);
    EXPECT_EQ(recording().m, 256u);
    EXPECT_FALSE(shows("1 to 16384"));
  }
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(LaunchRow, TheSameLaunchAgainMakesNoSecondPlaceToGoBackTo) {
  start();
  command("launch.record");
  settle();
  EXPECT_EQ(app().recordings().size(), 1u);
  EXPECT_FALSE(app().recordings().can_go_back());
}

TEST_F(LaunchRow, GoingBackRestoresTheWholeRowAndRecordsNothing) {
  start();
  const auto first = app().loaded();
  app().menus().blocks = BlocksMenu::centre_only;
  settle();
  app().menus().launch.set("n", 96);
  settle();
  command("go.back");
  command("go.back");
  settle();
  EXPECT_EQ(app().loaded(), first);
  EXPECT_EQ(app().menus().blocks, BlocksMenu::all);
  EXPECT_EQ(app().recordings().size(), 3u);
  command("go.forward");
  settle();
  EXPECT_EQ(app().menus().blocks, BlocksMenu::centre_only);
  EXPECT_EQ(size("n"), 256);
}

TEST_F(LaunchRow, AnOpenedFileIsSaidUntilTheNextAction) {
  start();
  const auto path = config() / "kept.wlr";
  ASSERT_TRUE(save(recording(), path));
  app().open(path);
  settle();
  EXPECT_TRUE(shows("kept.wlr: tiled · m 256 · p 256 · n 256 · T 32"));
  EXPECT_TRUE(app().row_is_shown());
}

TEST_F(LaunchRow, AnOpenedFileSaysWhichBlocksItHolds) {
  start();
  app().menus().blocks = BlocksMenu::chosen;
  app().menus().chosen_blocks = "1,2";
  settle();
  const auto path = config() / "one_block.wlr";
  ASSERT_TRUE(save(recording(), path));
  command("go.back");
  settle();
  ASSERT_EQ(app().menus().blocks, BlocksMenu::all);
  app().open(path);
  settle();
  EXPECT_EQ(app().menus().blocks, BlocksMenu::chosen);
  EXPECT_EQ(app().menus().chosen_blocks, "1,2");
  EXPECT_TRUE(app().row_is_shown());
  EXPECT_TRUE(shows("1 of 64 blocks"));
  // Of another kernel's grid these are not meant.
  command("record.volkov");
  settle();
  EXPECT_EQ(app().menus().blocks, BlocksMenu::all);
}

TEST_F(LaunchRow, WhereTheMenuBarIsShortItNamesTheOpenedFileAlone) {
  start({}, {1280, 800});
  const auto path = config() / "kept.wlr";
  ASSERT_TRUE(save(recording(), path));
  app().settings().scale = 2;
  app().open(path);
  settle();
  draw(3);
  const std::vector<DrawnText> texts = drawn_texts();
  const auto notice = std::ranges::find(texts, "Notice", &DrawnText::window);
  ASSERT_NE(notice, texts.end());
  EXPECT_EQ(notice->text, "kept.wlr");
  EXPECT_LT(notice->letters.w, 62) << "in the menu bar";
}

TEST_F(LaunchRow, ChoosingAKernelMovesNoPanel) {
  start({}, {1280, 800});
  const auto top = [this] {
    return std::ranges::find(app().panels().all(), std::string_view("banks"),
                             [](const Panel& one) { return one.view->id; })
        ->at.y;
  };
  const float before = top();
  for (const char* const kernel : {"corner_turning", "naive_uncoalesced", "register_tile"}) {
    command(std::string("record.") + kernel);
    settle();
    EXPECT_EQ(top(), before) << kernel;
    EXPECT_TRUE(shows("verified")) << kernel;
  }
}

TEST_F(LaunchRow, OpeningCancelsTheRecordingInItsWay) {
  start();
  const auto path = config() / "kept.wlr";
  ASSERT_TRUE(save(recording(), path));
  app().menus().blocks = BlocksMenu::all_draw_one;
  app().menus().launch.whole_result = true;  // Else it takes no time
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 2048);
  await([this] { return app().busy(); });
  app().open(path);
  settle();
  EXPECT_EQ(app().loaded()->path, path);
  EXPECT_TRUE(app().row_is_shown());
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(LaunchRow, AnErrorStaysForHalfASecondWhateverIsPressed) {
  start();
  app().report("Trying", {"it failed", "", "Try again."});
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiKey_Escape);
    context.KeyPress(ImGuiKey_Enter);
  });
  ASSERT_FALSE(app().messages().can_be_closed(now()));
  EXPECT_TRUE(app().messages().showing());
  pass(Messages::kLeastSeconds);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Escape); });
  EXPECT_FALSE(app().messages().showing());
}

TEST_F(LaunchRow, AnErrorThatTakesLongToDrawIsNotClosedUnseen) {
  start();
  app().report("Trying", {"it failed", "", "Try again."});
  draw();
  pass(2 * Messages::kLeastSeconds);  // Until the frame is on screen
  EXPECT_EQ(app().seconds_until_next_frame(), 0);
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Escape); });
  EXPECT_TRUE(app().messages().showing());
  close_message();
  EXPECT_FALSE(app().messages().showing());
}

TEST_F(LaunchRow, ADialogueCountsTheErrorsOfNow) {
  start();
  app().report("Trying", {"the first failed", "", "Try again."});
  draw(2);
  close_message();
  app().report("Trying", {"the second failed", "", "Try again."});
  draw(2);
  EXPECT_FALSE(shows("of 2"));
  app().report("Trying", {"the third failed", "", "Try again."});
  draw(2);
  EXPECT_TRUE(shows("2 of 2"));
}

TEST_F(LaunchRow, WithoutAGpuTheLadderAsMeasuredElsewhereStandsInThroughput) {
  start({}, {1920, 1080});
  app().panels().show("throughput");
  draw(3);
  EXPECT_TRUE(shows("An H200 at 4,096"));
  keep_picture("shipped-ladder");
}

TEST_F(LaunchRow, ThePlaceIsCopiedAsAnOptionAndPasted) {
  start();
  app().selection() = {.event_block = 3, .warp = 2, .phase = 5, .step = 1};
  const Selection there = app().selection();
  command("go.copy_place");
  EXPECT_STREQ(ImGui::GetClipboardText(), "--select block=3,0,warp=2,phase=6,step=2");
  app().selection() = {};
  command("go.paste_place");
  EXPECT_EQ(app().selection(), there);
  ImGui::SetClipboardText("block=9999,0");
  command("go.paste_place");
  EXPECT_EQ(app().selection(), there);
  EXPECT_EQ(app().messages().all().size(), 1u);
}

TEST_F(LaunchRow, PhasesAreNamedAsACourseNamesThem) {
  start();
  app().selection().phase = 10;
  draw(2);
  EXPECT_TRUE(shows("tile 6 of 8, fill"));
  app().selection().phase = 11;
  draw(2);
  EXPECT_TRUE(shows("tile 6 of 8, compute"));
}

TEST_F(LaunchRow, NamesTheBlockWalkedToAndStaysOneLineInASmallWindow) {
  start({}, {1280, 800});
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 16384);
  settle();
  EXPECT_TRUE(shows("All, draw 256,256"));
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_RightBracket); });
  settle();
  EXPECT_TRUE(shows("All, draw 257,256"));
  const auto texts = drawn_texts();
  const auto top = [&](const std::string& words) {
    const auto found =
        std::ranges::find_if(texts, [&](const DrawnText& drawn) { return drawn.text.starts_with(words); });
    return found == texts.end() ? -1.0f : found->letters.y;
  };
  ASSERT_GT(top("verified"), 0);
  EXPECT_LT(top("verified"), top("Record") + 10) << "beside the buttons, not below them";
}

}  // namespace
}  // namespace warplens::app
