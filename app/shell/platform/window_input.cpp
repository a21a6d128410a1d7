#include "app/shell/platform/window_input.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

namespace warplens::app {
namespace {

constexpr std::pair<ImGuiMouseCursor, int> kStandardShapes[] = {
    {ImGuiMouseCursor_Arrow, GLFW_ARROW_CURSOR},
    {ImGuiMouseCursor_TextInput, GLFW_IBEAM_CURSOR},
    {ImGuiMouseCursor_ResizeAll, GLFW_RESIZE_ALL_CURSOR},
    {ImGuiMouseCursor_ResizeNS, GLFW_RESIZE_NS_CURSOR},
    {ImGuiMouseCursor_ResizeEW, GLFW_RESIZE_EW_CURSOR},
    {ImGuiMouseCursor_ResizeNESW, GLFW_RESIZE_NESW_CURSOR},
    {ImGuiMouseCursor_ResizeNWSE, GLFW_RESIZE_NWSE_CURSOR},
    {ImGuiMouseCursor_Hand, GLFW_POINTING_HAND_CURSOR},
    {ImGuiMouseCursor_NotAllowed, GLFW_NOT_ALLOWED_CURSOR}};
constexpr float kFirstFrame = 1.0f / 60;    ///< Seconds: how long the one before it is said to have taken
constexpr float kShortestFrame = 0.00001f;  ///< Dear ImGui takes none that took no time

}  // namespace

void WindowInput::attach(GLFWwindow* window) {
  static_assert(kShapes == ImGuiMouseCursor_COUNT);
  window_ = window;
  glfwGetWindowSize(window_, &extent_.width, &extent_.height);
  is_focused_ = glfwGetWindowAttrib(window_, GLFW_FOCUSED) != 0;
  is_inside_ = false;
  shown_ = ImGuiMouseCursor_Arrow;
  if (shapes_[ImGuiMouseCursor_Arrow] != nullptr) return;
  for (const auto& [shape, standard] : kStandardShapes)
    shapes_[static_cast<std::size_t>(shape)] = glfwCreateStandardCursor(standard);
  glfwGetError(nullptr);  // Of shapes that the desktop lacks
}

void WindowInput::begin_frame() {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(extent_.width), static_cast<float>(extent_.height)};
  io.DisplayFramebufferScale = {1, 1};  // Of X11, also where its pixels are small
  const double now = glfwGetTime();
  io.DeltaTime = begun_ > 0 ? std::max(static_cast<float>(now - begun_), kShortestFrame) : kFirstFrame;
  begun_ = now;
  if (is_focused_ && !is_inside_) {  // What is dragged follows it out of the window
    double x = 0, y = 0;
    glfwGetCursorPos(window_, &x, &y);
    io.AddMousePosEvent(static_cast<float>(x), static_cast<float>(y));
  }
  show_pointer();
}

void WindowInput::show_pointer() {
  const ImGuiMouseCursor wanted =
      ImGui::GetIO().MouseDrawCursor ? ImGuiMouseCursor_None : ImGui::GetMouseCursor();
  if (wanted == shown_) return;
  shown_ = wanted;
  glfwSetInputMode(window_, GLFW_CURSOR,
                   wanted == ImGuiMouseCursor_None ? GLFW_CURSOR_HIDDEN : GLFW_CURSOR_NORMAL);
  if (wanted == ImGuiMouseCursor_None) return;
  GLFWcursor* const shape = shapes_[static_cast<std::size_t>(wanted)];
  glfwSetCursor(window_, shape != nullptr ? shape : shapes_[ImGuiMouseCursor_Arrow]);
}

}  // namespace warplens::app
