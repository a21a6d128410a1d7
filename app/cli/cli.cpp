#include "app/cli/cli.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>

#include "app/cli/command.h"
#include "app/cli/outlet.h"
#include "kernels/base/text.h"

namespace warplens::app {
namespace {

/// What cannot be written is an error that has a message, and no death by a signal.
void ignore_write_signals() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/// A file that is opened takes the lowest number that is free: where a standard stream is closed, that is the stream's, and what is printed would go
/// into the file. Nothing can be written to what is opened here.
void hold_standard_streams() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != number) return;
  }
}

std::string not_empty(const std::string& value) {
  return value.empty() ? "nothing is given" : std::string();
}

/// No option and no argument means anything by being empty.
void refuse_empty_values(CLI::App& program) {
  std::vector<CLI::App*> all = program.get_subcommands({});
  all.push_back(&program);
  for (CLI::App* const command : all) {
    for (CLI::Option* const option : command->get_options()) {
      if (option->get_items_expected_max() > 0) option->check(CLI::Validator(not_empty, ""));
    }
  }
}

/// What is wrong with the arguments, which may be of any length and hold anything.
std::string what_is_wrong(const CLI::App* /*program*/, const CLI::Error& error) {
  constexpr std::size_t kLongest = 800;
  return cut_at_end(escaped(error.what()), kLongest) + "\nRun with --help for more information.\n";
}

int run_command(CLI::App& program, const std::vector<std::string>& arguments, Context& context, const WindowCommand& window) {
  try {
    program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them last first
    return program.get_subcommands().empty() ? window.run() : context.status;
  } catch (const CLI::ParseError& stop) {
    return program.exit(stop, context.out, context.err) == 0 ? kDone : kMisused;
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

int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err, const WindowCommand& window) {
  ignore_write_signals();
  hold_standard_streams();
  Outlet outlet(out);
  std::ostream results(&outlet);
  Context context{results, err};
  CLI::App program{"Shows what the kernels of matrix products do to a GPU's memory, from exact records. Without a command it opens the window.",
                   "warplens"};
  program.set_version_flag("--version", "warplens " WARPLENS_VERSION);
  program.require_subcommand(window.run ? 0 : 1, 1);
  if (window.add_options) window.add_options(program);
  program.footer(
      "Exit status: 0 done, 1 failed, 2 misused. `warplens COMMAND --help` tells more.\n\n"
      "Examples:\n"
      "  warplens report tiled --size 256 --set T=16\n"
      "  warplens record volkov_padded --size 512 --blocks '0,0;3,2' -o volkov.wlr\n"
      "  warplens export volkov.wlr --view banks -o banks.svg");
  for (const auto add :
       {add_list, add_record, add_report, add_replay, add_check, add_run, add_pattern, add_compare, add_export, add_doctor, add_worker}) {
    add(program, context);
  }
  refuse_empty_values(program);
  program.failure_message(what_is_wrong);
  const int status = run_command(program, arguments, context, window);
  if (outlet.finish()) return status;
  const std::string reason = outlet.reason() == 0 ? "" : ": " + std::generic_category().message(outlet.reason());
  context.fail({"the results cannot be written to standard output" + reason, "", "What is missing from them is lost: run it again"});
  return kFailed;
}

}  // namespace warplens::app
