// A second window of the operating system, for the screen that only the speaker sees.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "app/shell/platform/keyboard.h"
#include "app/shell/speaker_page.h"
#include "kernels/base/result.h"
#include "viz/canvas/picture.h"
#include "viz/export/raster.h"

struct GLFWwindow;

namespace warplens::app {

class NotesWindow {
 public:
  /// Beside `main`, whose OpenGL context is current, and is again afterwards; on the first monitor where
  /// there are several. `pressed` is told of keys, which go to the lesson wherever they are pressed.
  [[nodiscard]] static Result<std::unique_ptr<NotesWindow>> make(GLFWwindow* main,
                                                                 std::function<void(KeyEvent)> pressed);
  ~NotesWindow();
  NotesWindow(const NotesWindow&) = delete;
  NotesWindow& operator=(const NotesWindow&) = delete;

  [[nodiscard]] bool close_wanted() const;
  /// For a window that is left behind with its context: to end that is to wait for the GPU
  /// (Platform::draw_without_gpu).
  void hide() const;
  /// Draws it if it is another than is shown, or the window's size is. A picture's style: the palette and the
  /// scale.
  void show(const SpeakerPage& page, const picture::Style& style);

 private:
  NotesWindow(GLFWwindow* main, GLFWwindow* window, std::function<void(KeyEvent)> pressed);
  static void key_callback(GLFWwindow* window, int key, int scancode, int action, int modifiers);

  [[nodiscard]] picture::Size size() const;  // In pixels
  void show(const viz::Image& image);

  GLFWwindow* main_;
  GLFWwindow* window_;
  std::function<void(KeyEvent)> pressed_;
  unsigned texture_ = 0, frame_ = 0;
  struct Shown {
    SpeakerPage page;
    picture::Style style;
    picture::Size size;
  };
  std::optional<Shown> shown_;
};

}  // namespace warplens::app
