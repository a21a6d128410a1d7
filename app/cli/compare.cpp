#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/report_json.h"
#include "kernels/base/figures.h"
#include "kernels/base/text.h"
#include "kernels/recording/compare.h"
#include "kernels/recording/file.h"
#include "viz/analysis/totals.h"

namespace warplens::app {
namespace {

struct CompareOptions {
  std::string a, b, cc = "9.0";
  bool json = false;
};

// Totals side by side: one line a figure, those that differ marked.
void print_totals(std::ostream& out, const nlohmann::ordered_json& a, const nlohmann::ordered_json& b) {
  for (const auto& [kind, figures] : a.items()) {
    if (figures["requests"] == 0 && b[kind]["requests"] == 0) continue;
    for (const auto& [name, value] : figures.items()) {
      const auto left = value.get<std::uint64_t>(), right = b[kind][name].get<std::uint64_t>();
      out << fmt::format("  {:<18}{:<18}{:>20}{:>20}{}\n", kind, name, with_thousands(left), with_thousands(right), left == right ? "" : "  *");
    }
  }
}

void run_compare(Context& context, const CompareOptions& options) {
  const Result<analysis::ComputeCapability> cc = analysis::parse_compute_capability(options.cc);
  if (!cc.ok()) return context.misuse(cc.error());
  const Result<Recording> a = load(options.a), b = load(options.b);
  if (!a.ok()) return context.fail(a.error());
  if (!b.ok()) return context.fail(b.error());

  const std::vector<Difference> found = differences(*a, *b);
  const nlohmann::ordered_json totals_a = totals_json(analysis::report(*a, *cc)), totals_b = totals_json(analysis::report(*b, *cc));
  if (options.json) {
    nlohmann::ordered_json json = {{"a", options.a}, {"b", options.b}, {"equal", found.empty()}, {"differences", nlohmann::ordered_json::array()}};
    for (const Difference& difference : found) json["differences"].push_back(difference.what);
    json["totals"] = {{"a", totals_a}, {"b", totals_b}};
    print_document(context.out, json);
  } else {
    context.out << (found.empty() ? "The same accesses.\n" : "They differ:\n");
    for (const Difference& difference : found) context.out << "  " << escaped(difference.what) << '\n';
    print_totals(context.out, totals_a, totals_b);
  }
  context.status = found.empty() ? kDone : kFailed;
}

}  // namespace

void add_compare(Program& program, Context& context) {
  auto options = std::make_shared<CompareOptions>();
  const Command command = program.add_command("compare", "Whether two recordings are the same, access by access");
  command.add_option("a", options->a, "A recording").required().value_name("A.wlr");
  command.add_option("b", options->b, "Another").required().value_name("B.wlr");
  command.add_option("--cc", options->cc, "Compute capability whose memory rules hold").value_name("X.Y").shows_default();
  command.add_flag("--json", options->json, "One JSON document on standard output");
  command.footer(
      "Exits with 0 if they are the same, with 1 if not. Engine, device and time may differ.\n\nExample:\n  warplens compare cpu.wlr gpu.wlr");
  command.action([&context, options] { run_compare(context, *options); });
}

}  // namespace warplens::app
