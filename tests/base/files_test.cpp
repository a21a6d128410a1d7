#include "kernels/base/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iterator>
#include <string>

namespace warplens {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("warplens-files-" + std::string(test->name()) + "-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::vector<std::byte> contents(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
  }
  [[nodiscard]] std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const fs::path path = folder_ / "a.bin";
  ASSERT_TRUE(write_file(path, contents("first")).ok());
  ASSERT_TRUE(write_file(path, contents("second")).ok());
  EXPECT_EQ(*read_file(path, 100), contents("second"));
  EXPECT_EQ(files_in_folder(), 1u) << "a temporary file was left behind";
}

TEST_F(Files, AnEmptyFileIsAFile) {
  ASSERT_TRUE(write_file(folder_ / "empty", {}).ok());
  EXPECT_TRUE(read_file(folder_ / "empty", 0)->empty());
}

TEST_F(Files, AMissingFileIsNamed) {
  const auto result = read_file(folder_ / "none.bin", 100);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().where, (folder_ / "none.bin").string());
  EXPECT_NE(result.error().what.find("No such file"), std::string::npos);
}

TEST_F(Files, FoldersAndDevicesAreRefused) {
  EXPECT_FALSE(read_file(folder_, 100).ok());
  EXPECT_FALSE(read_file("/dev/zero", 100).ok());
  EXPECT_FALSE(write_file(folder_, contents("x")).ok());
  EXPECT_FALSE(write_file("/dev/null", contents("x")).ok());
  EXPECT_FALSE(write_file("", contents("x")).ok());
}

TEST_F(Files, AFileThatIsTooLargeIsNotRead) {
  ASSERT_TRUE(write_file(folder_ / "a", contents("12345")).ok());
  EXPECT_TRUE(read_file(folder_ / "a", 5).ok());
  EXPECT_FALSE(read_file(folder_ / "a", 4).ok());
}

TEST_F(Files, AFolderThatIsMissingOrReadOnlyIsAnError) {
  const auto missing = write_file(folder_ / "none" / "a", contents("x"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().where, (folder_ / "none" / "a").string());
  EXPECT_FALSE(missing.error().hint.empty());
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_FALSE(write_file(folder_ / "a", contents("x")).ok());
  fs::permissions(folder_, fs::perms::owner_all);
}

TEST_F(Files, AFailureLeavesNothingBehind) {
  // As a full disk does, a limit on the size of files stops the writing half-way.
  rlimit unlimited{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  const rlimit small{4, unlimited.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_TRUE(write_file(folder_ / "a", contents("old")).ok());
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto result = write_file(folder_ / "a", contents("longer than the limit"));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &unlimited), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(*read_file(folder_ / "a", 100), contents("old"));
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(Files, ASymbolicLinkIsFollowed) {
  ASSERT_TRUE(write_file(folder_ / "real", contents("old")).ok());
  fs::create_symlink(folder_ / "real", folder_ / "link");
  ASSERT_TRUE(write_file(folder_ / "link", contents("new")).ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(*read_file(folder_ / "real", 100), contents("new"));
}

TEST_F(Files, AFileThatIsReplacedKeepsItsPermissionsAndANewOneGetsTheUsers) {
  const mode_t mask = ::umask(022);
  ASSERT_TRUE(write_file(folder_ / "new", contents("x")).ok());
  EXPECT_EQ(fs::status(folder_ / "new").permissions(), fs::perms{0644});
  for (const fs::perms kept : {fs::perms{0600}, fs::perms{0666}, fs::perms{0755}}) {
    fs::permissions(folder_ / "new", kept);
    ASSERT_TRUE(write_file(folder_ / "new", contents("y")).ok());
    EXPECT_EQ(fs::status(folder_ / "new").permissions(), kept);
  }
  ::umask(mask);
}

TEST_F(Files, WhatKilledRunsLeftIsCleared) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const auto make = [&](const std::string& name, std::chrono::seconds age) {
    ASSERT_TRUE(write_file(folder_ / name, contents("half")).ok());
    fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() - age);
  };
  using namespace std::chrono_literals;
  const std::string gone = std::to_string(child), alive = std::to_string(::getpid());
  make(".warplens-" + gone + "-3.tmp", 1h);
  make(".warplens-" + alive + "-3000000.tmp", 1h);
  make(".warplens-" + gone + "-4.tmp", 0s);
  make(".warplens-notes.tmp", 1h);
  make(".warplens-" + gone + "-x.tmp", 1h);
  make("warplens-" + gone + "-3.tmp", 1h);
  ASSERT_TRUE(write_file(folder_ / "a", contents("whole")).ok());
  EXPECT_FALSE(fs::exists(folder_ / (".warplens-" + gone + "-3.tmp")));
  EXPECT_EQ(files_in_folder(), 6u)
      << "what another process writes, what was written just now, and what only looks like it, stay";
}

TEST_F(Files, AdviceOnReadingIsNotAdviceOnWriting) {
  ASSERT_TRUE(write_file(folder_ / "a", contents("x")).ok());
  const auto hint = [](const fs::path& path) {
    const auto result = read_file(path, 100);
    return result.ok() ? std::string("read") : result.error().hint;
  };
  EXPECT_EQ(hint(folder_ / "none"), "Check the path and the name");
  EXPECT_EQ(hint(folder_ / "a" / "b"), "Check the path and the name");
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  fs::permissions(folder_ / "a", fs::perms::none);
  EXPECT_NE(hint(folder_ / "a").find("may read"), std::string::npos);
}

}  // namespace
}  // namespace warplens
