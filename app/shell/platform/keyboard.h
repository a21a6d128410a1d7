// Keys from the system to Dear ImGui, one press a frame.
//
// Dear ImGui takes the press of a key and the release of Ctrl into one frame if both came since the last; the
// chord is then lost. Where frames are slow (software OpenGL), that is every quick Ctrl+P. So whatever
// follows a press waits for the next frame.
#pragma once

#include <deque>

namespace warplens::app {

/// A key event as GLFW reports it.
struct KeyEvent {
  int key = 0, scancode = 0;
  bool pressed = false;
  int modifiers = 0;  ///< Held before this event
};

class Keyboard {
 public:
  void add(KeyEvent event) { events_.push_back(event); }
  [[nodiscard]] bool waiting() const { return !events_.empty(); }
  /// Gives Dear ImGui the events up to and with the first press of a key that is no modifier. Call before
  /// ImGui::NewFrame.
  void hand_over();

 private:
  std::deque<KeyEvent> events_;
};

}  // namespace warplens::app
