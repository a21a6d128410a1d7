#include "app/files/file_choice.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "files/temporary_folder.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;
using Kind = FileChoice::Kind;
using What = PathFound::What;

class Choice : public ::testing::Test {
 protected:
  void open() { start(Kind::open, {}); }
  void save(const std::string& name) { start(Kind::save, name); }
  void start(Kind kind, const std::string& name) {
    choice_.start(kind, ".wlr", here_.path(), name);
    wait();
  }
  void wait() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!choice_.waiting_for().empty() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      choice_.poll();
    }
    EXPECT_EQ(choice_.waiting_for(), "");
  }
  /// Types it and presses Enter.
  void enter(const std::string& typed) {
    choice_.type(typed);
    accept();
  }
  void accept() {
    choice_.accept();
    wait();
  }
  void go_up() {
    choice_.go_up();
    wait();
  }
  Names shown() const {
    Names names;
    for (std::size_t row = 0; row < choice_.folder().rows(); ++row)
      names.push_back(choice_.folder().row(row).name);
    return names;
  }
  std::size_t row_of(const std::string& name) const {
    const Names names = shown();
    const auto found = std::ranges::find(names, name);
    EXPECT_NE(found, names.end()) << name;
    return static_cast<std::size_t>(found - names.begin());
  }
  std::string error() const { return choice_.error() ? choice_.error()->what : ""; }
  fs::path at() const { return choice_.folder().path(); }
  void expect_chosen(const fs::path& path) {
    EXPECT_EQ(choice_.take_chosen(), path);
    EXPECT_EQ(error(), "");
  }

  TemporaryFolder here_;
  FileChoice choice_{[] {}};
};

TEST_F(Choice, AFileThroughFoldersByKeys) {
  here_.folder("a/b");
  here_.file("a/b/x.wlr");
  here_.file("a/other.txt");
  open();
  EXPECT_EQ(shown(), Names{"a"});
  choice_.move(1);
  accept();
  EXPECT_EQ(at(), here_.path() / "a");
  EXPECT_EQ(shown(), Names{"b"}) << "the other is no recording";
  accept();
  EXPECT_EQ(at(), here_.path() / "a") << "nothing is selected, nothing was typed";
  enter("b");
  EXPECT_EQ(at(), here_.path() / "a" / "b");
  EXPECT_EQ(choice_.typed(), "");
  choice_.move(1);
  accept();
  expect_chosen(here_.path() / "a" / "b" / "x.wlr");
}

TEST_F(Choice, TheFolderAboveHasTheOneLeftSelected) {
  here_.folder("a/b");
  open();
  choice_.go(here_.path() / "a" / "b");
  wait();
  go_up();
  EXPECT_EQ(at(), here_.path() / "a");
  ASSERT_TRUE(choice_.folder().selected());
  EXPECT_EQ(choice_.folder().row(*choice_.folder().selected()).name, "b");
  for (int i = 0; i < 20; ++i) go_up();
  EXPECT_EQ(at(), "/");
  EXPECT_EQ(error(), "");
}

TEST_F(Choice, WhatIsTypedFindsTheBestNameButANameItselfGoesFirst) {
  here_.file("tiled-16.wlr");
  here_.file("tiled.wlr.wlr");
  here_.file("tiled.txt");
  here_.file(".kept.wlr");
  open();
  enter("16");
  expect_chosen(here_.path() / "tiled-16.wlr");
  enter("tiled.txt");
  expect_chosen(here_.path() / "tiled.txt");
  enter(".kept.wlr");
  expect_chosen(here_.path() / ".kept.wlr");
  choice_.type("16");
  choice_.accept(here_.path() / "gone.wlr");
  wait();
  EXPECT_EQ(error(), "there is no such file") << "one that was not typed: nothing else is taken for it";
  enter("nothing");
  EXPECT_EQ(error(), "there is no such file");
  EXPECT_EQ(choice_.typed(), "nothing") << "stays";
  EXPECT_FALSE(choice_.take_chosen());
  choice_.type("nothin");
  EXPECT_EQ(error(), "") << "it is of what was typed before";
}

TEST_F(Choice, PathsAreTyped) {
  const fs::path file = here_.folder("a b") / "x.wlr";
  here_.file("a b/x.wlr");
  open();
  enter(file.string());
  expect_chosen(file);
  enter("a b/x.wlr");
  expect_chosen(file);
  enter("a b/../a b/./x.wlr");
  expect_chosen(file);
  enter("a b/");
  EXPECT_EQ(at(), here_.path() / "a b");
  enter("..");
  EXPECT_EQ(at(), here_.path());
  enter("a b/missing/");
  EXPECT_EQ(error(), "there is no such folder");
  EXPECT_EQ(at(), here_.path());
  EXPECT_EQ(choice_.typed(), "a b/missing/");
  enter("~");
  EXPECT_EQ(at(), home_folder());
}

TEST_F(Choice, TabCompletesAndGoesIntoFolders) {
  here_.folder("sub");
  here_.file("sub/tiled16.wlr");
  here_.file("sub/tiled32.wlr");
  open();
  choice_.type("s");
  choice_.complete();
  EXPECT_EQ(choice_.typed(), "sub/");
  choice_.type("sub/ti");
  choice_.complete();
  wait();
  choice_.complete();
  EXPECT_EQ(at(), here_.path() / "sub");
  EXPECT_EQ(choice_.typed(), "tiled");
  EXPECT_EQ(shown(), (Names{"tiled16.wlr", "tiled32.wlr"}));
  choice_.type("tiled3");
  choice_.complete();
  EXPECT_EQ(choice_.typed(), "tiled32.wlr");
  choice_.type("missing/x");
  choice_.complete();
  wait();
  EXPECT_EQ(choice_.typed(), "missing/x");
  EXPECT_EQ(error(), "there is no such folder");
}

TEST_F(Choice, OddNamesAreOpened) {
  for (const std::string name :
       {"bad\xff\xfe.wlr", "hash##id###x.wlr", "100%s%n.wlr", "new\nline.wlr", "~.wlr"}) {
    const fs::path file = here_.file(name);
    open();
    choice_.select(row_of(name));
    accept();
    expect_chosen(file);
    save("other");
    choice_.select(row_of(name));
    accept();
    EXPECT_EQ(choice_.replaced(), file);
    fs::remove(file);
  }
}

TEST_F(Choice, AProposedNameIsSavedUnderAsItIs) {
  save("tiled.wlr");
  EXPECT_EQ(choice_.typed(), "tiled.wlr");
  accept();
  expect_chosen(here_.path() / "tiled.wlr");
  save("new\nline.wlr");
  EXPECT_EQ(choice_.typed(), "new\\nline.wlr");
  accept();
  expect_chosen(here_.path() / "new\nline.wlr");
  enter("plain");
  expect_chosen(here_.path() / "plain.wlr");
}

TEST_F(Choice, WhatExistsIsAskedAbout) {
  const fs::path file = here_.file("kept.wlr");
  save("kept.wlr");
  accept();
  EXPECT_EQ(choice_.replaced(), file);
  EXPECT_FALSE(choice_.take_chosen());
  choice_.replace(false);
  EXPECT_FALSE(choice_.replaced());
  EXPECT_EQ(choice_.typed(), "kept.wlr");
  enter("kept");
  EXPECT_EQ(choice_.replaced(), file) << "it is the name with the extension that counts";
  choice_.replace(true);
  expect_chosen(file);
}

TEST_F(Choice, TheNameIsKeptInOtherFolders) {
  here_.folder("sub");
  here_.file("sub/there.wlr");
  save("tiled.wlr");
  choice_.accept(row_of("sub"));
  wait();
  EXPECT_EQ(choice_.typed(), "tiled.wlr");
  choice_.select(row_of("there.wlr"));
  EXPECT_EQ(choice_.typed(), "there.wlr");
  choice_.type("mine");
  go_up();
  EXPECT_EQ(choice_.typed(), "mine");
  enter("sub");
  EXPECT_EQ(at(), here_.path() / "sub");
  EXPECT_EQ(choice_.typed(), "there.wlr") << "no name leads into a folder: the last one that was picked";
}

TEST_F(Choice, AFolderIsMade) {
  save("tiled.wlr");
  choice_.make("new");
  wait();
  EXPECT_EQ(at(), here_.path() / "new");
  EXPECT_TRUE(fs::is_directory(here_.path() / "new"));
  EXPECT_EQ(choice_.typed(), "tiled.wlr");
  go_up();
  choice_.make("new");
  wait();
  EXPECT_EQ(error(), "there is something of that name already");
  EXPECT_EQ(at(), here_.path());
  choice_.make(std::string(300, 'x'));
  wait();
  EXPECT_EQ(error(), "the folder cannot be made: File name too long");
}

TEST_F(Choice, ObstacleIsNamed) {
  here_.file("file");
  here_.folder("sub.wlr");
  save("tiled.wlr");
  enter("missing/x");
  EXPECT_EQ(error(), "there is no such folder");
  EXPECT_EQ(choice_.error()->where, (here_.path() / "missing").string());
  EXPECT_EQ(choice_.typed(), "missing/x");
  enter("file/x");
  EXPECT_EQ(error(), "this is not a folder");
  enter("sub");
  EXPECT_EQ(error(), "there is something of that name already");
  enter(std::string(300, 'x'));
  EXPECT_EQ(error(), "the file system does not say what is there: File name too long");
  ASSERT_EQ(::mkfifo((here_.path() / "pipe.wlr").c_str(), 0600), 0);
  enter("pipe");
  EXPECT_EQ(error(), "this is neither a file nor a folder");
  open();
  enter("pipe.wlr");
  EXPECT_EQ(error(), "this is neither a file nor a folder");
  EXPECT_FALSE(choice_.take_chosen());
}

TEST_F(Choice, AFileThatVanishedIsSaid) {
  const fs::path file = here_.file("x.wlr");
  open();
  fs::remove(file);
  choice_.move(1);
  accept();
  EXPECT_EQ(error(), "there is no such file");
  EXPECT_EQ(shown(), Names{"x.wlr"});
}

TEST_F(Choice, BeginsInTheNextFolderThatThereIs) {
  choice_.start(Kind::open, ".wlr", here_.path() / "gone" / "too", {});
  wait();
  EXPECT_EQ(at(), here_.path());
  EXPECT_EQ(error(), "");
  choice_.start(Kind::open, ".wlr", {}, {});
  wait();
  EXPECT_EQ(at(), fs::current_path());
}

TEST_F(Choice, WhatMayNotBeReadOrWrittenIsSaid) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may";
  const fs::path locked = here_.folder("locked"), file = here_.file("unreadable.wlr");
  fs::permissions(locked, fs::perms::none);
  fs::permissions(file, fs::perms::none);
  open();
  enter("locked");
  EXPECT_EQ(error(), "the folder may not be read");
  EXPECT_EQ(at(), here_.path());
  EXPECT_EQ(choice_.typed(), "locked");
  enter("unreadable.wlr");
  EXPECT_EQ(error(), "the file may not be read");
  fs::permissions(locked, fs::perms::owner_read | fs::perms::owner_exec);
  save("x.wlr");
  enter("locked/x");
  EXPECT_EQ(error(), "nothing may be written there");
  choice_.make("locked/sub");
  wait();
  EXPECT_EQ(error(), "nothing may be written there");
  fs::permissions(locked, fs::perms::owner_all);
}

TEST(FindingInWords, SaysWhatWhereAndWhatToDo) {
  for (const What what : {What::no_file, What::no_folder, What::not_a_folder, What::name_taken, What::neither,
                          What::unreadable, What::unwritable, What::cannot_make, What::unknown}) {
    const Error error = in_words({what, "/some/where", std::make_error_code(std::errc::io_error)});
    EXPECT_FALSE(error.what.empty());
    EXPECT_EQ(error.where, "/some/where");
    EXPECT_FALSE(error.hint.empty());
  }
}

}  // namespace
}  // namespace warplens::app
