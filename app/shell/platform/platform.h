// The window of the operating system, OpenGL in it, and Dear ImGui on both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/shell/app.h"
#include "app/shell/platform/keyboard.h"
#include "app/shell/platform/window_input.h"
#include "kernels/base/result.h"

struct GLFWwindow;

namespace warplens::app {

class FramePainter;

/// How large the window is at first on a screen with so much room: all of a small one, four fifths of a large
/// one.
[[nodiscard]] WindowExtent first_extent(WindowExtent room);

struct PlatformOptions {
  int width = 0, height = 0;  ///< 0: as suits the screen
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
  [[nodiscard]] static int monitors();
  [[nodiscard]] bool close_wanted() const;
  /// Nobody wants the window closed any more.
  void stay_open();
  /// Nothing more can be drawn: the window has to end.
  [[nodiscard]] bool cannot_draw() const { return cannot_draw_; }
  void set_title(const std::string& title);
  [[nodiscard]] std::pair<int, int> size() const;
  /// Asks the desktop for another size; the window has it some frames later, if the desktop agrees.
  void resize(int width, int height);
  /// Fills the first monitor, or the second if the first is wanted for something else and there are two; or
  /// goes back to the window's size before.
  void set_fullscreen(bool fullscreen, bool leave_first_monitor = false);
  /// A key that was pressed in another window of the program.
  void press(KeyEvent event) { keyboard_.add(event); }
  [[nodiscard]] GLFWwindow* window() const { return window_; }
  /// All that is dropped at once.
  void on_drop(std::function<void(std::vector<std::filesystem::path>)> dropped) {
    dropped_ = std::move(dropped);
  }

  /// Sleeps until something happens, at most `seconds`. True if something did.
  bool wait(double seconds);
  /// Wakes `wait`, from any thread.
  static void wake();

  void begin_frame();
  /// Keys are left for the next frame: see keyboard.h.
  [[nodiscard]] bool input_waiting() const { return keyboard_.waiting(); }
  /// Shows the frame. False if the GPU has not drawn it after two seconds: it is not shown then, and showing
  /// others would block for as long.
  [[nodiscard]] bool end_frame();
  /// Ends it without drawing it, for tests.
  static void end_frame_unseen();
  /// Shows the frame, and returns its pixels: RGBA, from the top.
  [[nodiscard]] std::vector<std::uint8_t> end_frame_with_pixels();

  /// Goes on in another window in the place of this one, drawn in software, with Graphics of its own. The
  /// GPU's context is left as it is: to end it is to wait for the GPU. The error, where there can be no such
  /// window: the one there is stays, and `end_frame` waits for the GPU as long as it takes.
  [[nodiscard]] Result<Done> draw_without_gpu();
  /// Where OpenGL is done in software: what draws the frames. Else null, Dear ImGui's own renderer does.
  [[nodiscard]] const FramePainter* painter() const { return painter_.get(); }
  /// So it goes on now, and the process must end without what runs at exit, where OpenGL drivers wait too.
  [[nodiscard]] bool left_gpu() const { return left_ != nullptr; }

 private:
  explicit Platform(GLFWwindow* window);
  /// Makes the window's context current, and what needs it.
  [[nodiscard]] Result<Done> start_drawing(const Fonts& fonts);
  void stop_drawing();
  void render();
  [[nodiscard]] bool drawn_in_time() const;
  [[nodiscard]] std::vector<std::uint8_t> read_pixels() const;
  static void key_callback(GLFWwindow* window, int key, int scancode, int action, int modifiers);
  static void drop_callback(GLFWwindow* window, int count, const char** paths);
  static void size_callback(GLFWwindow* window, int width, int height);
  static void focus_callback(GLFWwindow* window, int focused);
  static void enter_callback(GLFWwindow* window, int entered);

  GLFWwindow* window_;
  GLFWwindow* left_ = nullptr;  ///< Hidden, with a context of the GPU; see draw_without_gpu
  std::string title_ = "Warplens";
  bool cannot_draw_ = false;
  bool is_patient_ = false;  ///< A frame may take as long as it likes: it is drawn in software, or there is
                             ///< nothing else to draw with
  std::unique_ptr<FramePainter> painter_;
  Keyboard keyboard_;
  WindowInput input_;
  std::unique_ptr<Graphics> graphics_;
  std::function<void(std::vector<std::filesystem::path>)> dropped_;
  struct Place {
    int x = 0, y = 0, width = 0, height = 0;
  };
  Place windowed_;
  bool fullscreen_ = false, leaves_first_monitor_ = false;
};

}  // namespace warplens::app
