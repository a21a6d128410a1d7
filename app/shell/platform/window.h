// The window: `warplens` without a command.
#pragma once

#include <filesystem>
#include <optional>

namespace warplens::app {

struct WindowOptions {
  std::filesystem::path open;           ///< A recording; empty: one of `tiled` is made then and there
  std::filesystem::path config_folder;  ///< Empty: where the desktop keeps settings
  std::optional<int> width, height;     ///< Of the window, pixels; else as last time
  std::optional<float> scale;           ///< Of everything in it; else as last time
  std::optional<bool> dark;             ///< The theme; else as last time
  std::string language;                 ///< Its tag; empty: as last time
  bool visible = true;
  std::filesystem::path
      screenshot;  ///< Once a recording is on screen: writes this PNG and closes. Settings are not kept then
  double screenshot_delay = 0.5;  ///< Seconds between the two
  bool startup_time =
      false;  ///< Prints how long it took from the process's start to the first full picture, and closes
  bool frame_rate = false;  ///< Print every second how many frames were drawn
};

/// Returns when the window is closed: the exit status. Errors before there is a window go to standard error.
[[nodiscard]] int run_window(const WindowOptions& options);

}  // namespace warplens::app
