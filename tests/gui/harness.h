// Runs the real application in a hidden window, and drives it with the Dear ImGui Test Engine: the mouse and
// the keys, as a user would.
#pragma once

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_test_engine/imgui_te_context.h>
#include <imgui_test_engine/imgui_te_engine.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/shell/app.h"
#include "app/shell/platform/platform.h"

namespace warplens::app {

struct WindowSize {
  int width = 1600, height = 900;
};

/// A part of the screen.
struct PanelPixels {
  int width = 0, height = 0;
  std::vector<std::uint32_t> colours;  ///< By row; 0xAABBGGRR

  /// Of the ninths, left to right and top to bottom, the share that is not of the panel's most frequent
  /// colour.
  [[nodiscard]] std::array<double, 9> drawn() const;
  [[nodiscard]] double brightness() const;  ///< 0 to 255, on average
  /// Equal but for one pixel in a thousand: the edges of glyphs come out a little otherwise where these lie
  /// elsewhere in the atlas.
  [[nodiscard]] bool looks_like(const PanelPixels& other) const;
  friend bool operator==(const PanelPixels&, const PanelPixels&) = default;
};

/// Whether the environment asks for every screen and every language (tools/check-all.sh does): they take
/// minutes.
[[nodiscard]] bool on_every_screen();

class GuiTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Opens the window with the settings kept in `config()`, and draws until a recording is on screen (or
  /// `open` failed to load).
  void start(const std::filesystem::path& open = {}, WindowSize size = {});
  /// The same, with a worker that answers as if there were a GPU (gpu_worker.h); returns when the window
  /// knows of it.
  void start_with_gpu(WindowSize size = {});
  void stop();
  /// Runs the actions as a test of the engine, frame by frame, until they end; fails this test if the
  /// engine's fails.
  void drive(const std::function<void(ImGuiTestContext&)>& actions);
  /// Draws until nothing is worked on any more, nor will be by itself; fails after two minutes.
  void settle();
  void draw(int frames = 1);
  /// From the next frame on. All tests but those of drawing: one in twelve, as software takes longer to draw
  /// one than all that leads to it.
  void draw_every_frame() { seen_every_ = 1; }
  /// Types it into the file dialogue, with Enter; returns when the dialogue has looked at what is there.
  void enter_path(const std::filesystem::path& path);
  /// Closes the error's dialogue by its button, once it can be.
  void close_message();
  /// Draws until it holds; fails after half a minute.
  void await(const std::function<bool()>& holds);
  /// The same for what `drive` runs, which lets frames pass; returns whether it holds.
  [[nodiscard]] static bool await(ImGuiTestContext& context, const std::function<bool()>& holds);
  /// Draws until no further frame is wanted; fails after half a minute.
  void await_rest();
  /// That long passes on the window's clock. It is the test's: a frame takes 1/60 s of it however long it
  /// takes, and so does Dear ImGui's; waiting for what others do takes as long as was to be waited at most.
  void pass(double seconds) { seconds_ = seconds_ + seconds; }
  [[nodiscard]] double now() const { return seconds_; }
  /// Of a frame: RGBA, from the top.
  [[nodiscard]] std::vector<std::uint8_t> pixels();
  /// What the view of that id shows, below its tab and inside its frame, or the part of it that is called
  /// `child`. Fails if it is not in front, or reaches out of the window.
  [[nodiscard]] PanelPixels pixels_of(const std::string& view, const std::string& child = {});
  /// Fails unless the view of that id is in front and drawn all over, and none of its text is cut off.
  void expect_whole(const std::string& view);
  /// Fails where a text of that view is cut off; returns how many letters it has.
  std::size_t expect_uncut(const std::string& view);
  /// Whether some text that is drawn has that in it.
  [[nodiscard]] static bool shows(const std::string& words);
  /// Writes what is on screen to NAME.png in the folder $WARPLENS_PICTURES, if that is set.
  void keep_picture(const std::string& name);

  [[nodiscard]] App& app() { return *app_; }
  [[nodiscard]] Platform& platform() { return *platform_; }
  [[nodiscard]] const Recording& recording() const { return *app_->loaded()->recording; }
  [[nodiscard]] const std::filesystem::path& config() const { return config_; }
  /// Runs the command of that id, as the palette would.
  void command(const std::string& id);
  /// Before the start: every large launch is on screen before its result is verified.
  void show_before_verified() { verification_patience_ = std::chrono::milliseconds(0); }

 private:
  void make_frame();
  /// For an event, which wakes it.
  void wait_at_most(double seconds);

  std::filesystem::path config_;
  std::string worker_ = "none";
  std::chrono::milliseconds verification_patience_ = AppOptions().verification_patience;
  std::size_t frames_ = 0, seen_every_ = 12;
  std::atomic<double> seconds_{0};
  std::unique_ptr<App> app_;
  std::unique_ptr<Platform> platform_;
  ImGuiTestEngine* engine_ = nullptr;
};

}  // namespace warplens::app
