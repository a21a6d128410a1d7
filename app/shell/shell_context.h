// What the controllers of the window share: the state that each of them works on, owned by App.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

#include "app/launch/launch_menus.h"
#include "app/measure/meter.h"
#include "app/shell/messages.h"
#include "app/shell/notice.h"
#include "app/shell/panels.h"
#include "app/shell/platform/file_dialog.h"
#include "app/shell/settings.h"
#include "app/views/frame_watch.h"
#include "app/views/scrubber.h"
#include "app/views/view.h"
#include "app/worker/client_options.h"

namespace warplens::app {

struct AppOptions {
  std::filesystem::path config_folder;
  std::filesystem::path open;    ///< A recording; empty: record `tiled` then and there
  worker::ClientOptions worker;  ///< How the work on the GPU is done; its `wake` is the one below, its
                                 ///< watchdog that of the settings
  std::function<void()> wake;    ///< Makes the event loop draw a frame; called from any thread
  std::chrono::milliseconds verification_patience{
      60};  ///< A result that takes longer to verify is verified behind its picture
  std::function<double()> clock = measure::seconds_from_now();  ///< In seconds: of every pause and delay of
                                                                ///< the window; called from any thread
  FrameWatch::Clock::duration patience = std::chrono::seconds(2);  ///< A frame that takes as long is logged
  FrameWatch::Log log = FrameWatch::log_to_stderr;
};

struct ShellContext {
  const AppOptions& options;
  Settings& settings;
  LaunchMenus& menus;  ///< What the launch row says
  Model& model;
  Player& player;
  Panels& panels;
  Messages& messages;
  Notice& notice;
  FileDialog& file_dialog;
  const measure::Meter& meter;

  /// The clock of the window, in seconds.
  [[nodiscard]] double now() const { return meter.now(); }
};

}  // namespace warplens::app
