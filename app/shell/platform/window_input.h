// What Dear ImGui is told of the window before each frame: size, time, focus and pointer, and which pointer
// it wants to be shown.
//
// Its own backend asks the X server for all of that in every frame, monitors included: several questions,
// each of which is written, waited for and read, 0.16 ms of a core together by samples (2026-11-27). Here
// events tell.
#pragma once

#include <array>

struct GLFWcursor;
struct GLFWwindow;

namespace warplens::app {

struct WindowExtent {
  int width = 0, height = 0;
  friend bool operator==(WindowExtent, WindowExtent) = default;
};

class WindowInput {
 public:
  /// Attaches to the first window, or to another one than before. The owner of its callbacks passes events on
  /// to the functions below.
  void attach(GLFWwindow* window);
  void resized(int width, int height) { extent_ = {width, height}; }
  void focus_changed(bool focused) { is_focused_ = focused; }
  void pointer_crossed(bool inside) { is_inside_ = inside; }

  /// Begins a frame in place of ImGui_ImplGlfw_NewFrame.
  void begin_frame();
  [[nodiscard]] WindowExtent extent() const { return extent_; }

 private:
  void show_pointer();

  GLFWwindow* window_ = nullptr;
  WindowExtent extent_;
  bool is_focused_ = false, is_inside_ = false;
  double begun_ = 0;                           ///< When the frame before began, in seconds; 0: there was none
  static constexpr int kShapes = 11;           ///< As many as Dear ImGui has
  std::array<GLFWcursor*, kShapes> shapes_{};  ///< Null: the desktop has none
  int shown_ = 0;                              ///< Which of them; below 0: none is
};

}  // namespace warplens::app
