#include "app/cli/cli.h"

#include <algorithm>

#include "app/cli/command.h"

namespace warplens::app {

int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err, const WindowCommand& window) {
  Context context{out, err};
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
  try {
    program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them last first
  } catch (const CLI::ParseError& stop) {
    return program.exit(stop, out, err) == 0 ? kDone : kMisused;
  } catch (const std::exception& unforeseen) {
    context.fail({unforeseen.what(), "", ""});
    return context.status;
  }
  return program.get_subcommands().empty() ? window.run() : context.status;
}

}  // namespace warplens::app
