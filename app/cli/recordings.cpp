#include "app/cli/recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/interrupt.h"
#include "app/cli/report_text.h"
#include "app/launch/guesses.h"
#include "app/launch/launch_menus.h"
#include "app/report/report_json.h"
#include "kernels/base/text.h"
#include "kernels/recording/file.h"
#include "viz/analysis/costs.h"
#include "viz/analysis/finding_rows.h"

namespace warplens::app {
namespace {

std::optional<Recording> load_file(Context& context, const std::string& path, const LaunchWords& words) {
  if (words.said()) {
    context.misuse({fmt::format("{} is a recording: how it was launched is given", path), "",
                    "Those options go with a kernel."});
    return std::nullopt;
  }
  Result<Recording> recording = load(path);
  if (recording.ok()) return std::move(*recording);
  context.fail(recording.error());
  return std::nullopt;
}

void tell_guesses(Context& context, const Guesses& guesses) {
  if (guesses.fields.empty()) return;
  context.err << fmt::format(
      "warplens: guessed, as the source does not say it: {}; --grid, --block and --arg say it\n",
      escaped(fmt::format("{}", fmt::join(guesses.fields, ", "))));
}

}  // namespace

std::filesystem::path path_of(const std::string& subject) {
  return kind_of(subject) == SubjectKind::recording ? subject : std::string();
}

std::optional<Recording> load_or_record(Context& context, const std::string& subject,
                                        const LaunchWords& words, analysis::ComputeCapability cc,
                                        const std::optional<BlockChoice>& event_blocks,
                                        const std::optional<Dim3>& drawn) {
  if (kind_of(subject) == SubjectKind::recording) return load_file(context, subject, words);
  const Result<LaunchRequest> request =
      make_request_to_record(kind_of(subject), subject, words, cc, event_blocks, drawn);
  if (!request.ok()) {
    context.misuse(request.error());
    return std::nullopt;
  }
  std::optional<LaunchResult> result = launch_until_interrupted(context, *request);
  if (!result) return std::nullopt;
  tell_unread_sources(context, result->unread_sources);
  return std::move(result->recording);
}

std::optional<LaunchResult> launch_until_interrupted(Context& context, const LaunchRequest& request) {
  const Guesses guesses = guesses_of(request);
  tell_guesses(context, guesses);
  replay::Progress progress;
  const Interrupt interrupt(progress.cancel);
  Result<LaunchResult> result = launch(request, &progress);
  if (result.ok()) {
    const std::size_t doubtful =
        analysis::finding_rows(take_doubtful(result->recording.findings, guesses)).size();
    if (doubtful > 0)
      context.err << fmt::format("warplens: without {}, which may be due to the guess alone\n",
                                 counted(doubtful, "finding", "findings"));
    return *std::move(result);
  }
  context.fail(result.error());
  Recording until_then;
  until_then.findings = std::move(progress.found);
  for (std::string& name : progress.found_files) until_then.files.push_back({std::move(name), {}});
  if (!until_then.findings.empty())
    context.err << "warplens: found until then:\n" << findings_text(until_then);
  return std::nullopt;
}

void tell_unread_sources(Context& context, const std::vector<UnreadSource>& sources) {
  constexpr std::size_t kMostTold = 5;
  for (std::size_t i = 0; i < std::min(kMostTold, sources.size()); ++i) {
    context.err << fmt::format("warplens: without the source {}: {}\n",
                               cut_at_begin(escaped(sources[i].named), 200), escaped(sources[i].reason));
  }
  if (sources.empty()) return;
  if (sources.size() > kMostTold)
    context.err << fmt::format("warplens: and without {} more\n", sources.size() - kMostTold);
  context.err << "warplens: --sources FOLDER names a folder that sources may be read from\n";
}

void tell_messages(Context& context, const Recording& recording) {
  for (const Message& message : recording.messages) {
    const Dim3 thread = index_from_linear(recording.block, message.thread);
    std::string text = message.text;
    if (text.ends_with('\n')) text.pop_back();
    context.err << fmt::format("block ({},{},{}) thread ({},{},{}): {}\n", message.block.x, message.block.y,
                               message.block.z, thread.x, thread.y, thread.z, escaped(text));
  }
  if (recording.messages_left_out > 0)
    context.err << fmt::format("warplens: {} more lines were printed, and not kept\n",
                               recording.messages_left_out);
}

void print_report(Context& context, const Recording& recording, analysis::ComputeCapability cc, bool json,
                  const std::optional<std::vector<Dim3>>& blocks, const std::filesystem::path& file) {
  tell_messages(context, recording);
  const analysis::Report report = analysis::report(recording, cc);
  const AsCompiled compiled =
      as_compiled(recording, cc, blocks, nullptr,
                  file.empty() ? kMaxInstructionsToFollow : kMaxInstructionsOfFile, MachineCode::made);
  const std::vector<analysis::LineCost> costs = analysis::costs_of_totals(recording, report);
  if (json) {
    write_report_json(context.out, recording, report, compiled, costs);
  } else {
    context.out << report_text(recording, report, compiled, costs);
  }
  if (!report.sites_with_other_rules.empty()) {
    context.err << "warplens: figures of scattered accesses hold for the rules they were recorded under ("
                << escaped(recording.unkept_cc) << ")\n";
  }
}

}  // namespace warplens::app
