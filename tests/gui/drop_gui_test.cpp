// Files are dropped on the window: as GLFW reports it to the platform, which is all of it but the desktop's
// own part.
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <fstream>
#include <string>
#include <vector>

#include "app/session/navigation.h"
#include "gui/harness.h"
#include "kernels/base/files.h"
#include "kernels/compile/compile.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

class Drop : public GuiTest {
 protected:
  void drop(const std::vector<fs::path>& paths) {
    std::vector<const char*> names;
    for (const fs::path& path : paths) names.push_back(path.c_str());
    GLFWwindow* const window = glfwGetCurrentContext();
    const GLFWdropfun callback = glfwSetDropCallback(window, nullptr);
    ASSERT_NE(callback, nullptr);
    glfwSetDropCallback(window, callback);
    callback(window, static_cast<int>(names.size()), names.data());
    settle();
  }
  fs::path recorded(const std::string& name) {
    const fs::path path = config() / name;
    EXPECT_TRUE(save(recording(), path));
    return path;
  }
  /// It is refused with a message that names it, and what was on screen stays.
  void expect_refused(const fs::path& path, const std::string& what) {
    SCOPED_TRACE(path);
    const auto before = app().loaded()->recording;
    const std::size_t messages = app().messages().all().size();
    drop({path});
    ASSERT_EQ(app().messages().all().size(), messages + 1);
    const Message& message = app().messages().all().back();
    EXPECT_EQ(message.title, "Opening " + path.filename().string());
    EXPECT_EQ(message.error.where, path.string());
    EXPECT_NE(message.error.what.find(what), std::string::npos) << message.error.what;
    EXPECT_EQ(app().loaded()->recording, before);
    close_message();
  }
};

TEST_F(Drop, ARecordingIsOpened) {
  start();
  const fs::path path = recorded("dropped \xff.wlr");
  drop({path});
  EXPECT_EQ(app().loaded()->path, path);
  EXPECT_EQ(app().settings().recent.front(), path);
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(Drop, ALargeRecordingOpensWhereASmallOneDoes) {
  start();
  const fs::path path = config() / "large.wlr";
  const std::vector<std::byte> bytes = encode(recording(), Compression::none);
  ASSERT_GT(bytes.size(), std::size_t{1} << 20) << "it is read in two steps";
  ASSERT_TRUE(write_file(path, bytes).ok());
  const std::shared_ptr<const Recording> recorded = app().loaded()->recording;
  drop({path});
  EXPECT_EQ(*app().loaded()->recording, *recorded);
  EXPECT_EQ(app().selection(), opening_selection(*app().loaded()));
  command("go.back");
  settle();
  EXPECT_EQ(app().loaded()->recording, recorded) << "one step back";
}

TEST_F(Drop, ALargeRecordingWithDamageBehindItsFirstBlockIsRefused) {
  start();
  const fs::path path = config() / "large.wlr";
  std::vector<std::byte> bytes = encode(recording(), Compression::none);
  bytes[bytes.size() - 1000] ^= std::byte{1};
  ASSERT_TRUE(write_file(path, bytes).ok());
  const std::shared_ptr<const Recording> before = app().loaded()->recording;
  drop({path});
  ASSERT_EQ(app().messages().all().size(), 1u);
  EXPECT_NE(app().messages().all().back().error.what.find("checksum"), std::string::npos);
  EXPECT_EQ(app().loaded()->recording, before);
  EXPECT_TRUE(app().row_is_shown());
}

TEST_F(Drop, WhatItSaysHidesNoPanel) {
  start({}, {1280, 800});
  drop({recorded("dropped.wlr")});
  draw(2);
  const ImGuiWindow* const notice = ImGui::FindWindowByName("Notice");
  ASSERT_TRUE(notice != nullptr && notice->Active);
  for (const Panel& panel : app().panels().all()) {
    const ImGuiWindow* const window =
        panel.open ? ImGui::FindWindowByName(window_name(*panel.view).c_str()) : nullptr;
    if (window == nullptr || !window->Active) continue;
    EXPECT_FALSE(notice->Rect().Overlaps(window->Rect())) << window->Name;
  }
}

TEST_F(Drop, OfSeveralAllAreOpened) {
  start();
  const fs::path first = recorded("first.wlr"), second = recorded("second.wlr");
  drop({first, config() / "missing.wlr", second});
  EXPECT_EQ(app().loaded()->path, second);
  EXPECT_NE(app().notice().text().find("the last of 2 recordings"), std::string::npos)
      << app().notice().text();
  ASSERT_EQ(app().messages().all().size(), 1u);
  EXPECT_EQ(app().messages().all().front().title, "Opening missing.wlr");
  close_message();
  command("go.back");
  EXPECT_EQ(app().loaded()->path, first);
  command("go.forward");
  drop({first});
  EXPECT_EQ(app().notice().text().find("the last of"), std::string::npos) << app().notice().text();
}

TEST_F(Drop, OfSeveralOverARecordingInProgressAllAreOpened) {
  start();
  const fs::path first = recorded("first.wlr"), second = recorded("second.wlr");
  app().menus().blocks = BlocksMenu::all_draw_one;
  settle();
  app().menus().launch.whole_result = true;  // Else it takes no time
  for (const char* name : {"m", "p", "n"}) app().menus().launch.set(name, 2048);
  await([this] { return app().busy(); });
  drop({first, second});
  EXPECT_EQ(app().loaded()->path, second);
  command("go.back");
  EXPECT_EQ(app().loaded()->path, first);
}

TEST_F(Drop, OtherFilesAreRefusedWithAReason) {
  start();
  for (const char* name : {"kernel.ptx", "kernel.cu"}) std::ofstream(config() / name) << "// nothing";
  expect_refused(config() / "kernel.ptx", "not PTX");
  if (!compile::compilers().empty()) expect_refused(config() / "kernel.cu", "no kernel in it");
  std::ofstream(config() / "kernel.txt") << "nothing";
  expect_refused(config() / "kernel.txt", "neither a recording nor");
  expect_refused(config() / "missing.wlr", "No such file");
  EXPECT_TRUE(app().settings().recent.empty());
}

TEST_F(Drop, EmptyDropIsIgnored) {
  start();
  const auto before = app().loaded()->recording;
  drop({});
  EXPECT_EQ(app().loaded()->recording, before);
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(Drop, OverAnOpenDialogueItIsOpenedToo) {
  start();
  const fs::path path = recorded("dropped.wlr");
  command("file.open");
  drop({path});
  EXPECT_EQ(app().loaded()->path, path);
  EXPECT_TRUE(app().file_dialog().active());
  drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Escape); });
  EXPECT_FALSE(app().file_dialog().active());
}

}  // namespace
}  // namespace warplens::app
