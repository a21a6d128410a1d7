#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

#include "app/cli/cli.h"
#include "app/shell/window.h"

namespace {

using warplens::app::WindowOptions;

std::string neither_command_nor_file(const std::string& name) {
  std::error_code error;
  return std::filesystem::is_regular_file(name, error) ? std::string() : "`" + name + "` is neither a command nor a file";
}

std::string neither_dark_nor_light(const std::string& theme) {
  return theme == "dark" || theme == "light" ? std::string() : "`" + theme + "` is neither dark nor light";
}

void add_window_options(CLI::App& program, WindowOptions& options) {
  constexpr const char* kGroup = "The window";
  program.add_option("file", options.open, "A recording to open")->check(neither_command_nor_file)->type_name("FILE.wlr");
  program.add_option("--width", options.width, "Of the window, in pixels")->group(kGroup);
  program.add_option("--height", options.height, "Of the window, in pixels")->group(kGroup);
  program.add_option("--scale", options.scale, "Of everything in it")
      ->check(CLI::Range(0.5, 4.0).description(""))
      ->type_name("0.5..4")
      ->group(kGroup);
  program
      .add_option_function<std::string>(
          "--theme", [&options](const std::string& theme) { options.dark = theme == "dark"; }, "Of its colours")
      ->check(neither_dark_nor_light)
      ->type_name("dark|light")
      ->group(kGroup);
  program.add_option("--config", options.config_folder, "Where settings and layout are kept")->type_name("FOLDER")->group(kGroup);
  program.add_option("--screenshot", options.screenshot, "Write what is on screen to a PNG, and close")->type_name("FILE.png")->group(kGroup);
  program.add_flag("--startup-time", options.startup_time, "Print the time to the first full picture, and close")->group(kGroup);
  program.add_flag("--frame-rate", options.frame_rate, "Print every second how many frames were drawn in it")->group(kGroup);
}

}  // namespace

int main(int argc, char** argv) {
  WindowOptions options;
  return warplens::app::run_cli(
      {argv + 1, argv + argc}, std::cout, std::cerr,
      {.add_options = [&](CLI::App& program) { add_window_options(program, options); }, .run = [&] { return warplens::app::run_window(options); }});
}
