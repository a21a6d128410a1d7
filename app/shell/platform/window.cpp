#include "app/shell/platform/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "app/languages/languages.h"
#include "app/shell/app.h"
#include "app/shell/notes_window.h"
#include "app/shell/platform/end_signals.h"
#include "app/shell/platform/platform.h"
#include "app/shell/platform/process_clock.h"
#include "kernels/base/files.h"
#include "kernels/base/texts.h"
#include "viz/export/raster.h"

namespace warplens::app {
namespace {

/// Dear ImGui needs a few frames to settle after an event: a click opens a popup in the next, which is
/// measured, then placed.
constexpr int kFramesAfterEvent = 3;
/// Tooltips of controls appear this long after the pointer stopped, and a frame has to be drawn then.
constexpr double kTooltipDelay = 0.45;

Settings settings_for(const WindowOptions& options, const std::filesystem::path& folder,
                      std::optional<Error>& error) {
  auto loaded = load_settings(folder);
  if (!loaded) error = loaded.error();
  Settings settings = loaded ? *std::move(loaded) : Settings{};
  if (options.width) settings.width = *options.width;
  if (options.height) settings.height = *options.height;
  if (options.scale) settings.scale = *options.scale;
  if (options.dark) settings.dark = *options.dark;
  if (!options.language.empty()) settings.language = options.language;
  return settings;
}

int fail(const Error& error) {
  fmt::print(stderr, "warplens: {}\n", error.message());
  return 1;
}

int write_screenshot(const Platform& platform, std::vector<std::uint8_t> pixels,
                     const std::filesystem::path& path) {
  const auto [width, height] = platform.size();
  const auto png = viz::to_png({.width = width, .height = height, .rgba = std::move(pixels)});
  if (const auto written = write_file(path, png); !written) return fail(written.error());
  return 0;
}

/// The loop of the window.
class Loop {
 public:
  Loop(Platform& platform, App& app, const WindowOptions& options)
      : platform_(platform), app_(app), options_(options) {}
  /// Whether settings and layout are kept: a screenshot leaves none.
  [[nodiscard]] bool keeps() const { return options_.screenshot.empty() && !options_.startup_time; }

  int run() {
    while (!platform_.cannot_draw() && !app_.quit_wanted() && !signals_.arrived()) {
      draw();
      follow_close_button();
      follow_size();
      if (keeps()) app_.save_changes();
      if (const auto status = finished_early()) return *status;
      wait();
    }
    return 0;
  }

 private:
  void draw() {
    app_.set_monitor_scale(platform_.monitor_scale());
    app_.set_monitors(Platform::monitors());
    platform_.set_title(app_.title());
    platform_.set_fullscreen(app_.fullscreen_wanted() && options_.screenshot.empty(),
                             notes_ != nullptr);  // A screenshot has the size it is asked for
    app_.prepare_frame(platform_.graphics());
    platform_.begin_frame();
    app_.draw_frame(platform_.graphics());
    app_.watch().begin("OpenGL");
    app_.watch().drawing("what the views made, all at once");
    bool drawn = true;
    if (options_.screenshot.empty()) {
      drawn = platform_.end_frame();
    } else {
      pixels_ = platform_.end_frame_with_pixels();
    }
    app_.watch().end();
    if (!drawn) leave_gpu();
    show_notes();
    if (app_.settled()) settled_frames_ += 1;
    if (options_.frame_rate) print_frame_rate();
  }

  void show_notes() {
    const std::optional<SpeakerPage> page = app_.speaker_page();
    if (notes_ && (!page || notes_->close_wanted())) {
      notes_.reset();
      return app_.close_speaker_page();
    }
    if (!page) return;
    if (!notes_) {
      auto made = NotesWindow::make(platform_.window(), [this](KeyEvent event) { platform_.press(event); });
      if (!made) {
        app_.close_speaker_page();
        return app_.report(tr("Showing the notes"), made.error());
      }
      notes_ = *std::move(made);
    }
    notes_->show(*page, {&app_.palette_shown(), platform_.monitor_scale()});
  }

  /// The GPU does not draw: a launch keeps it from that, or its driver has lost the window's context since a
  /// kernel faulted.
  void leave_gpu() {
    Error error{
        tr("the GPU did not draw a frame within 2 s, and the window is drawn in software from now on"), "",
        tr("Launches and recordings go on. Start Warplens again to draw with the GPU; if that fails again, "
           "reset the GPU or restart the machine")};
    if (const auto drawing = platform_.draw_without_gpu(); !drawing) {
      error = {tr("the GPU did not draw a frame within 2 s, and nothing else can: {reason}",
                  "reason"_a = drawing.error().what),
               drawing.error().where, drawing.error().hint};
    }
    if (notes_ && platform_.left_gpu())
      notes_.release()->hide();  // Beside the new window there will be another
    app_.report(tr("Drawing the window"), error);
    frames_due_ = kFramesAfterEvent;
  }

  void print_frame_rate() {
    ++frames_;
    const double now = seconds_since_process_start();
    if (now - frames_since_ < 1) return;
    fmt::print("{:.1f} frames a second\n", frames_ / (now - frames_since_));
    std::fflush(stdout);
    frames_ = 0;
    frames_since_ = now;
  }

  /// Where edits would be lost, the window stays until the user has answered for them.
  void follow_close_button() {
    if (!platform_.close_wanted()) return;
    platform_.stay_open();
    app_.quit();
    frames_due_ = kFramesAfterEvent;
  }

  void follow_size() { std::tie(app_.settings().width, app_.settings().height) = platform_.size(); }

  void wait() {
    double seconds = app_.seconds_until_next_frame();
    if (frames_due_ > 0 || platform_.input_waiting()) seconds = 0;
    if (tooltip_due_) seconds = std::min(seconds, kTooltipDelay);
    if (!options_.screenshot.empty()) seconds = std::min(seconds, options_.screenshot_delay / 4);
    const bool something_happened = platform_.wait(seconds);
    if (seconds > 0) {
      frames_due_ = something_happened ? kFramesAfterEvent : 0;
      tooltip_due_ = something_happened;
    } else if (frames_due_ > 0) {
      --frames_due_;
    }
  }

  /// The exit status, where the window was opened for a screenshot or a measurement alone.
  std::optional<int> finished_early() {
    if (!keeps() && app_.start_error()) return fail(*app_.start_error());
    constexpr int kFullFrames = 2;  // In the first one, panels learn their sizes
    if (settled_frames_ < kFullFrames) return std::nullopt;
    if (options_.startup_time) {
      fmt::print("first full picture after {:.2f} s\n", seconds_since_process_start());
      return 0;
    }
    if (options_.screenshot.empty()) return std::nullopt;
    const double now = seconds_since_process_start();
    if (settled_since_ == 0) settled_since_ = now;
    if (now - settled_since_ < options_.screenshot_delay) return std::nullopt;
    return write_screenshot(platform_, std::move(pixels_), options_.screenshot);
  }

  Platform& platform_;
  App& app_;
  const WindowOptions& options_;
  EndSignals signals_{Platform::wake};
  std::unique_ptr<NotesWindow> notes_;
  int frames_due_ = kFramesAfterEvent, settled_frames_ = 0;
  bool tooltip_due_ = false;
  std::vector<std::uint8_t> pixels_;  ///< Of the last frame, if a screenshot is wanted
  double settled_since_ = 0;
  int frames_ = 0;  ///< Since frames_since_
  double frames_since_ = 0;
};

}  // namespace

int run_window(const WindowOptions& options) {
  const auto folder = options.config_folder.empty() ? default_config_folder() : options.config_folder;
  std::optional<Error> settings_error;
  speak(options.language);
  const bool first_start = is_first_start(folder);
  const Settings settings = settings_for(options, folder, settings_error);
  speak(settings.language);
  auto app = std::make_unique<App>(
      AppOptions{.config_folder = folder, .open = options.open, .wake = Platform::wake}, settings);
  if (settings_error) app->report(tr("Reading the settings"), *settings_error);

  auto platform =
      Platform::make({.width = settings.width, .height = settings.height, .visible = options.visible});
  if (!platform) return fail(platform.error());
  (*platform)->on_drop([&app](std::vector<std::filesystem::path> paths) { app->open_all(std::move(paths)); });
  app->meter().switch_on(settings.measure);

  Loop loop(**platform, *app, options);
  if (first_start && loop.keeps() && options.open.empty()) app->start_tour();
  if (loop.keeps()) app->offer_left_edits();
  const int status = loop.run();
  if (loop.keeps()) app->save_state();
  app.reset();  // Its textures go before the context that they live in
  if ((*platform)->left_gpu()) {
    std::fflush(nullptr);
    std::_Exit(status);
  }
  return status;
}

}  // namespace warplens::app
