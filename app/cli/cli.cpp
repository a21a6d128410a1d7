#include "app/cli/cli.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include <new>
#include <stdexcept>
#include <system_error>

#include "app/cli/command.h"
#include "app/cli/outlet.h"
#include "app/version/version.h"

namespace warplens::app {
namespace {

/// What cannot be written is an error that has a message, and no death by a signal.
void ignore_write_signals() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/// A file that is opened takes the lowest number that is free: where a standard stream is closed, that is the
/// stream's, and what is printed would go into the file. Nothing can be written to what is opened here.
void hold_standard_streams() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != number) return;
  }
}

/// Compilers' options of one dash and several letters, as nvcc has them, with the two that such options have
/// here.
std::vector<std::string> with_two_dashes(std::vector<std::string> arguments) {
  constexpr std::array<std::string_view, 4> kNames{"-std", "-include", "-maxrregcount", "-use_fast_math"};
  for (std::string& argument : arguments) {
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    if (std::ranges::find(kNames, name) != kNames.end()) argument.insert(0, 1, '-');
  }
  return arguments;
}

nlohmann::ordered_json version_document() {
  const Version& of = version();
  return {{"version", of.number},    {"commit", of.commit},   {"date", of.date},
          {"compiler", of.compiler}, {"options", of.options}, {"window", of.window},
          {"fmt", of.fmt},           {"zstd", of.zstd},       {"kernels", of.kernels}};
}

/// The exit status.
int run_command(Program& program, const std::vector<std::string>& arguments, Context& context,
                const WindowCommand& window) {
  try {
    switch (program.run(with_two_dashes(arguments), context.out, context.err)) {
      case Program::Outcome::command_ran: return context.status;
      case Program::Outcome::no_command: return window.run();
      case Program::Outcome::told: return kDone;
      case Program::Outcome::misused: return kMisused;
    }
  } catch (const std::bad_alloc&) {
    context.fail(out_of_memory());
  } catch (const std::length_error&) {  // Of a container that is asked for more than there are addresses
    context.fail(out_of_memory());
  } catch (const std::exception& unforeseen) {
    context.fail({unforeseen.what(), "", ""});
  }
  return context.status;
}

}  // namespace

int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
            const WindowCommand& window) {
  ignore_write_signals();
  hold_standard_streams();
  Outlet outlet(out);
  std::ostream results(&outlet);
  Context context{results, err};
  Program program("warplens",
                  "Shows what the kernels of matrix products do to a GPU's memory, from exact records. "
                  "Without a command it opens the window.",
                  {version_text(), text_of_document(version_document())});
  if (window.add_options) window.add_options(program);
  if (!window.run) program.require_command();
  program.footer(
      "Exit status: 0 done, 1 failed, 2 misused. `warplens COMMAND --help` tells more.\n\n"
      "Examples:\n"
      "  warplens report tiled --size 256 --set T=16\n"
      "  warplens record volkov_padded --size 512 --blocks '0,0;3,2' -o volkov.wlr\n"
      "  warplens export volkov.wlr --view banks -o banks.svg");
  for (const auto add : {add_list, add_record, add_report, add_replay, add_check, add_run, add_pattern,
                         add_compare, add_export, add_lesson, add_doctor, add_describe, add_worker}) {
    add(program, context);
  }
  const int status = run_command(program, arguments, context, window);
  if (outlet.finish()) return status;
  const std::string reason =
      outlet.reason() == 0 ? "" : ": " + std::generic_category().message(outlet.reason());
  context.fail({"the results cannot be written to standard output" + reason, "",
                "What is missing from them is lost: run it again"});
  return kFailed;
}

}  // namespace warplens::app
