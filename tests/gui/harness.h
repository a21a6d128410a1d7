// Runs the real application in a hidden window, and drives it with the Dear ImGui Test Engine: the mouse and the keys, as a user would.
#pragma once

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_test_engine/imgui_te_context.h>
#include <imgui_test_engine/imgui_te_engine.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/shell/app.h"
#include "app/shell/platform.h"

namespace warplens::app {

struct WindowSize {
  int width = 1600, height = 900;
};

class GuiTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Opens the window with the settings kept in `config()`, and draws until a recording is on screen (or `open` failed to load).
  void start(const std::filesystem::path& open = {}, WindowSize size = {});
  /// The same, with a worker that answers as if there were a GPU (gpu_worker.h); returns when the window knows of it.
  void start_with_gpu(WindowSize size = {});
  void stop();
  /// Runs the actions as a test of the engine, frame by frame, until they end; fails this test if the engine's fails.
  void drive(const std::function<void(ImGuiTestContext&)>& actions);
  /// Draws until nothing is worked on any more; fails after half a minute.
  void settle();
  void draw(int frames = 1);
  /// Draws until it holds; fails after half a minute.
  void await(const std::function<bool()>& holds);
  /// Of a frame: RGBA, from the top.
  [[nodiscard]] std::vector<std::uint8_t> pixels();
  /// Writes what is on screen to NAME.png in the folder $WARPLENS_PICTURES, if that is set.
  void keep_picture(const std::string& name);

  [[nodiscard]] App& app() { return *app_; }
  [[nodiscard]] Platform& platform() { return *platform_; }
  [[nodiscard]] const Recording& recording() const { return *app_->loaded()->recording; }
  [[nodiscard]] const std::filesystem::path& config() const { return config_; }
  /// Runs the command of that name, as the palette would.
  void command(const std::string& name);

 private:
  std::filesystem::path config_;
  std::string worker_ = "none";
  std::unique_ptr<App> app_;
  std::unique_ptr<Platform> platform_;
  ImGuiTestEngine* engine_ = nullptr;
};

}  // namespace warplens::app
