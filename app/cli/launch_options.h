// The options that say what to launch, and how: a kernel of the ladder by its sizes, or one of a file by its
// grid, block and arguments.
#pragma once

#include "app/cli/command_line.h"
#include "app/launch/launch_words.h"

namespace warplens::app {

struct LaunchOptions : LaunchWords {
  void add_problem_to(const CliCommand& command);
  void add_file_to(const CliCommand& command,
                   bool group);  ///< `group`: under a heading of their own in the help
  void add_engine_to(const CliCommand& command);
  /// All of them.
  void add_to(const CliCommand& command);
};

/// -I, -D, -U, -include, -std, -maxrregcount, -use_fast_math, --extended-lambda, --expt-relaxed-constexpr.
/// `group`: the heading that they stand under in the help; empty: none.
void add_compiler_options(const CliCommand& command, CompilerWords& words, const std::string& group);

/// --compile-timeout
Option add_compile_timeout(const CliCommand& command, std::optional<std::uint64_t>& seconds);
/// The consent to run Python files.
Option add_run_python(const CliCommand& command, bool& run);

}  // namespace warplens::app
