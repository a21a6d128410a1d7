#include "app/shell/platform/platform.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include "app/shell/frame_painter.h"
#include "app/shell/platform/software_opengl.h"
#include "kernels/base/texts.h"
#include "viz/render/gl.h"

namespace warplens::app {
namespace {

/// `what`, and why, if GLFW says so.
Error window_error(const char* what) {
  const char* reason = nullptr;
  glfwGetError(&reason);
  return {reason == nullptr ? std::string(what)
                            : tr("{failure}: {reason}", "failure"_a = what, "reason"_a = reason),
          tr("window"),
          tr("Start it in a graphical session (DISPLAY is set there). Without one, `warplens --help` lists "
             "what works on the command line")};
}

/// Hidden; null if there can be none. `api`: GLFW_NATIVE_CONTEXT_API or GLFW_EGL_CONTEXT_API.
/// Nothing where there is no screen.
WindowExtent room_on_screen() {
  WindowExtent room;
  GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
  if (monitor != nullptr) glfwGetMonitorWorkarea(monitor, nullptr, nullptr, &room.width, &room.height);
  return room;
}

GLFWwindow* make_window(int width, int height, int api) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_CONTEXT_CREATION_API, api);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  glfwWindowHint(GLFW_AUTO_ICONIFY,
                 GLFW_FALSE);  // A lesson stays on the projector while the speaker's keys go elsewhere
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "warplens");
  return glfwCreateWindow(width, height, "Warplens", nullptr, nullptr);
}

void start_imgui() {
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
  io.ConfigInputTextCursorBlink = false;  // Nothing is redrawn while nothing changes
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.ConfigDockingAlwaysTabBar = true;
  io.IniFilename = nullptr;  // The layouts are kept by app/shell/layout.h
  io.IniSavingRate = 1;
  const ImGuiLocEntry of_window_list[] = {
      {ImGuiLocKey_WindowingMainMenuBar, tr("(Main menu bar)")},  // Ctrl+Tab's
      {ImGuiLocKey_WindowingPopup, tr("(Popup)")},
      {ImGuiLocKey_WindowingUntitled, tr("(Untitled)")}};
  ImGui::LocalizeRegisterEntries(of_window_list, static_cast<int>(std::size(of_window_list)));
}

bool names_software_renderer(const std::string& description) {
  constexpr const char* kRenderers[] = {"llvmpipe", "softpipe"};  // Mesa's
  return std::ranges::any_of(
      kRenderers, [&](const char* renderer) { return description.find(renderer) != std::string::npos; });
}

}  // namespace

WindowExtent first_extent(WindowExtent room) {
  constexpr WindowExtent kUsual{1600, 900};
  if (room.width <= 0 || room.height <= 0) return kUsual;
  return {std::min(room.width, std::max(kUsual.width, room.width * 4 / 5)),
          std::min(room.height, std::max(kUsual.height, room.height * 4 / 5))};
}

Platform::Platform(GLFWwindow* window) : window_(window) {}

Result<std::unique_ptr<Platform>> Platform::make(const PlatformOptions& options) {
  if (glfwInit() == GLFW_FALSE) return window_error(tr("no window can be opened"));
  const WindowExtent room = options.visible ? room_on_screen() : WindowExtent{}, first = first_extent(room);
  const int width = options.width > 0 ? options.width : first.width,
            height = options.height > 0 ? options.height : first.height;
  GLFWwindow* window = make_window(width, height, GLFW_NATIVE_CONTEXT_API);
  if (window == nullptr) {
    const Error error = window_error(tr("no window with OpenGL 3.3 can be opened"));
    glfwTerminate();
    return error;
  }
  std::unique_ptr<Platform> platform(new Platform(window));
  start_imgui();
  const Fonts fonts = load_fonts();
  if (auto started = platform->start_drawing(fonts); !started) return started.error();
  if (options.visible && room == WindowExtent{width, height}) glfwMaximizeWindow(window);
  if (options.visible) glfwShowWindow(window);
  return platform;
}

Result<Done> Platform::start_drawing(const Fonts& fonts) {
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
  if (auto loaded = render::load_functions(glfwGetProcAddress); !loaded) return loaded;
  is_patient_ = names_software_renderer(render::describe_context());
  if (is_patient_) {
    auto frame_painter = FramePainter::make();
    if (!frame_painter) return frame_painter.error();
    painter_ = std::make_unique<FramePainter>(*std::move(frame_painter));
  }
  auto painter = render::HeatPainter::make();
  if (!painter) return painter.error();
  graphics_ = std::make_unique<Graphics>(Graphics{fonts, *std::move(painter)});
  glfwSetWindowUserPointer(window_, this);
  glfwSetDropCallback(window_, drop_callback);
  glfwSetWindowSizeCallback(window_, size_callback);
  glfwSetWindowFocusCallback(window_, focus_callback);  // Dear ImGui's own pass on to this and the next
  glfwSetCursorEnterCallback(window_, enter_callback);
  input_.attach(window_);
  ImGui_ImplGlfw_InitForOpenGL(window_, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  glfwSetKeyCallback(window_, key_callback);  // In place of Dear ImGui's own
  return Done{};
}

void Platform::stop_drawing() {
  if (graphics_ == nullptr) return;
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  painter_.reset();
  graphics_.reset();
}

Platform::~Platform() {
  stop_drawing();
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
  if (left_gpu()) return;
  glfwDestroyWindow(window_);
  glfwTerminate();
}

Result<Done> Platform::draw_without_gpu() {
  is_patient_ = true;
  if (auto chosen = choose_software_opengl(); !chosen) return chosen;
  const auto [width, height] = size();
  GLFWwindow* window = make_window(width, height, GLFW_EGL_CONTEXT_API);
  if (window == nullptr) return window_error(tr("no window can be drawn in software"));
  Place place = windowed_;
  if (!fullscreen_) glfwGetWindowPos(window_, &place.x, &place.y);
  glfwSetWindowPos(window, place.x, place.y);
  if (glfwGetWindowAttrib(window_, GLFW_VISIBLE) != GLFW_FALSE) glfwShowWindow(window);
  glfwHideWindow(window_);
  left_ = std::exchange(window_, window);
  fullscreen_ = false;
  title_.clear();
  // What was made in the old context is deleted where it does not exist: that does nothing, and waits for
  // nothing.
  glfwMakeContextCurrent(window_);
  const Fonts fonts = graphics_->fonts;
  stop_drawing();
  ImGui::GetIO().ClearInputKeys();  // Their releases went to the old window
  auto started = start_drawing(fonts);
  cannot_draw_ = !started.ok();
  return started;
}

float Platform::monitor_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::clamp(x, 1.0f, kLargestScale);
}

int Platform::monitors() {
  int monitors = 0;
  glfwGetMonitors(&monitors);
  return monitors;
}

bool Platform::close_wanted() const {
  return glfwWindowShouldClose(window_) != GLFW_FALSE;
}

void Platform::stay_open() {
  glfwSetWindowShouldClose(window_, GLFW_FALSE);
}

void Platform::set_title(const std::string& title) {
  if (title == title_) return;
  title_ = title;
  glfwSetWindowTitle(window_, title_.c_str());
}

void Platform::resize(int width, int height) {
  glfwSetWindowSize(window_, width, height);
}

std::pair<int, int> Platform::size() const {
  if (fullscreen_) return {windowed_.width, windowed_.height};
  int width = 0, height = 0;
  glfwGetWindowSize(window_, &width, &height);
  return {width, height};
}

void Platform::set_fullscreen(bool fullscreen, bool leave_first_monitor) {
  if (fullscreen == fullscreen_ && (!fullscreen || leave_first_monitor == leaves_first_monitor_)) return;
  const bool was_fullscreen = std::exchange(fullscreen_, fullscreen);
  leaves_first_monitor_ = leave_first_monitor;
  if (!fullscreen) {
    glfwSetWindowMonitor(window_, nullptr, windowed_.x, windowed_.y, windowed_.width, windowed_.height,
                         GLFW_DONT_CARE);
    return;
  }
  if (!was_fullscreen) {
    glfwGetWindowPos(window_, &windowed_.x, &windowed_.y);
    glfwGetWindowSize(window_, &windowed_.width, &windowed_.height);
  }
  int monitors = 0;
  GLFWmonitor** const all = glfwGetMonitors(&monitors);
  GLFWmonitor* const monitor = leave_first_monitor && monitors > 1 ? all[1] : glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor == nullptr ? nullptr : glfwGetVideoMode(monitor);
  int x = 0, y = 0;
  if (monitor != nullptr) glfwGetMonitorPos(monitor, &x, &y);
  if (mode != nullptr)
    glfwSetWindowMonitor(window_, monitor, x, y, mode->width, mode->height, mode->refreshRate);
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
  input_.begin_frame();
  keyboard_.hand_over();
  ImGui::NewFrame();
}

void Platform::render() {
  ImGui::Render();
  const ImDrawData& draw_data = *ImGui::GetDrawData();
  if (painter_ && draw_data.FramebufferScale.x == 1 && draw_data.FramebufferScale.y == 1)
    return painter_->draw(draw_data);
  glViewport(0, 0, input_.extent().width, input_.extent().height);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Platform::end_frame_unseen() {
  ImGui::Render();
}

bool Platform::end_frame() {
  render();
  if (!drawn_in_time()) return false;
  glfwSwapBuffers(window_);
  return true;
}

bool Platform::drawn_in_time() const {
  if (is_patient_) return true;
  constexpr auto kPatience = std::chrono::seconds(2);
  constexpr auto kPause = std::chrono::microseconds(
      100);  // Between two looks: drivers that are told to wait keep a core busy until the GPU is done
  GLsync drawn = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  const auto begin = std::chrono::steady_clock::now();
  GLenum waited = glClientWaitSync(drawn, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
  while (waited == GL_TIMEOUT_EXPIRED && std::chrono::steady_clock::now() - begin < kPatience) {
    std::this_thread::sleep_for(kPause);
    waited = glClientWaitSync(drawn, 0, 0);
  }
  glDeleteSync(drawn);
  return waited != GL_TIMEOUT_EXPIRED;
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
    std::copy_n(bottom_up.data() + (static_cast<std::size_t>(height) - 1 - y) * row, row,
                pixels.data() + y * row);
  }
  for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = 255;
  return pixels;
}

void Platform::key_callback(GLFWwindow* window, int key, int scancode, int action, int modifiers) {
  auto* platform = static_cast<Platform*>(glfwGetWindowUserPointer(window));
  if (action != GLFW_REPEAT) platform->keyboard_.add({key, scancode, action == GLFW_PRESS, modifiers});
}

void Platform::size_callback(GLFWwindow* window, int width, int height) {
  static_cast<Platform*>(glfwGetWindowUserPointer(window))->input_.resized(width, height);
}

void Platform::focus_callback(GLFWwindow* window, int focused) {
  static_cast<Platform*>(glfwGetWindowUserPointer(window))->input_.focus_changed(focused != 0);
}

void Platform::enter_callback(GLFWwindow* window, int entered) {
  static_cast<Platform*>(glfwGetWindowUserPointer(window))->input_.pointer_crossed(entered != 0);
}

void Platform::drop_callback(GLFWwindow* window, int count, const char** paths) {
  const auto* platform = static_cast<const Platform*>(glfwGetWindowUserPointer(window));
  if (count > 0 && platform->dropped_) platform->dropped_({paths, paths + count});
}

}  // namespace warplens::app
