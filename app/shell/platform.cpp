#include "app/shell/platform.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <implot.h>

#include <algorithm>
#include <chrono>

#include "viz/render/gl.h"

namespace warplens::app {
namespace {

Error window_error(const char* what) {
  const char* description = nullptr;
  glfwGetError(&description);
  return {std::string(what) + (description == nullptr ? "" : std::string(": ") + description), "window",
          "Start it in a graphical session (DISPLAY is set there). Without one, `warplens help` lists what works on the command line"};
}

void start_imgui(GLFWwindow* window) {
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
  io.ConfigInputTextCursorBlink = false;  // Nothing is redrawn while nothing changes
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.ConfigDockingAlwaysTabBar = true;
  io.IniFilename = nullptr;  // The layouts are kept by app/shell/layout.h
  io.IniSavingRate = 1;
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
}

}  // namespace

Result<std::unique_ptr<Platform>> Platform::make(const PlatformOptions& options) {
  if (glfwInit() == GLFW_FALSE) return window_error("no window can be opened");
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, options.visible ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "warplens");
  GLFWwindow* window = glfwCreateWindow(options.width, options.height, "Warplens", nullptr, nullptr);
  if (window == nullptr) {
    const Error error = window_error("no window with OpenGL 3.3 can be opened");
    glfwTerminate();
    return error;
  }
  std::unique_ptr<Platform> platform(new Platform(window));
  glfwMakeContextCurrent(window);
  glfwSwapInterval(1);
  if (const auto loaded = render::load_functions(glfwGetProcAddress); !loaded) return loaded.error();
  auto painter = render::HeatPainter::make();
  if (!painter) return painter.error();
  glfwSetWindowUserPointer(window, platform.get());
  glfwSetDropCallback(window, drop_callback);
  start_imgui(window);
  glfwSetKeyCallback(window, key_callback);  // In place of Dear ImGui's own
  platform->graphics_ = std::make_unique<Graphics>(Graphics{load_fonts(), *std::move(painter)});
  return platform;
}

Platform::~Platform() {
  graphics_.reset();
  if (ImGui::GetCurrentContext() != nullptr) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImPlot::DestroyContext();
    ImGui::DestroyContext();
  }
  glfwDestroyWindow(window_);
  glfwTerminate();
}

float Platform::monitor_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::clamp(x, 1.0f, kLargestScale);
}

bool Platform::close_wanted() const {
  return glfwWindowShouldClose(window_) != GLFW_FALSE;
}

std::pair<int, int> Platform::size() const {
  if (fullscreen_) return {windowed_.width, windowed_.height};
  int width = 0, height = 0;
  glfwGetWindowSize(window_, &width, &height);
  return {width, height};
}

void Platform::resize(int width, int height) {
  glfwSetWindowSize(window_, width, height);
}

void Platform::set_title(const std::string& title) {
  glfwSetWindowTitle(window_, title.c_str());
}

void Platform::set_fullscreen(bool fullscreen) {
  if (fullscreen == fullscreen_) return;
  fullscreen_ = fullscreen;
  if (!fullscreen) {
    glfwSetWindowMonitor(window_, nullptr, windowed_.x, windowed_.y, windowed_.width, windowed_.height, GLFW_DONT_CARE);
    return;
  }
  glfwGetWindowPos(window_, &windowed_.x, &windowed_.y);
  glfwGetWindowSize(window_, &windowed_.width, &windowed_.height);
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor == nullptr ? nullptr : glfwGetVideoMode(monitor);
  if (mode != nullptr) glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

bool Platform::wait(double seconds) {
  if (seconds <= 0) {
    glfwPollEvents();
    return true;
  }
  const double begin = glfwGetTime();
  if (seconds > 3600) {
    glfwWaitEvents();
  } else {
    glfwWaitEventsTimeout(seconds);
  }
  return glfwGetTime() - begin < seconds * 0.999;
}

void Platform::wake() {
  glfwPostEmptyEvent();
}

void Platform::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  keyboard_.hand_over();
  ImGui::NewFrame();
}

void Platform::render() const {
  ImGui::Render();
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  glViewport(0, 0, width, height);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Platform::end_frame() {
  render();
  glfwSwapBuffers(window_);
}

std::vector<std::uint8_t> Platform::end_frame_with_pixels() {
  render();
  std::vector<std::uint8_t> pixels = read_pixels();
  glfwSwapBuffers(window_);
  return pixels;
}

std::vector<std::uint8_t> Platform::read_pixels() const {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  const std::size_t row = static_cast<std::size_t>(width) * 4;
  std::vector<std::uint8_t> bottom_up(row * static_cast<std::size_t>(height)), pixels(bottom_up.size());
  glReadBuffer(GL_BACK);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, bottom_up.data());
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    std::copy_n(bottom_up.data() + (static_cast<std::size_t>(height) - 1 - y) * row, row, pixels.data() + y * row);
  }
  for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = 255;
  return pixels;
}

void Platform::key_callback(GLFWwindow* window, int key, int scancode, int action, int modifiers) {
  auto* platform = static_cast<Platform*>(glfwGetWindowUserPointer(window));
  if (action != GLFW_REPEAT) platform->keyboard_.add({key, scancode, action == GLFW_PRESS, modifiers});
}

void Platform::drop_callback(GLFWwindow* window, int count, const char** paths) {
  const auto* platform = static_cast<const Platform*>(glfwGetWindowUserPointer(window));
  if (count > 0 && platform->dropped_) platform->dropped_(paths[0]);
}

}  // namespace warplens::app
