#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/launch_options.h"
#include "app/cli/recordings.h"
#include "app/cli/report_text.h"
#include "kernels/base/figures.h"
#include "kernels/base/text.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

struct RecordOptions {
  std::string kernel;
  std::filesystem::path output;
  LaunchOptions launch;
};

void run_record(Context& context, const RecordOptions& options) {
  if (kind_of(options.kernel) == SubjectKind::recording) {
    return context.misuse({fmt::format("{} is no kernel", options.kernel), "",
                           "record takes a kernel of `warplens list` or a PTX file."});
  }
  Result<LaunchRequest> request = make_request(kind_of(options.kernel), options.kernel, options.launch, {});
  if (!request.ok()) return context.misuse(request.error());
  request->event_blocks = request->replay_blocks;

  const std::optional<LaunchResult> result = launch_until_interrupted(context, *request);
  if (!result) return;
  tell_unread_sources(context, result->unread_sources);
  const Recording* const recording = &result->recording;
  const std::filesystem::path path = options.output.empty()
                                         ? std::filesystem::path(options.kernel).replace_extension(".wlr")
                                         : options.output;
  if (const Result<Done> saved = save(*recording, path); !saved.ok()) return context.fail(saved.error());
  context.out << fmt::format(
      "{}: {} of {}\n{}\n", escaped(path.string()), counted(recording->events.size(), "access", "accesses"),
      counted(recording->event_blocks.size(), "block", "blocks"), run_in_words(*recording));
  context.out << findings_text(*recording);
  tell_messages(context, *recording);
  if (failed(*recording)) context.status = kFailed;
}

}  // namespace

void add_record(Program& program, Context& context) {
  auto options = std::make_shared<RecordOptions>();
  const CliCommand command =
      program.add_command("record", "Replay a kernel, and keep every access of its blocks in a file");
  command.add_option("kernel", options->kernel, "A kernel of `warplens list`, or a PTX file")
      .required()
      .value_name("KERNEL|FILE.ptx");
  options->launch.add_to(command);
  command.add_option("-o", options->output, "The recording's file (KERNEL.wlr if not given)")
      .value_name("FILE.wlr");
  command.footer(
      "Examples:\n"
      "  warplens record tiled --size 256 --set T=16\n"
      "  warplens record naive -m 1000 -p 64 -n 48 --blocks '0,0;1,7' -o naive.wlr\n"
      "  warplens record sum.ptx --grid 8 --block 128 --arg buf:f32:1024:random --arg buf:f32:8 --arg "
      "i32:1024");
  command.action([&context, options] { run_record(context, *options); });
}

}  // namespace warplens::app
