// What the window starts with where the file that it was given cannot be opened.
#include <gtest/gtest.h>

#include <fstream>

#include "app/shell/platform/window.h"
#include "gui/harness.h"

namespace warplens::app {
namespace {

using Start = GuiTest;

TEST_F(Start, AFileThatCannotBeOpenedGivesWayToTheFirstRecording) {
  const auto damaged = config() / "damaged.wlr";
  std::ofstream(damaged) << "this is no recording";
  for (const std::filesystem::path& file : {damaged, config() / "missing.wlr", config() / "kernel.cu"}) {
    SCOPED_TRACE(file.string());
    start(file);
    ASSERT_EQ(app().messages().all().size(), 1u);
    ASSERT_TRUE(app().start_error());
    ASSERT_NE(app().loaded(), nullptr);
    EXPECT_EQ(recording().kernel, "tiled");
    stop();
  }
}

TEST_F(Start, AScreenshotOfAFileThatCannotBeOpenedEnds) {
  const auto damaged = config() / "damaged.wlr";
  std::ofstream(damaged) << "this is no recording";
  WindowOptions options{.open = damaged, .config_folder = config(), .screenshot = config() / "picture.png"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_window(options), 1);
  options = {.open = config() / "missing.wlr", .config_folder = config(), .startup_time = true};
  EXPECT_EQ(run_window(options), 1);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("damaged.wlr"), std::string::npos) << said;
  EXPECT_NE(said.find("missing.wlr"), std::string::npos) << said;
  EXPECT_FALSE(std::filesystem::exists(config() / "picture.png"));
}

}  // namespace
}  // namespace warplens::app
