// What a frame of the window costs at 1600 x 900 while one scrubs along the phases, plays, or does nothing:
// CPU time of all threads of the process, for OpenGL in software has some of its own. Its parts: making
// pictures; all else that lays the window out; OpenGL. Without a display there are none of these;
// tools/dev/bench.sh brings one that is not seen.
#include <GLFW/glfw3.h>
#include <benchmark/benchmark.h>
#include <imgui.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "app/session/navigation.h"
#include "app/shell/app.h"
#include "app/shell/platform/platform.h"
#include "viz/render/gl.h"

namespace warplens::app {
namespace {

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Cost {
  double pictures = 0, layout = 0, opengl = 0;  ///< Seconds
  double shown = 0;  ///< Of `opengl`, what it takes to show what has been drawn: a copy, where X knows
                     ///< nothing of the GPU
  [[nodiscard]] double all() const { return pictures + layout + opengl; }
};

/// As it is at first, with `tiled` in it.
class Window {
 public:
  Window() {
    std::string folder = (std::filesystem::temp_directory_path() / "warplens-bench-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return;
    config_ = folder;
    app_ = std::make_unique<App>(
        AppOptions{.config_folder = config_, .worker = {.command = {"/bin/false"}}, .wake = Platform::wake},
        Settings{});
    auto platform = Platform::make({.width = 1600, .height = 900});
    if (!platform) return;
    platform_ = *std::move(platform);
    for (int settled = 0; settled < 10; settled += app_->settled() ? 1 : 0) static_cast<void>(draw());
  }
  ~Window() {
    app_.reset();
    platform_.reset();
    std::filesystem::remove_all(config_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  [[nodiscard]] bool opened() const { return platform_ != nullptr; }
  [[nodiscard]] App& app() { return *app_; }

  /// Seconds to lay a frame out, and to draw it.
  std::pair<double, double> draw() {
    platform_->wait(0);
    const double begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    app_->prepare_frame(platform_->graphics());
    platform_->begin_frame();
    app_->draw_frame(platform_->graphics());
    const double laid_out = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    static_cast<void>(platform_->end_frame());
    glFinish();
    return {laid_out - begun, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - laid_out};
  }
  /// Seconds to show once more what was drawn last.
  static double show() {
    const double begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    glfwSwapBuffers(glfwGetCurrentContext());
    glFinish();
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun;
  }
  /// Of a frame with something new, beside the same frame with nothing new in it.
  Cost cost() {
    const auto [layout, opengl] = draw();
    const double still = draw().first;
    return {.pictures = std::max(layout - still, 0.0), .layout = still, .opengl = opengl, .shown = show()};
  }

  /// Every frame has one step, and begins again at the end.
  void play() {
    Selection& selection = app_->selection();
    const Selection next = moved_by_steps(*app_->loaded()->recording, selection, 1);
    selection = next == selection ? clamped(*app_->loaded()->recording, Selection{}) : next;
  }
  /// The mouse is held on the strip of phases, three pixels further in every frame.
  void scrub() {
    constexpr float kLeft = 70, kRight = 1560, kHeight = 870;
    at_ = at_ < kLeft || at_ > kRight ? kLeft : at_ + 3;
    ImGui::GetIO().AddMousePosEvent(at_, kHeight);
    ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, true);
  }
  void let_go() {
    ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, false);
    ImGui::GetIO().AddMousePosEvent(-1, -1);
    for (int i = 0; i < 3; ++i) static_cast<void>(draw());
  }

 private:
  std::filesystem::path config_;
  std::unique_ptr<App> app_;
  std::unique_ptr<Platform> platform_;
  float at_ = 0;
};

enum class Doing { scrub, play, nothing };

template <class Part>
void frame(benchmark::State& state, Doing doing, Part part) {
  Window window;
  if (!window.opened()) return state.SkipWithError("there is no display");
  int moved = 0;
  for (auto _ : state) {
    if (doing == Doing::scrub) window.scrub();
    if (doing == Doing::play) window.play();
    const Selection before = window.app().selection();
    state.SetIterationTime(part(window.cost()));
    moved += window.app().selection() == before ? 0 : 1;
  }
  window.let_go();
  if (doing == Doing::scrub && moved == 0) state.SkipWithError("the mouse is not on the strip of phases");
}

void all_of(const std::string& name, Doing doing) {
  const auto add = [&](const std::string& suffix, auto part) {
    const auto run = [doing, part](benchmark::State& state) { frame(state, doing, part); };
    benchmark::RegisterBenchmark(("frame/" + name + suffix).c_str(), run)
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(100);
  };
  add("", [](const Cost& cost) { return cost.all(); });
  add("/pictures", [](const Cost& cost) { return cost.pictures; });
  add("/layout", [](const Cost& cost) { return cost.layout; });
  add("/opengl", [](const Cost& cost) { return cost.opengl; });
  add("/opengl/shown", [](const Cost& cost) { return cost.shown; });
}

const bool kRegistered = [] {
  all_of("scrub", Doing::scrub);
  all_of("play", Doing::play);
  all_of("nothing", Doing::nothing);
  return true;
}();

}  // namespace
}  // namespace warplens::app
