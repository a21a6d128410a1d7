// The documentation is opened from the About window by a click and by the keyboard.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gui/harness.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

class About : public GuiTest {
 protected:
  void SetUp() override {
    GuiTest::SetUp();
    programs_ = config() / "programs";
    fs::create_directories(programs_);
    path_before_ = std::getenv("PATH");
    setenv("PATH", programs_.c_str(), 1);
  }
  void TearDown() override {
    setenv("PATH", path_before_.c_str(), 1);
    GuiTest::TearDown();
  }
  /// A stand-in for xdg-open that writes down its arguments, one a line.
  void install_xdg_open(int exit_status) {
    const fs::path program = programs_ / "xdg-open";
    std::ofstream(program) << "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" << opened().string()
                           << ".part'\n/bin/mv '" << opened().string() << ".part' '" << opened().string()
                           << "'\nexit " << exit_status << "\n";
    fs::permissions(program, fs::perms::owner_all);
  }
  [[nodiscard]] fs::path opened() const { return config() / "opened"; }
  [[nodiscard]] std::string arguments() {
    await([&] { return fs::exists(opened()); });
    std::ifstream file(opened());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    fs::remove(opened());
    return text;
  }
  void click(const char* item) {
    drive([&](ImGuiTestContext& context) { context.ItemClick(item); });
  }
  void press(ImGuiKeyChord key) {
    drive([&](ImGuiTestContext& context) { context.KeyPress(key); });
  }
  void show_about() {
    start();
    command("help.about");
    draw(3);
  }

 private:
  fs::path programs_;
  std::string path_before_;
};

TEST_F(About, TheDocumentationIsOpenedByAClickAndByEnter) {
  install_xdg_open(0);
  show_about();
  click("//###about/**/###documentation");
  const std::string folder = arguments();
  EXPECT_TRUE(fs::exists(fs::path(folder.substr(0, folder.find('\n'))) / "own_kernels.md")) << folder;
  EXPECT_EQ(folder.find('\n'), folder.size() - 1) << "one argument";
  click("//###about/**/###open");
  EXPECT_EQ(arguments(), folder);
  press(ImGuiKey_Enter);
  EXPECT_EQ(arguments(), folder);
  EXPECT_TRUE(app().about_shown());
  EXPECT_TRUE(app().messages().all().empty());
  std::string copied;
  drive([&](ImGuiTestContext& context) {  // The engine has a clipboard of its own
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_C);
    copied = ImGui::GetClipboardText();
  });
  EXPECT_EQ(copied + "\n", folder);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app().about_shown());
}

TEST_F(About, AnErrorSaysThatXdgOpenIsMissing) {
  show_about();
  press(ImGuiKey_Enter);
  await([&] { return !app().messages().all().empty(); });
  EXPECT_NE(app().messages().all().front().error.what.find("xdg-open cannot be started"), std::string::npos);
}

TEST_F(About, AnErrorSaysThatXdgOpenFailed) {
  install_xdg_open(3);
  show_about();
  press(ImGuiKey_Enter);
  await([&] { return !app().messages().all().empty(); });
  EXPECT_NE(app().messages().all().front().error.what.find("could not open the folder"), std::string::npos);
}

}  // namespace
}  // namespace warplens::app
