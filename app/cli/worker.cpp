#include "app/cli/command.h"
#include "app/worker/handlers.h"

namespace warplens::app {

// Not in the help: the window starts it, and speaks to it.
void add_worker(Program& program, Context& context) {
  const CliCommand command = program.add_command("worker", "Do the window's work on the GPU");
  command.hide();
  command.action([&context] { context.status = worker::serve_standard_streams(worker::standard_worker()); });
}

}  // namespace warplens::app
