#include "app/cli/command.h"
#include "app/worker/handlers.h"

namespace warplens::app {

// Not in the help: the window starts it, and speaks to it.
void add_worker(CLI::App& program, Context& context) {
  CLI::App* const command = program.add_subcommand("worker", "Do the window's work on the GPU")->group("");
  command->callback([&context] { context.status = worker::serve_standard_streams(worker::standard_worker()); });
}

}  // namespace warplens::app
