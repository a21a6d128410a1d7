#include "app/files/desktop.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "files/temporary_folder.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

class Desktop : public ::testing::Test {
 protected:
  Desktop() : path_before_(std::getenv("PATH")) { setenv("PATH", folder_.path().c_str(), 1); }
  ~Desktop() override { setenv("PATH", path_before_.c_str(), 1); }
  void install_xdg_open(const std::string& script) {
    fs::permissions(folder_.file("xdg-open", "#!/bin/sh\n" + script), fs::perms::owner_all);
  }

  TemporaryFolder folder_;
  std::string path_before_;
};

TEST_F(Desktop, TheFolderIsOneArgumentWhateverItsName) {
  const fs::path written = folder_.path() / "written";
  install_xdg_open("printf '%s\\n' \"$@\" > '" + written.string() + "'\n");
  const fs::path opened = folder_.path() / "a; touch $(touch x) `touch y` \"'&";
  EXPECT_FALSE(open_on_desktop(opened));
  std::ifstream file(written);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(text, opened.string() + "\n");
}

TEST_F(Desktop, AnErrorSaysWhyTheFolderIsNotOpened) {
  const auto missing = open_on_desktop("/tmp");
  ASSERT_TRUE(missing);
  EXPECT_NE(missing->what.find("xdg-open cannot be started"), std::string::npos) << missing->what;
  EXPECT_NE(missing->hint.find("Install xdg-utils"), std::string::npos) << missing->hint;
  install_xdg_open("exit 4\n");
  const auto failed = open_on_desktop("/tmp");
  ASSERT_TRUE(failed);
  EXPECT_NE(failed->what.find("could not open"), std::string::npos) << failed->what;
}

}  // namespace
}  // namespace warplens::app
