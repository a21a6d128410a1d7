#include "kernels/compile/toolkit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;

class Toolkit : public testing::Test {
 protected:
  fs::path root = fs::path(testing::TempDir()) / ("toolkit_test" + std::to_string(getpid()));
  void SetUp() override { fs::remove_all(root); }
  void TearDown() override { fs::remove_all(root); }
  fs::path made(const fs::path& folder) const {
    fs::create_directories(root / folder);
    return root / folder;
  }
};

TEST_F(Toolkit, NvrtcIsFoundBesideWarplensOwnWheel) {
  const fs::path wheel = made("lib/python3.12/site-packages/nvidia/cu13");
  const fs::path program = made("lib/python3.12/site-packages/warplens/bin");
  EXPECT_EQ(wheels_near(program), std::vector<fs::path>{wheel});
}

TEST_F(Toolkit, NvrtcIsFoundInTheEnvironmentOfTheSources) {
  const fs::path wheel = made(".venv/lib/python3.12/site-packages/nvidia/cu13");
  const fs::path program = made("build/release");
  EXPECT_EQ(wheels_near(program), std::vector<fs::path>{wheel});
}

TEST_F(Toolkit, WhereNoWheelIsInstalledNoneIsFound) {
  EXPECT_TRUE(wheels_near(made("usr/bin")).empty());
}

}  // namespace
}  // namespace warplens::compile
