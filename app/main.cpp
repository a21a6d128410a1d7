#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

#include "app/cli/cli.h"
#include "app/cli/command_line.h"
#include "app/languages/languages.h"
#include "app/shell/platform/window.h"
#include "kernels/compile/compiler_process.h"

namespace {

using warplens::app::CliCommand;
using warplens::app::WindowOptions;

std::string neither_command_nor_file(const std::string& name) {
  std::error_code error;
  const bool can_open =
      std::filesystem::is_regular_file(name, error) || std::filesystem::is_directory(name, error);
  return can_open ? std::string() : "`" + name + "` is neither a command nor a file";
}

std::string neither_dark_nor_light(const std::string& theme) {
  return theme == "dark" || theme == "light" ? std::string() : "`" + theme + "` is neither dark nor light";
}

void add_window_options(const CliCommand& program, WindowOptions& options, std::string& theme) {
  constexpr const char* kGroup = "The window";
  program
      .add_option("file", options.open,
                  "A recording, a file of kernels, a folder of them or a lesson, to open")
      .check(neither_command_nor_file)
      .value_name("FILE.wlr|FILE.cu|FILE.ptx|FILE.py|FOLDER|LESSON.toml");
  program.add_option("--width", options.width, "Of the window, in pixels").group(kGroup);
  program.add_option("--height", options.height, "Of the window, in pixels").group(kGroup);
  program.add_option("--scale", options.scale, "Of everything in it")
      .in_range(0.5, 4.0)
      .value_name("0.5..4")
      .group(kGroup);
  program.add_option("--theme", theme, "Of its colours")
      .check(neither_dark_nor_light)
      .value_name("dark|light")
      .group(kGroup);
  program.add_option("--language", options.language, "Of its words")
      .check(warplens::app::why_not_spoken)
      .value_name(fmt::format("{}", fmt::join(warplens::app::tags_of_languages(), "|")))
      .group(kGroup);
  program.add_option("--config", options.config_folder, "Where settings and layout are kept")
      .value_name("FOLDER")
      .group(kGroup);
  program.add_option("--screenshot", options.screenshot, "Write what is on screen to a PNG, and close")
      .value_name("FILE.png")
      .group(kGroup);
  program
      .add_flag("--startup-time", options.startup_time, "Print the time to the first full picture, and close")
      .group(kGroup);
  program.add_flag("--frame-rate", options.frame_rate, "Print every second how many frames were drawn in it")
      .group(kGroup);
}

int run_window(WindowOptions& options, const std::string& theme) {
  if (!theme.empty()) options.dark = theme == "dark";
  return warplens::app::run_window(options);
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = warplens::compile::run_as_compiler_process(argc, argv)) return *status;
  WindowOptions options;
  std::string theme;
  return warplens::app::run_cli(
      {argv + 1, argv + argc}, std::cout, std::cerr,
      {.add_options = [&](const CliCommand& program) { add_window_options(program, options, theme); },
       .run = [&] { return run_window(options, theme); }});
}
