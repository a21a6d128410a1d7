#include <filesystem>
#include <memory>

#include "app/cli/command.h"
#include "kernels/base/files.h"
#include "viz/analysis/pattern_csv.h"

namespace warplens::app {
namespace {

constexpr std::uint64_t kMaxCsvBytes = 1u << 30;

struct PatternOptions {
  std::filesystem::path csv;
  std::string cc = "9.0";
};

void run_pattern(Context& context, const PatternOptions& options) {
  const Result<analysis::ComputeCapability> cc = analysis::parse_compute_capability(options.cc);
  if (!cc.ok()) return context.misuse(cc.error());
  const Result<std::vector<std::byte>> bytes = read_file(options.csv, kMaxCsvBytes);
  if (!bytes.ok()) return context.fail(bytes.error());
  const Result<analysis::PatternTable> table =
      analysis::parse_patterns({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (!table.ok()) {
    Error error = table.error();
    error.where = error.where.empty() ? options.csv.string() : options.csv.string() + ", " + error.where;
    return context.fail(error);
  }
  context.out << analysis::predictions_csv(*table, *cc);
}

}  // namespace

void add_pattern(Program& program, Context& context) {
  auto options = std::make_shared<PatternOptions>();
  const CliCommand command = program.add_command("pattern", "What given accesses of a warp cost");
  command.add_option("--csv", options->csv, "Columns op, bytes_per_lane, active_mask, lane_byte_offsets")
      .required()
      .value_name("FILE");
  command.add_option("--cc", options->cc, "Compute capability whose memory rules hold")
      .value_name("X.Y")
      .shows_default();
  command.footer(
      "Prints the same rows with predicted_wavefronts, predicted_bank_conflicts and predicted_sectors "
      "added.\n\n"
      "Example:\n"
      "  warplens pattern --csv accesses.csv --cc 8.0");
  command.action([&context, options] { run_pattern(context, *options); });
}

}  // namespace warplens::app
