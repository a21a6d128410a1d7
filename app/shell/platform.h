// The window of the operating system, OpenGL in it, and Dear ImGui on both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/shell/app.h"
#include "app/shell/keyboard.h"
#include "kernels/base/result.h"

struct GLFWwindow;

namespace warplens::app {

struct PlatformOptions {
  int width = 1600, height = 900;
  bool visible = true;
};

class Platform {
 public:
  /// The error says what is missing: a display, or OpenGL 3.3.
  [[nodiscard]] static Result<std::unique_ptr<Platform>> make(const PlatformOptions& options);
  ~Platform();
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  [[nodiscard]] Graphics& graphics() { return *graphics_; }
  [[nodiscard]] float monitor_scale() const;
  [[nodiscard]] bool close_wanted() const;
  [[nodiscard]] std::pair<int, int> size() const;
  void resize(int width, int height);
  void set_title(const std::string& title);
  /// Fills the monitor, or goes back to the window's size before.
  void set_fullscreen(bool fullscreen);
  void on_drop(std::function<void(const std::filesystem::path&)> dropped) { dropped_ = std::move(dropped); }

  /// Sleeps until something happens, at most `seconds`. True if something did.
  bool wait(double seconds);
  /// Wakes `wait`, from any thread.
  static void wake();

  void begin_frame();
  /// Keys are left for the next frame: see keyboard.h.
  [[nodiscard]] bool input_waiting() const { return keyboard_.waiting(); }
  void end_frame();
  /// The same, and returns the frame's pixels: RGBA, from the top.
  [[nodiscard]] std::vector<std::uint8_t> end_frame_with_pixels();

 private:
  explicit Platform(GLFWwindow* window) : window_(window) {}
  void render() const;
  [[nodiscard]] std::vector<std::uint8_t> read_pixels() const;
  static void key_callback(GLFWwindow* window, int key, int scancode, int action, int modifiers);
  static void drop_callback(GLFWwindow* window, int count, const char** paths);

  GLFWwindow* window_;
  Keyboard keyboard_;
  std::unique_ptr<Graphics> graphics_;
  std::function<void(const std::filesystem::path&)> dropped_;
  struct Place {
    int x = 0, y = 0, width = 0, height = 0;
  };
  Place windowed_;
  bool fullscreen_ = false;
};

}  // namespace warplens::app
