// What tests of editing a source have in common.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gui/harness.h"
#include "kernels/compile/compile.h"

namespace warplens::app {

class SourceGuiTest : public GuiTest {
 protected:
  void SetUp() override {
    GuiTest::SetUp();
    if (compile::compilers().empty())
      GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  }
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = config() / name;
    std::ofstream(path) << text;
    return path;
  }
  static std::string read(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void press(ImGuiKeyChord key, int times = 1) {
    drive([&](ImGuiTestContext& context) { context.KeyPress(key, times); });
  }
  void type(const std::string& text) {
    drive([&](ImGuiTestContext& context) { context.KeyCharsAppend(text.c_str()); });
    settle();
  }
  /// Puts the caret behind the line of that number: the test engine takes the keyboard from what has it.
  void go_to(std::uint32_t line) {
    app().editing().line_wanted = line;
    draw(3);
    press(ImGuiKey_End);
  }
};

}  // namespace warplens::app
