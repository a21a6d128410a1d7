#include "app/cli/recordings.h"

#include <fmt/core.h>

#include <filesystem>

#include "app/cli/report_json.h"
#include "app/cli/report_text.h"
#include "kernels/base/text.h"
#include "kernels/recording/file.h"
#include "viz/analysis/totals.h"

namespace warplens::app {
namespace {

bool names_a_file(const std::string& subject) {
  std::error_code error;
  const bool exists = catalog().find(subject) == nullptr && std::filesystem::exists(subject, error);
  return exists || std::filesystem::path(subject).extension() == ".wlr";
}

std::optional<Recording> load_file(Context& context, const std::string& path, const RecordOptions& options) {
  if (options.given()) {
    context.misuse({fmt::format("{} is a recording: its size, parameters and blocks are given", path), "", "Those options go with a kernel."});
    return std::nullopt;
  }
  Result<Recording> recording = load(path);
  if (recording.ok()) return std::move(*recording);
  context.fail(recording.error());
  return std::nullopt;
}

}  // namespace

std::filesystem::path path_of(const std::string& subject) {
  return names_a_file(subject) ? subject : std::string();
}

std::optional<Recording> load_or_record(Context& context, const std::string& subject, const RecordOptions& options, analysis::ComputeCapability cc,
                                        const std::optional<BlockChoice>& event_blocks) {
  if (names_a_file(subject)) return load_file(context, subject, options);
  Result<RecordRequest> request = make_request(subject, options, cc);
  if (!request.ok()) {
    context.misuse(request.error());
    return std::nullopt;
  }
  request->event_blocks = event_blocks;
  Result<Recording> recording = record(*request);
  if (recording.ok()) return std::move(*recording);
  context.fail(recording.error());
  return std::nullopt;
}

void print_report(Context& context, const Recording& recording, analysis::ComputeCapability cc, bool json,
                  const std::optional<std::vector<Dim3>>& blocks, const std::filesystem::path& file) {
  const analysis::Report report = analysis::report(recording, cc);
  const AsCompiled compiled = as_compiled(recording, cc, blocks, nullptr, file.empty() ? kMaxInstructionsToFollow : kMaxInstructionsOfFile);
  if (json) {
    write_report_json(context.out, recording, report, compiled);
  } else {
    context.out << report_text(recording, report, compiled);
  }
  if (!report.sites_with_other_rules.empty()) {
    context.err << "warplens: figures of scattered accesses hold for the rules they were recorded under (" << escaped(recording.judged_cc) << ")\n";
  }
}

}  // namespace warplens::app
