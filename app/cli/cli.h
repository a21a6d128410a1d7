// The command line: the same work as the window's, headless. What each command does and prints is in
// docs/cli.md.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace warplens::app {

class CliCommand;

/// Exit status of every command.
enum ExitStatus : int { kDone = 0, kFailed = 1, kMisused = 2 };

/// What happens without a command: the window, in builds that have one. Options of its own go to the program.
struct WindowCommand {
  std::function<void(const CliCommand& program)> add_options;
  std::function<int()> run;  ///< Returns the exit status. Empty: a command is required
};

/// Runs one command: `arguments` without the program's name. Results go to `out`, messages to `err`.
[[nodiscard]] int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
                          const WindowCommand& window = {});

}  // namespace warplens::app
