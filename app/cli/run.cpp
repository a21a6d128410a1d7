#include "app/cli/command.h"

namespace warplens::app {

// Not in the help: it is known so that who asks for it learns why there is nothing to run.
void add_run(CLI::App& program, Context& context) {
  CLI::App* const command = program.add_subcommand("run", "Launch a kernel for real")->group("");
  command->allow_extras();
  command->callback([&context] {
    context.fail({"this version does not launch kernels on a GPU", "", "`warplens report` replays them on the CPU, with the same accesses."});
  });
}

}  // namespace warplens::app
