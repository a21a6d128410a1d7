// What is kept between starts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/base/result.h"

namespace warplens::app {

/// Options of the compiler that were written in the launch row for a file of a project.
struct ProjectOptions {
  std::filesystem::path project;
  std::string options;
  friend bool operator==(const ProjectOptions&, const ProjectOptions&) = default;
};

struct Settings {
  bool dark = true;
  float scale = 0;       ///< 0: as the monitor says
  float presented = 1;   ///< Likewise of presentations and lessons: 1 is what suits the screen
  std::string language;  ///< Its tag, "pl"; empty: as the environment says
  bool measure = true;
  bool separate_sizes = false;                ///< Of square matrices: fields for m, p and n, not for one size
  int width = 0, height = 0;                  ///< Of the window; 0: as suits the screen
  double watchdog_seconds = 10;               ///< A launch on the GPU without progress for so long is stopped
  std::uint32_t recordings_mb = 512;          ///< Memory for recordings other than that on screen
  std::vector<std::filesystem::path> recent;  ///< Latest first
  std::vector<std::string> hidden_views;
  std::vector<ProjectOptions> compiler_options;  ///< Latest first

  void add_recent(const std::filesystem::path& path);
  /// Empty ones are forgotten.
  void keep_options(const std::filesystem::path& project, const std::string& options);
  /// The folder of the file that was opened or saved last; empty: there was none.
  [[nodiscard]] std::filesystem::path folder_of_latest() const {
    return recent.empty() ? std::filesystem::path() : recent.front().parent_path();
  }
  friend bool operator==(const Settings&, const Settings&) = default;
};

/// Returns the options of the project; empty: none are kept.
[[nodiscard]] std::string options_of(const std::vector<ProjectOptions>& kept,
                                     const std::filesystem::path& project);

/// Where those files lie, each folder once.
[[nodiscard]] std::vector<std::filesystem::path> folders_of(const std::vector<std::filesystem::path>& files);

/// $XDG_CONFIG_HOME/warplens, else ~/.config/warplens.
[[nodiscard]] std::filesystem::path default_config_folder();

/// Nothing has been kept there yet.
[[nodiscard]] bool is_first_start(const std::filesystem::path& folder);
/// A missing file gives the defaults, and values out of range are put right. The error: the file is damaged,
/// and has been set aside.
[[nodiscard]] Result<Settings> load_settings(const std::filesystem::path& folder);
[[nodiscard]] Result<Done> save_settings(const Settings& settings, const std::filesystem::path& folder);

}  // namespace warplens::app
