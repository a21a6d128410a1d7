#include <memory>

#include "app/cli/command.h"
#include "app/cli/launch_options.h"
#include "app/cli/recordings.h"

namespace warplens::app {
namespace {

struct ReportOptions {
  std::string subject, cc = "9.0";
  bool json = false, fail_on_findings = false;
  LaunchOptions launch;
};

/// The blocks that were asked for; nullopt: all, or those of a file.
std::optional<std::vector<Dim3>> blocks_of(const Recording& recording, const LaunchOptions& options) {
  const Result<BlockChoice> choice = options.block_choice();
  if (!choice.ok() || choice->all) return std::nullopt;
  const Result<std::vector<Dim3>> blocks = chosen_blocks(recording.grid, *choice);
  return blocks.ok() ? std::optional(*blocks) : std::nullopt;
}

void run_report(Context& context, const ReportOptions& options) {
  const Result<analysis::ComputeCapability> cc = analysis::parse_compute_capability(options.cc);
  if (!cc.ok()) return context.misuse(cc.error());
  const std::optional<Recording> recording =
      load_or_record(context, options.subject, options.launch, *cc, std::nullopt);
  if (!recording) return;
  print_report(context, *recording, *cc, options.json, blocks_of(*recording, options.launch),
               path_of(options.subject));
  if (failed(*recording) || (options.fail_on_findings && !recording->findings.empty()))
    context.status = kFailed;
}

}  // namespace

void add_report(Program& program, Context& context) {
  auto options = std::make_shared<ReportOptions>();
  const CliCommand command = program.add_command(
      "report", "What a kernel's accesses cost: totals, by source line, by phase, and what is wrong");
  command.add_option("subject", options->subject, "A kernel of `warplens list`, a PTX file or a recording's")
      .required()
      .value_name("KERNEL|FILE");
  options->launch.add_to(command);
  command.add_option("--cc", options->cc, "Compute capability whose memory rules hold")
      .value_name("X.Y")
      .shows_default();
  command.add_flag("--json", options->json, "One JSON document on standard output");
  command.add_flag("--fail-on-findings", options->fail_on_findings,
                   "Exit with 1 if anything wrong was found");
  command.footer(
      "Examples:\n"
      "  warplens report tiled --size 256 --set T=16\n"
      "  warplens report naive_uncoalesced -m 100 -p 200 -n 300 --cc 2.0 --json\n"
      "  warplens report tiled.wlr");
  command.action([&context, options] { run_report(context, *options); });
}

}  // namespace warplens::app
