// The command line: the same work as the window's, headless. What each command does and prints is in docs/cli.md.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace warplens::app {

/// Exit status of every command.
enum ExitStatus : int { kDone = 0, kFailed = 1, kMisused = 2 };

/// Runs one command: `arguments` without the program's name. Results go to `out`, messages to `err`.
[[nodiscard]] int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace warplens::app
