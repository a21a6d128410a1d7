#include "app/shell/notes_window.h"

#include <GLFW/glfw3.h>

#include <utility>

#include "kernels/base/texts.h"
#include "viz/render/gl.h"

namespace warplens::app {
namespace {

/// All of the first monitor, where the lesson has another; else a part of the one there is.
void place(GLFWwindow* window) {
  int monitors = 0;
  GLFWmonitor** const all = glfwGetMonitors(&monitors);
  if (monitors < 2) return;
  int x = 0, y = 0;
  glfwGetMonitorWorkarea(all[0], &x, &y, nullptr, nullptr);
  glfwSetWindowPos(window, x, y);
  glfwMaximizeWindow(window);
}

}  // namespace

Result<std::unique_ptr<NotesWindow>> NotesWindow::make(GLFWwindow* main,
                                                       std::function<void(KeyEvent)> pressed) {
  constexpr int kWidth = 960, kHeight = 720;
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  glfwWindowHint(GLFW_CONTEXT_CREATION_API, glfwGetWindowAttrib(main, GLFW_CONTEXT_CREATION_API));
  GLFWwindow* const window = glfwCreateWindow(kWidth, kHeight, tr("Notes"), nullptr, nullptr);
  if (window == nullptr) {
    const char* reason = nullptr;
    glfwGetError(&reason);
    return Error{tr("no second window can be opened: {reason}", "reason"_a = reason == nullptr ? "" : reason),
                 "", tr("Shift+N shows the notes in the lesson.")};
  }
  std::unique_ptr<NotesWindow> made(new NotesWindow(main, window, std::move(pressed)));
  place(window);
  glfwShowWindow(window);
  glfwFocusWindow(main);
  return made;
}

NotesWindow::NotesWindow(GLFWwindow* main, GLFWwindow* window, std::function<void(KeyEvent)> pressed)
    : main_(main), window_(window), pressed_(std::move(pressed)) {
  glfwSetWindowUserPointer(window_, this);
  glfwSetKeyCallback(window_, key_callback);
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(0);  // Only the lesson waits for its screen
  glGenTextures(1, &texture_);
  glGenFramebuffers(1, &frame_);
  glfwMakeContextCurrent(main_);
}

NotesWindow::~NotesWindow() {
  glfwDestroyWindow(window_);  // And its context, with all in it
  glfwMakeContextCurrent(main_);
}

void NotesWindow::hide() const {
  glfwHideWindow(window_);
}

bool NotesWindow::close_wanted() const {
  return glfwWindowShouldClose(window_) != GLFW_FALSE;
}

picture::Size NotesWindow::size() const {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  return {static_cast<float>(width), static_cast<float>(height)};
}

void NotesWindow::show(const SpeakerPage& page, const picture::Style& style) {
  const picture::Size room = size();
  if (room.width < 1 || room.height < 1) return;
  const bool is_shown = shown_ && shown_->page == page && shown_->style == style &&
                        shown_->size.width == room.width && shown_->size.height == room.height;
  if (is_shown) return;
  shown_ = {page, style, room};
  show(viz::rasterise(draw_speaker_page(page, room, style), style.palette->panel));
}

void NotesWindow::show(const viz::Image& image) {
  glfwMakeContextCurrent(window_);
  glBindTexture(GL_TEXTURE_2D, texture_);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, image.width, image.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               image.rgba.data());
  glBindFramebuffer(GL_READ_FRAMEBUFFER, frame_);
  glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_, 0);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(0, 0, image.width, image.height, 0, image.height, image.width, 0, GL_COLOR_BUFFER_BIT,
                    GL_NEAREST);  // Rows from the top
  glfwSwapBuffers(window_);
  glfwMakeContextCurrent(main_);
}

void NotesWindow::key_callback(GLFWwindow* window, int key, int scancode, int action, int modifiers) {
  const auto* notes = static_cast<const NotesWindow*>(glfwGetWindowUserPointer(window));
  if (action != GLFW_REPEAT) notes->pressed_({key, scancode, action == GLFW_PRESS, modifiers});
}

}  // namespace warplens::app
