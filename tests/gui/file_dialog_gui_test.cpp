// Files are chosen in the window's own dialogue, by keys and by the mouse.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "gui/harness.h"
#include "kernels/base/files.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

class FileDialogue : public GuiTest {
 protected:
  /// Recordings are opened from this folder, and saved there.
  [[nodiscard]] const fs::path& files() const { return files_; }
  void start_in_files(WindowSize size = {}) {
    files_ = config() / "files";
    fs::create_directories(files_ / "sub" / "deep");
    start({}, size);
    app().settings().add_recent(files_ / "opened before.wlr");
  }
  fs::path record_to(const std::string& name) {
    const fs::path path = files_ / name;
    EXPECT_TRUE(save(recording(), path));
    return path;
  }
  [[nodiscard]] const FileChoice& choice() const { return app_of().file_dialog().choice(); }
  [[nodiscard]] bool shown() const { return app_of().file_dialog().active(); }
  [[nodiscard]] fs::path at() const { return choice().folder().path(); }
  [[nodiscard]] std::string error() const { return choice().error() ? choice().error()->what : ""; }
  /// Until nothing is read or looked at.
  void rest() {
    await([this] { return !shown() || choice().waiting_for().empty(); });
  }
  void open_dialogue(const char* id) {
    command(id);
    ASSERT_TRUE(shown());
    rest();
  }
  void press(ImGuiKeyChord key, int times = 1) {
    for (int i = 0; i < times; ++i) {
      drive([key](ImGuiTestContext& context) { context.KeyPress(key); });
      rest();
    }
  }
  void type(const char* words) {
    drive([words](ImGuiTestContext& context) {
      context.ItemInput("//file/##path");
      context.KeyCharsAppend(words);
    });
    rest();
  }
  void click(const std::string& item) {
    drive([&](ImGuiTestContext& context) { context.ItemClick(("//file/" + item).c_str()); });
    rest();
  }
  void click_entry(const std::string& name, bool twice) {
    const std::string item = "//file/**/" + name + "/##entry";
    drive([&](ImGuiTestContext& context) {
      if (twice) {
        context.ItemDoubleClick(item.c_str());
      } else {
        context.ItemClick(item.c_str());
      }
    });
    rest();
  }

 private:
  [[nodiscard]] const App& app_of() const { return const_cast<FileDialogue*>(this)->app(); }
  fs::path files_;
};

TEST_F(FileDialogue, ARecordingIsOpenedThroughFoldersByKeys) {
  start_in_files();
  const fs::path path = record_to("sub/deep/tiled.wlr");
  record_to("sub/deep/a.wlr");
  press(ImGuiMod_Ctrl | ImGuiKey_O);
  ASSERT_TRUE(shown());
  EXPECT_EQ(at(), files()) << "where the last one was";
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_Enter);
  EXPECT_EQ(at(), files() / "sub");
  press(ImGuiKey_Backspace);
  EXPECT_EQ(at(), files());
  press(ImGuiKey_Enter);  // The folder left is the one selected
  EXPECT_EQ(at(), files() / "sub");
  press(ImGuiMod_Alt | ImGuiKey_UpArrow, 2);
  EXPECT_EQ(at(), config());
  type("fil");
  press(ImGuiKey_Tab);
  EXPECT_EQ(choice().typed(), "files/");
  type("sub/de");
  press(ImGuiKey_Tab);
  EXPECT_EQ(at(), files() / "sub");
  EXPECT_EQ(choice().typed(), "deep/");
  press(ImGuiKey_Enter);
  EXPECT_EQ(at(), files() / "sub" / "deep");
  EXPECT_EQ(choice().folder().rows(), 2u);
  type("TIL");
  EXPECT_EQ(choice().folder().rows(), 1u);
  keep_picture("file-search");
  const Selection selection = app().selection();
  press(ImGuiKey_Enter);
  EXPECT_FALSE(shown());
  settle();
  EXPECT_EQ(app().loaded()->path, path);
  EXPECT_EQ(app().selection(), selection) << "none of the keys went elsewhere";
  EXPECT_TRUE(app().messages().all().empty());
  EXPECT_EQ(app().settings().recent.front(), path);
}

TEST_F(FileDialogue, ARecordingIsOpenedThroughFoldersByMouse) {
  start_in_files({1280, 800});
  const fs::path path = record_to("sub/deep/tiled.wlr");
  open_dialogue("file.open");
  keep_picture("file-open");
  click_entry("sub", false);
  EXPECT_EQ(at(), files());
  click_entry("sub", true);
  EXPECT_EQ(at(), files() / "sub");
  const auto depth = std::distance(files().begin(), files().end()) - 1;
  click(fmt::format("$${}/##part", depth));  // The way's part that is `files`
  EXPECT_EQ(at(), files());
  click_entry("sub", true);
  click("up");
  EXPECT_EQ(at(), files());
  click("###home");
  EXPECT_EQ(at(), home_folder());
  enter_path(files() / "sub" / "deep/");
  EXPECT_EQ(at(), files() / "sub" / "deep");
  click_entry("tiled.wlr", false);
  click("###accept");
  EXPECT_FALSE(shown());
  settle();
  EXPECT_EQ(app().loaded()->path, path);
}

TEST_F(FileDialogue, TheListIsSortedFilteredAndShowsHiddenFiles) {
  start_in_files({1280, 800});
  for (const auto& [name, size] :
       {std::pair{"b.wlr", 10}, {"a.wlr", 3000}, {"notes.txt", 2}, {".hidden.wlr", 1}}) {
    std::ofstream(files() / name) << std::string(static_cast<std::size_t>(size), 'x');
  }
  open_dialogue("file.open");
  const auto names = [this] {
    std::string all;
    for (std::size_t row = 0; row < choice().folder().rows(); ++row)
      all += choice().folder().row(row).name + ' ';
    return all;
  };
  EXPECT_EQ(names(), "sub a.wlr b.wlr ");
  EXPECT_TRUE(shows("2.9 KiB"));
  click("**/###hidden");
  EXPECT_EQ(names(), "sub .hidden.wlr a.wlr b.wlr ");
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//file/##filter");
    context.ItemClick("//$FOCUSED/###all");
  });
  EXPECT_EQ(names(), "sub .hidden.wlr a.wlr b.wlr notes.txt ");
  drive([](ImGuiTestContext& context) { context.ItemClick("//file/**/###size"); });
  EXPECT_EQ(names(), "sub .hidden.wlr notes.txt b.wlr a.wlr ");
  drive([](ImGuiTestContext& context) { context.ItemClick("//file/**/###size"); });
  EXPECT_EQ(names(), "sub a.wlr b.wlr notes.txt .hidden.wlr ");
  keep_picture("file-all");
  press(ImGuiKey_Escape);
  open_dialogue("file.open");
  EXPECT_EQ(names(), "sub a.wlr b.wlr .hidden.wlr ") << "as it was looked at, but recordings alone";
}

TEST_F(FileDialogue, WhatIsReplacedIsAskedAbout) {
  start_in_files();
  const fs::path path = files() / "kept.wlr";
  std::ofstream(path) << "mine";
  open_dialogue("file.save");
  EXPECT_EQ(choice().typed(), "tiled.wlr");
  keep_picture("file-save");
  click_entry("kept.wlr", false);
  EXPECT_EQ(choice().typed(), "kept.wlr");
  click("###accept");
  ASSERT_TRUE(choice().replaced());
  keep_picture("file-replace");
  press(ImGuiKey_Escape);
  EXPECT_FALSE(choice().replaced());
  ASSERT_TRUE(shown());
  EXPECT_EQ(choice().typed(), "kept.wlr");
  EXPECT_EQ(fs::file_size(path), 4u);
  click_entry("kept.wlr", true);
  drive([](ImGuiTestContext& context) { context.ItemClick("//replace/###replace"); });
  rest();
  EXPECT_FALSE(shown());
  settle();
  const auto saved = load(path);
  ASSERT_TRUE(saved) << saved.error().message();
  EXPECT_EQ(saved->events, recording().events);
}

TEST_F(FileDialogue, AFolderIsMadeToSaveIn) {
  start_in_files();
  open_dialogue("file.save");
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//file/###make");
    context.KeyChars("sub");
    context.KeyPress(ImGuiKey_Enter);
  });
  rest();
  EXPECT_EQ(error(), "there is something of that name already");
  drive([](ImGuiTestContext& context) {  // All at once: when a test of the engine ends, its menus are closed
    context.ItemClick("//file/###make");
    context.Yield(2);
    IM_CHECK(context.ItemExists("//$FOCUSED/###make_it"));
    context.KeyPress(ImGuiKey_Escape);
    context.Yield(2);
    IM_CHECK(!context.ItemExists("//$FOCUSED/###make_it"));
  });
  EXPECT_TRUE(shown()) << "Escape closes what it was asked in alone";
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//file/###make");
    context.KeyChars("new");
    context.ItemClick("//$FOCUSED/###make_it");
  });
  rest();
  EXPECT_EQ(at(), files() / "new");
  EXPECT_EQ(error(), "");
  press(ImGuiKey_Enter);
  EXPECT_FALSE(shown());
  settle();
  EXPECT_TRUE(load(files() / "new" / "tiled.wlr"));
  open_dialogue("file.save");
  EXPECT_EQ(at(), files() / "new") << "where it was saved last";
}

TEST_F(FileDialogue, PathsAreTyped) {
  start_in_files();
  const fs::path path = record_to("sub/tiled.wlr");
  const auto before = app().loaded()->recording;
  for (const std::string& typed :
       {path.string(), std::string("sub/tiled.wlr"), std::string("sub/../sub/tiled.wlr")}) {
    open_dialogue("file.open");
    enter_path(typed);
    EXPECT_FALSE(shown()) << typed << ": " << error();
    settle();
    EXPECT_EQ(app().loaded()->path, path);
    app().settings().recent = {files() / "x.wlr"};
  }
  EXPECT_NE(app().loaded()->recording, before);
}

TEST_F(FileDialogue, IsCancelledAndNothingHappens) {
  start_in_files();
  const auto before = app().loaded()->recording;
  record_to("a.wlr");
  open_dialogue("file.open");
  press(ImGuiKey_DownArrow, 2);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(shown());
  open_dialogue("file.open");
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//file/##filter");
    context.Yield(2);
    context.KeyPress(ImGuiKey_Escape);
  });
  EXPECT_TRUE(shown()) << "the menu alone";
  click("###cancel");
  EXPECT_FALSE(shown());
  open_dialogue("file.save");
  press(ImGuiKey_Escape);
  EXPECT_FALSE(shown());
  settle();
  EXPECT_EQ(app().loaded()->recording, before);
  EXPECT_FALSE(fs::exists(files() / "tiled.wlr"));
  press(ImGuiKey_F1);
  EXPECT_TRUE(app().keys_shown()) << "the keys are the window's again";
}

TEST_F(FileDialogue, SaysWhatCannotBeAndLosesNothing) {
  start_in_files({1280, 800});
  record_to("vanishing.wlr");
  open_dialogue("file.open");
  fs::remove(files() / "vanishing.wlr");
  click("**/###hidden");
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_DownArrow); });
  EXPECT_EQ(choice().folder().selected(), 0u) << "the field has the keys again after a click";
  click_entry("vanishing.wlr", true);
  EXPECT_EQ(error(), "there is no such file");
  keep_picture("file-error");
  EXPECT_TRUE(shows("Check the name, or choose a file in the list"));
  EXPECT_GT(expect_uncut("file"), 100u);
  type("missing/");
  press(ImGuiKey_Enter);
  EXPECT_EQ(error(), "there is no such folder");
  EXPECT_EQ(choice().typed(), "missing/");
  EXPECT_EQ(at(), files());
  press(ImGuiKey_Escape);
  open_dialogue("file.save");
  enter_path("missing/a.wlr");
  EXPECT_EQ(error(), "there is no such folder");
  EXPECT_EQ(choice().typed(), "missing/a.wlr");
  EXPECT_TRUE(shown());
}

TEST_F(FileDialogue, WhatWasOpenedBeforeIsOffered) {
  start_in_files({1280, 800});
  const fs::path path = record_to("sub/once.wlr");
  app().settings().add_recent(path);
  app().settings().add_recent(files() / "gone\n##.wlr");
  open_dialogue("file.open");
  EXPECT_TRUE(shows("once.wlr"));
  click("**/##recent 1");
  EXPECT_EQ(error(), "there is no such file");
  click("**/##recent 2");
  settle();
  EXPECT_EQ(app().loaded()->path, path);
  app().settings().add_recent(config() / "x.wlr");
  open_dialogue("file.save");
  EXPECT_EQ(at(), files() / "sub");
  click("**/##recent 1");
  EXPECT_EQ(at(), config());
  stop();

  start({}, {640, 400});  // No room beside the list
  app().settings().recent = {path};
  open_dialogue("file.open");
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//file/###recent_menu");
    context.ItemClick("//$FOCUSED/##recent 1");
  });
  settle();
  EXPECT_EQ(app().loaded()->path, path);
}

TEST_F(FileDialogue, OddNamesAreShownAsEscapesAndOpened) {
  start_in_files();
  const char* const names[] = {"bad\xff\xfe.wlr", "hash##id###x.wlr", "100%s%n.wlr", "new\nline.wlr"};
  for (const char* name : names) record_to(name);
  open_dialogue("file.open");
  EXPECT_EQ(choice().folder().rows(), 5u);
  keep_picture("file-odd-names");
  EXPECT_TRUE(shows("new\\nline.wlr") && shows("hash##id###x.wlr") && shows("100%s%n.wlr"));
  for (const char* name : names) {
    if (!shown()) open_dialogue("file.open");
    while (!choice().folder().selected() || choice().folder().row(*choice().folder().selected()).name != name)
      press(ImGuiKey_DownArrow);
    press(ImGuiKey_Enter);
    settle();
    EXPECT_EQ(app().loaded()->path, files() / name);
  }
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(FileDialogue, AMessageGoesFirst) {
  start_in_files();
  open_dialogue("file.save");
  drive([](ImGuiTestContext& context) { context.KeyChars("half"); });
  app().report("Something", {"happened", "somewhere", "meanwhile"});
  draw(5);
  EXPECT_TRUE(app().messages().showing());
  close_message();
  draw(5);
  EXPECT_FALSE(app().messages().showing());
  EXPECT_TRUE(shown());
  EXPECT_EQ(choice().typed(), "half");
  press(ImGuiKey_Enter);
  settle();
  EXPECT_TRUE(fs::exists(files() / "half.wlr"));
}

TEST_F(FileDialogue, AFolderOfAHundredThousandFilesIsUsable) {
  constexpr int kFiles = 100'000;
  start_in_files({1280, 800});
  for (int i = 0; i < kFiles; ++i) std::ofstream(files() / fmt::format("{:06}.wlr", i));
  command("file.open");
  for (int i = 0; i < 10'000 && !choice().waiting_for().empty(); ++i) draw(1);
  draw(3);
  EXPECT_EQ(choice().folder().rows(), static_cast<std::size_t>(kFiles) + 1);
  press(ImGuiKey_PageDown, 3);
  EXPECT_EQ(choice().folder().selected(), 29u);
  draw(3);
  type("99999");
  EXPECT_EQ(choice().folder().rows(), 1u);
  press(ImGuiKey_Backspace, 5);
  draw(3);
  press(ImGuiKey_UpArrow);
  EXPECT_EQ(choice().folder().selected(), static_cast<std::size_t>(kFiles));
  draw(3);
  EXPECT_TRUE(shows("099999.wlr")) << "the selection is in sight";
}

TEST_F(FileDialogue, DrawsNothingWhileNothingChanges) {
  start_in_files();
  app().meter().switch_on(false);
  app().save_state();
  open_dialogue("file.open");
  await_rest();
}

TEST_F(FileDialogue, FitsEverySizeScaleAndTheme) {
  for (const WindowSize size : {WindowSize{640, 400}, WindowSize{1280, 800}}) {
    start_in_files(size);
    for (int i = 0; i < 30; ++i)
      std::ofstream(files() / fmt::format("recording of a long name, number {:02}.wlr", i))
          << std::string(1000, 'x');
    bool dark = false;
    for (const float scale : {0.75f, 1.0f, 1.5f, 2.0f, 3.0f}) {
      app().settings().scale = scale;
      for (const char* id : {"file.open", "file.save", "export.banks.svg"}) {
        SCOPED_TRACE(fmt::format("{} x {} at {} {}", size.width, size.height, scale, id));
        app().settings().dark = dark = !dark;
        draw(3);
        open_dialogue(id);
        EXPECT_GT(expect_uncut("file"), 25u);
        keep_picture(fmt::format("{}-{}-{}-{}", id, size.width, scale, dark ? "dark" : "light"));
        drive([](ImGuiTestContext& context) {
          for (const char* item : {"//file/##path", "//file/###accept", "//file/###cancel"}) {
            context.ScrollToItemY(item);
            IM_CHECK(context.ItemExists(item));
          }
          context.ItemClick("//file/###cancel");
        });
        EXPECT_FALSE(shown());
      }
    }
    stop();
  }
}

TEST_F(FileDialogue, WhereItScrollsTheMouseChoosesToo) {
  start_in_files({640, 400});
  app().settings().scale = 3;
  const fs::path path = record_to("sub/tiled.wlr");
  open_dialogue("file.open");
  click_entry("sub", true);
  EXPECT_EQ(at(), files() / "sub");
  click_entry("tiled.wlr", false);
  click("###accept");
  settle();
  EXPECT_EQ(app().loaded()->path, path);
}

}  // namespace
}  // namespace warplens::app
