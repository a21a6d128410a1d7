#include "app/files/folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "files/temporary_folder.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;
using Column = Folder::Column;

Names shown(const Folder& folder) {
  Names names;
  for (std::size_t row = 0; row < folder.rows(); ++row) names.push_back(folder.row(row).name);
  return names;
}

std::string selected(const Folder& folder) {
  return folder.selected() ? folder.row(*folder.selected()).name : "";
}

FolderEntry file(std::string name, std::uint64_t size = 0, std::int64_t changed = 0) {
  FolderEntry entry = make_entry(std::move(name), false);
  entry.size = size;
  entry.changed = changed;
  return entry;
}

Folder folder_of(std::vector<FolderEntry> entries) {
  Folder folder;
  folder.enter("/somewhere");
  folder.add(std::move(entries));
  return folder;
}

std::vector<FolderSlice> read(const fs::path& path, bool or_above = false) {
  DetachedWork<FolderSlice> work([] {});
  work.start([=](const auto& post) { read_folder(path, or_above, post); });
  work.wait(std::chrono::seconds(60));
  auto slices = work.take();
  EXPECT_FALSE(work.running());
  return slices;
}

TEST(Folder, FoldersGoFirstAndNamesWithoutRegardToCase) {
  const Folder folder = folder_of(
      {file("b.wlr"), file("A.wlr"), make_entry("zoo", true), file("C.wlr"), make_entry("Ark", true)});
  EXPECT_EQ(shown(folder), (Names{"Ark", "zoo", "A.wlr", "b.wlr", "C.wlr"}));
}

TEST(Folder, IsSortedByAnyColumnEitherWay) {
  Folder folder = folder_of({file("b", 30, 1), file("a", 30, 3), file("c", 10, 2), make_entry("f", true),
                             make_entry("e", true), make_entry("link", false)});
  folder.sort_by(Column::name, true);
  EXPECT_EQ(shown(folder), (Names{"f", "e", "link", "c", "b", "a"}));
  folder.sort_by(Column::size, false);
  EXPECT_EQ(shown(folder), (Names{"e", "f", "link", "c", "a", "b"})) << "what has no size has the least";
  folder.sort_by(Column::size, true);
  EXPECT_EQ(shown(folder), (Names{"e", "f", "a", "b", "c", "link"}));
  folder.sort_by(Column::changed, true);
  EXPECT_EQ(shown(folder), (Names{"e", "f", "a", "c", "b", "link"}));
  folder.add({file("d", 20, 9)});
  EXPECT_EQ(shown(folder), (Names{"e", "f", "d", "a", "c", "b", "link"})) << "what comes later too";
}

TEST(Folder, OneKindOfFileOrAll) {
  Folder folder =
      folder_of({file("a.wlr"), file("B.WLR"), file("c.ptx"), file("wlr"), make_entry("d", true)});
  folder.show_only(".wlr");
  EXPECT_EQ(shown(folder), (Names{"d", "a.wlr", "B.WLR"}));
  folder.show_only("");
  EXPECT_EQ(folder.rows(), 5u);
}

TEST(Folder, HiddenNamesAreShownWhenAskedFor) {
  Folder folder = folder_of({file(".hidden"), file("seen"), make_entry(".cache", true)});
  EXPECT_EQ(shown(folder), (Names{"seen"}));
  folder.search(".h");
  EXPECT_EQ(shown(folder), (Names{".hidden"})) << "typed";
  folder.search("");
  folder.show_hidden(true);
  EXPECT_EQ(shown(folder), (Names{".cache", ".hidden", "seen"}));
}

TEST(Folder, WhatIsSearchedNarrowsItAndSelectsTheBest) {
  Folder folder =
      folder_of({file("naive.wlr"), file("a tile.wlr"), file("Tiled.wlr"), make_entry("tiles", true)});
  folder.search("TILE");
  EXPECT_EQ(shown(folder), (Names{"tiles", "a tile.wlr", "Tiled.wlr"}));
  EXPECT_EQ(selected(folder), "tiles");
  EXPECT_FALSE(folder.selected_by_hand());
  folder.search("tiled");
  EXPECT_EQ(selected(folder), "Tiled.wlr") << "what begins so, before what holds it";
  folder.search(" t");
  EXPECT_EQ(selected(folder), "a tile.wlr");
  folder.search("nothing");
  EXPECT_EQ(folder.rows(), 0u);
  EXPECT_EQ(folder.selected(), std::nullopt);
  folder.add({file("nothing new")});
  EXPECT_EQ(selected(folder), "nothing new") << "what comes later too";
  folder.search("");
  EXPECT_EQ(folder.selected(), std::nullopt);
}

TEST(Folder, TheSelectionMovesAndStaysWithItsName) {
  Folder folder = folder_of({file("b"), file("c"), file("d")});
  folder.move(1);
  EXPECT_EQ(selected(folder), "b");
  EXPECT_TRUE(folder.selected_by_hand());
  folder.move(10);
  EXPECT_EQ(selected(folder), "d");
  folder.move(-1);
  EXPECT_EQ(selected(folder), "c");
  folder.add({file("a"), make_entry("z", true)});
  EXPECT_EQ(selected(folder), "c");
  folder.sort_by(Column::name, true);
  EXPECT_EQ(selected(folder), "c");
  folder.select("later");
  EXPECT_EQ(folder.selected(), std::nullopt);
  folder.add({file("later")});
  EXPECT_EQ(selected(folder), "later");
  folder.select_none();
  folder.move(-1);
  EXPECT_EQ(selected(folder), "a") << "the last one, from nothing";
  folder.enter("/elsewhere");
  folder.move(1);
  EXPECT_EQ(folder.selected(), std::nullopt);
}

TEST(Folder, CompletesWhatIsTyped) {
  Folder folder = folder_of({file("tiled16.wlr"), file("tiled32.wlr"), file("Naive.wlr"),
                             make_entry("sub", true), make_entry("super", true), file("z\xc3\xa9.a"),
                             file("z\xc3\xa8.b"), file("bad\xff"), file("new\nline")});
  EXPECT_EQ(folder.completed("t"), "tiled");
  EXPECT_EQ(folder.completed("tiled1"), "tiled16.wlr");
  EXPECT_EQ(folder.completed("n"), "Naive.wlr");
  EXPECT_EQ(folder.completed("su"), "su");
  EXPECT_EQ(folder.completed("sub"), "sub/");
  EXPECT_EQ(folder.completed("z"), "z") << "no half of a character";
  EXPECT_EQ(folder.completed("ba"), "ba") << "what nobody can type";
  EXPECT_EQ(folder.completed("ne"), "ne");
  EXPECT_EQ(folder.completed("nothing"), "nothing");
  folder.search("tiled3");
  EXPECT_EQ(folder.completed("tiled3"), "tiled32.wlr");
}

TEST(Folder, HandlesAHundredThousandEntries) {
  std::vector<FolderEntry> entries;
  for (int i = 0; i < 100'000; ++i)
    entries.push_back(
        file("recording-" + std::to_string((i * 7919) % 100'000) + ".wlr", static_cast<std::uint64_t>(i)));
  Folder folder = folder_of(std::move(entries));
  folder.sort_by(Column::size, true);
  folder.search("recording-99999");
  EXPECT_EQ(shown(folder), (Names{"recording-99999.wlr"}));
}

TEST(ReadFolder, HasNamesSizesAndDates) {
  const TemporaryFolder here;
  const Names odd{"bad\xff\xfe.wlr", "hash##id###x.wlr", "100%s%n.wlr", "new\nline.wlr",
                  "\xe2\x80\xaereversed.wlr"};
  for (const std::string& name : odd) here.file(name, "12345");
  here.folder("sub");
  fs::create_symlink(here.path() / "sub", here.path() / "link");
  fs::create_symlink("nowhere", here.path() / "broken");
  const auto slices = read(here.path());
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_FALSE(slices.front().error);
  EXPECT_EQ(slices.front().folder, here.path());
  Folder folder = folder_of(slices.front().entries);
  EXPECT_EQ(folder.rows(), odd.size() + 3);
  const auto named = [&](const std::string& name) {
    folder.select(name);
    return folder.selected() ? folder.row(*folder.selected()) : FolderEntry{};
  };
  for (const std::string& name : odd) {
    EXPECT_EQ(named(name).name, name);
    EXPECT_EQ(named(name).size, 5u);
    EXPECT_GT(named(name).changed.value_or(0), 1'700'000'000);
  }
  EXPECT_TRUE(named("sub").is_folder);
  EXPECT_FALSE(named("sub").size);
  EXPECT_TRUE(named("link").is_folder);
  EXPECT_FALSE(named("broken").is_folder);
  EXPECT_FALSE(named("broken").size);
}

TEST(ReadFolder, SaysWhyItCannot) {
  const TemporaryFolder here;
  const auto error_of = [](const fs::path& path) {
    const auto slices = read(path);
    EXPECT_EQ(slices.size(), 1u);
    EXPECT_TRUE(slices.back().error);
    const Error error = cannot_read_folder(path, slices.back().error);
    EXPECT_EQ(error.where, path.string());
    EXPECT_FALSE(error.hint.empty());
    return error.what;
  };
  EXPECT_EQ(error_of(here.path() / "missing"), "there is no such folder");
  EXPECT_EQ(error_of(here.file("file")), "this is not a folder");
  EXPECT_EQ(error_of(here.path() / std::string(300, 'x')), "the folder cannot be read: File name too long");
  const fs::path locked = here.folder("locked");
  fs::permissions(locked, fs::perms::none);
  if (read(locked).back().error) {  // Not for root, who may
    EXPECT_EQ(error_of(locked), "the folder may not be read");
  }
  fs::permissions(locked, fs::perms::owner_all);
  EXPECT_EQ(cannot_read_folder("/x", std::make_error_code(std::errc::permission_denied)).what,
            "the folder may not be read");
}

TEST(ReadFolder, MissingFolderFallsBackToItsParent) {
  const TemporaryFolder here;
  const auto slices = read(here.path() / "gone" / "long ago", true);
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices.front().folder, here.path());
  EXPECT_FALSE(slices.front().error);
}

TEST(Resolved, AbsoluteRelativeAndHome) {
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  ::setenv("HOME", "/home/me/", 1);
  EXPECT_EQ(home_folder(), "/home/me");
  EXPECT_EQ(resolved("~", "/a/b"), "/home/me");
  EXPECT_EQ(resolved("~/", "/a/b"), "/home/me");
  EXPECT_EQ(resolved("~/x.wlr", "/a/b"), "/home/me/x.wlr");
  EXPECT_EQ(resolved("~x", "/a/b"), "/a/b/~x");
  EXPECT_EQ(resolved("x/y", "/a/b"), "/a/b/x/y");
  EXPECT_EQ(resolved("x/", "/a/b"), "/a/b/x");
  EXPECT_EQ(resolved("..", "/a/b"), "/a");
  EXPECT_EQ(resolved("../../../..", "/a/b"), "/");
  EXPECT_EQ(resolved("./x", "/a/b"), "/a/b/x");
  EXPECT_EQ(resolved("/", "/a/b"), "/");
  EXPECT_EQ(resolved("//x//y//", "/a/b").string(), "/x/y");
  EXPECT_EQ(resolved("", "/a/b"), "/a/b");
  ::unsetenv("HOME");
  EXPECT_EQ(home_folder(), "/");
  ::setenv("HOME", home.c_str(), 1);
}

TEST(DetachedWork, IsLeftBehindWithoutWaiting) {
  struct Gate {
    std::atomic<bool> open = false, ended = false, saw_nobody = false;
  };
  const auto gate = std::make_shared<Gate>();
  std::atomic<int> woken = 0;
  {
    DetachedWork<int> work([&] { ++woken; });
    work.start([gate](const auto& post) {
      while (!gate->open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      gate->saw_nobody = !post.wanted();
      post(1);
      gate->ended = true;
    });
    EXPECT_TRUE(work.running());
    work.wait(std::chrono::milliseconds(5));
    EXPECT_TRUE(work.take().empty());
    work.start([](const auto& post) { post(2); });
    work.wait(std::chrono::seconds(60));
    EXPECT_EQ(work.take(), std::vector<int>{2}) << "not what the one before found";
    EXPECT_FALSE(work.running());
  }
  const int before = woken;
  EXPECT_GE(before, 1);
  gate->open = true;
  while (!gate->ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(gate->saw_nobody);
  EXPECT_EQ(woken, before) << "nobody is woken for it";
}

TEST(DetachedWork, WhatTheWorkThrowsIsThrownWhereItIsTaken) {
  DetachedWork<int> work([] {});
  work.start([](const auto&) { throw std::runtime_error("unforeseen"); });
  work.wait(std::chrono::seconds(60));
  EXPECT_THROW(static_cast<void>(work.take()), std::runtime_error);
  EXPECT_FALSE(work.running());
}

}  // namespace
}  // namespace warplens::app
