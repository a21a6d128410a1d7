#include "app/cli/report_text.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "app/cli/command.h"
#include "app/session/loaded.h"
#include "kernels/base/figures.h"
#include "kernels/base/text.h"
#include "kernels/ptx/target.h"
#include "viz/analysis/device_models.h"
#include "viz/analysis/finding_rows.h"
#include "viz/picture/cost_words.h"

namespace warplens::app {
namespace {

template <class... Arguments>
void add(std::string& text, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  text += fmt::format(format, std::forward<Arguments>(arguments)...);
}

std::string with_blanks(std::string text) {
  std::ranges::replace(text, '\t', ' ');
  return text;
}

std::string extent(Dim3 value) {
  return value.z == 1 ? fmt::format("{} x {}", value.x, value.y)
                      : fmt::format("{} x {} x {}", value.x, value.y, value.z);
}

std::string ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::string()
                    : fmt::format("{:.2f}", static_cast<double>(part) / static_cast<double>(whole));
}

std::string with_unit(const std::string& figure, bool shared, analysis::ComputeCapability cc) {
  const bool sectors = analysis::memory_rules_of(cc).counts_sectors;
  return fmt::format("{} {:<{}}", figure, shared ? "wf" : sectors ? "sec" : "trans", sectors ? 3 : 5);
}

// Which matrices the launcher padded: their buffers are larger than m, p and n say.
void add_padding(std::string& text, const Recording& recording) {
  const auto [m, p, n] = std::tuple{recording.m, recording.p, recording.n};
  const std::tuple<std::string_view, std::uint64_t, std::uint64_t> matrices[] = {
      {"A", m, p}, {"B", p, n}, {"Bt", n, p}, {"C", m, n}, {"in", 1, n}};
  for (const Buffer& buffer : recording.buffers) {
    for (const auto& [name, rows, columns] : matrices) {
      const std::uint64_t places =
          bytes_of(buffer.type, columns) / static_cast<std::uint64_t>(size_of(buffer.type));
      if (rows == 0 || columns == 0 || buffer.name != name || (buffer.rows == rows && buffer.pitch == places))
        continue;
      add(text, "{} of {} x {} is padded with zeros to {} x {}\n", name, rows, columns, buffer.rows,
          buffer.pitch);
    }
  }
}

void add_header(std::string& text, const Recording& recording, const analysis::Report& report) {
  add(text, "{}", launch_in_words(recording));
  if (recording.origin != Origin::file) add(text, "  {}", escaped(recording.value_type));
  add(text, "  {}\n", recording.engine == "cpu" ? "CPU replay" : escaped(recording.engine));
  const std::string cluster =
      recording.cluster.count() > 1 ? fmt::format("cluster {}, ", extent(recording.cluster)) : std::string();
  add(text, "grid {}, {}block {}, {} bytes of shared memory per block, memory rules {}, code for {}\n",
      extent(recording.grid), cluster, extent(recording.block), with_thousands(recording.shared_bytes),
      report.cc.name(), escaped(ptx::target_of(recording.ptx)));
  add_padding(text, recording);
  add(text, "{}\n", run_in_words(recording));
}

void add_totals(std::string& text, const analysis::Report& report, std::string_view title) {
  constexpr auto kFormat = "{:<18}{:>16}{:>18}{:>13}{:>18}{:>18}{:>20}\n";
  add(text, kFormat, title, "requests", "cost", "per request", "ideal", "excess", "requested bytes");
  for (const analysis::TotalsKind& kind : analysis::totals_kinds()) {
    const analysis::Totals& totals = report.*kind.totals;
    if (totals.requests == 0) continue;
    const AccessCost& cost = totals.cost;
    const std::uint64_t actual = kind.shared() ? cost.wavefronts : cost.sectors,
                        ideal = kind.shared() ? cost.ideal_wavefronts : cost.ideal_sectors;
    add(text, kFormat, kind.title, with_thousands(totals.requests),
        with_unit(with_thousands(actual), kind.shared(), report.cc), ratio(actual, totals.requests),
        with_thousands(ideal), with_thousands(actual - std::min(actual, ideal)),
        with_thousands(totals.requested_bytes));
  }
}

void add_tensor(std::string& text, const Recording& recording) {
  const std::vector<analysis::TensorKind> kinds = analysis::tensor_kinds(recording);
  if (kinds.empty()) return;
  constexpr auto kFormat = "{:<42}{:>16}{:>24}\n";
  add(text, "\n");
  add(text, kFormat, "tensor cores", "instructions", "operations");
  for (const analysis::TensorKind& kind : kinds)
    add(text, kFormat, escaped(kind.kind), with_thousands(kind.instructions),
        with_thousands(kind.operations));
}

/// Says which of the totals no counter can confirm. docs/memory_model.md, "chosen".
void add_unconfirmed(std::string& text, const Recording& recording) {
  const auto is_uncounted = [](const Site& site) {
    return is_of_pieces(site.op) && site.op != AccessOp::wgmma && site.space == Space::shared;
  };
  if (std::ranges::none_of(recording.sites, is_uncounted)) return;
  add(text, "Of bulk copies no GPU counts wavefronts in shared memory: theirs follow a rule of ours.\n");
}

bool is_of_texels(const Site& site) {
  return site.text.starts_with("tex.") || site.text.starts_with("suld.") || site.text.starts_with("sust.");
}

// What the machine code makes of the same launch: totals, what the assembler changed, and the mix of the loop
// that most time goes to.
void add_compiled(std::string& text, const Recording& recording, const AsCompiled& compiled) {
  if (!compiled.has_counts()) {
    add(text, "\nas compiled: not known: {}\n", escaped(compiled.why_not()));
    return;
  }
  add(text, "\n");
  add_totals(text, compiled.report, "as compiled");
  add(text, "  by the machine code for {}", compiled.architecture);
  if (const auto& resources = compiled.function.resources) {
    add(text, ": {} registers per thread, {} bytes per thread in local memory", resources->registers,
        with_thousands(resources->stack_bytes));
    if (resources->spill_store_bytes != 0) add(text, " for spilled registers");
  }
  if (compiled.inner) {
    add(text, "; multiply-adds are {:.0f} % of the instructions of its inner loop",
        100 * compiled.inner->share(sass::InstructionKind::multiply_add));
  }
  add(text, "\n");
  for (std::uint32_t file = 0; file < recording.files.size(); ++file) {
    for (const analysis::ChangedAccesses& changed :
         analysis::changed_accesses(recording, file, compiled.accesses, file)) {
      add(text, "  {}:{} {} {}: {} as written, {} as compiled\n", escaped(recording.files[file].name),
          changed.line, name_of(changed.space), name_of(changed.op), analysis::in_words(changed.written),
          analysis::in_words(changed.compiled));
    }
  }
}

/// The lines of the recording's sources, each file cut into lines when it is first asked for one.
class SourceLines {
 public:
  explicit SourceLines(const Recording& recording) : recording_(recording), lines_(recording.files.size()) {}

  /// Without its indentation; empty if there is no text.
  std::string_view line(std::uint32_t file, std::uint32_t number) {
    if (file >= lines_.size()) return "";
    if (lines_[file].empty()) cut(recording_.files[file].text, lines_[file]);
    return number == 0 || number > lines_[file].size() ? std::string_view() : lines_[file][number - 1];
  }

 private:
  static void cut(std::string_view text, std::vector<std::string_view>& lines) {
    while (!text.empty()) {
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      lines.push_back(line);
    }
  }

  const Recording& recording_;
  std::vector<std::vector<std::string_view>> lines_;
};

// Sites of one line, space, operation and width are one row: an unrolled loop has many.
void add_lines(std::string& text, const Recording& recording, const analysis::Report& report) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, Space, AccessOp, std::uint8_t>;
  std::map<Key, analysis::Totals> lines;
  for (std::size_t i = 0; i < recording.sites.size(); ++i) {
    const Site& site = recording.sites[i];
    lines[{site.file, site.line, site.space, site.op, site.bytes}] += report.by_site[i];
  }
  constexpr auto kFormat = "  {:<24}{:>16}{:>13}{:>10}{:>14}\n";
  std::pair<std::uint32_t, std::uint32_t> previous{~0u, ~0u};
  SourceLines sources(recording);
  for (const auto& [key, totals] : lines) {
    const auto& [file, line, space, op, bytes] = key;
    if (previous != std::pair{file, line}) {
      const std::string name = file < recording.files.size() ? recording.files[file].name : std::string("?");
      if (previous.first == ~0u)
        add(text,
            "\n"
            "{:<26}{:>16}{:>13}{:>10}{:>14}\n",
            "by line", "requests", "per request", "ideal", "divergent");
      add(text, "{}:{}  {}\n", escaped(name), line,
          escaped(with_blanks(std::string(sources.line(file, line)))));
    }
    previous = {file, line};
    const bool shared = space == Space::shared;
    const std::uint64_t actual = shared ? totals.cost.wavefronts : totals.cost.sectors,
                        ideal = shared ? totals.cost.ideal_wavefronts : totals.cost.ideal_sectors;
    add(text, kFormat, fmt::format("{} {}, {} B", name_of(space), name_of(op), bytes),
        with_thousands(totals.requests), with_unit(ratio(actual, totals.requests), shared, report.cc),
        ratio(ideal, totals.requests), with_thousands(totals.divergent_requests));
  }
}

void add_phases(std::string& text, const Recording& recording) {
  const std::vector<analysis::PhaseKind> kinds = analysis::phase_kinds(recording);
  std::map<analysis::PhaseKind, std::pair<std::uint64_t, std::uint64_t>> by_kind;  // Phases and requests
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    auto& [phases, requests] = by_kind[kinds[i]];
    ++phases;
    requests += recording.phases[i].requests();
  }
  add(text, "\n{}, {}:", counted(recording.phases.size(), "phase", "phases"),
      recording.phases_are_barriers ? "from barrier to barrier" : "passes of the outermost loop");
  for (const auto& [kind, counts] : by_kind)
    add(text, "  {} {} ({})", counts.first, analysis::name_of(kind),
        counted(counts.second, "request", "requests"));
  add(text, "\n");
}

void add_costs(std::string& text, const Recording& recording, const analysis::Report& report,
               const std::vector<analysis::LineCost>& costs) {
  if (costs.empty()) {
    add(text, "\nCosts: nothing is paid beyond the ideal.\n");
    return;
  }
  add(text, "\n{:<58}{:>22}{:>9}\n", "Costs beyond the ideal, most first", "excess", "share");
  for (const analysis::LineCost& cost : costs) {
    const std::string name =
        cost.file < recording.files.size() ? recording.files[cost.file].name : std::string("?");
    const std::string place =
        fmt::format("{}:{} {}", name, cost.figures.line, picture::cost_access(recording, cost));
    add(text, "{:<58}{:>22}{:>7.1f} %\n", escaped(place),
        with_unit(with_thousands(cost.excess()), cost.figures.space == Space::shared, report.cc),
        100 * cost.share);
    for (const std::string& words : {picture::cost_sentence(recording, cost, report.cc),
                                     picture::fix_words(recording, cost, report.cc)}) {
      if (!words.empty()) add(text, "  {}\n", escaped(words));
    }
  }
}

}  // namespace

std::string counted(std::uint64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", with_thousands(count), count == 1 ? one : several);
}

std::string launch_in_words(const Recording& recording) {
  std::string text;
  add(text, "{}", escaped(recording.kernel));
  if (!recording.origin_file.empty()) add(text, " of {}", escaped(recording.origin_file));
  for (const auto& [name, extent] : {std::pair{'m', recording.m}, {'p', recording.p}, {'n', recording.n}}) {
    if (extent != 0) add(text, "  {} {}", name, extent);
  }
  for (const NamedValue& parameter : recording.parameters)
    add(text, "  {} {}", escaped(parameter.name), parameter.value);
  return text;
}

std::string run_in_words(const Recording& recording) {
  std::string text;
  add(text, "{} of {}, {}", with_thousands(recording.blocks_counted),
      counted(recording.blocks_total, "block", "blocks"),
      counted(recording.warp_instructions, "warp instruction", "warp instructions"));
  if (recording.blocks_extrapolated > 0) {
    const bool all_ran = recording.blocks_run() == recording.blocks_counted;
    add(text, " in {:.3g} s: {} {}, {} proved to behave alike", recording.seconds,
        counted(recording.blocks_replayed(), "block", "blocks"), all_ran ? "counted" : "run",
        with_thousands(recording.blocks_extrapolated));
  } else if (recording.seconds > 0) {
    add(text, " in {:.3g} s ({:.0f} million per second)", recording.seconds,
        static_cast<double>(recording.warp_instructions) / recording.seconds * 1e-6);
  }
  if (recording.verified) {
    add(text, "; {}: {}{} {} the reference", *recording.verified ? "verified" : "WRONG",
        recording.blocks_run() < recording.blocks_counted ? "what the blocks that were run write of " : "",
        name_of_result(recording), *recording.verified ? "equals" : "differs from");
  }
  const bool is_product_of_file =
      recording.origin == Origin::file && recording.p != 0;  // Its comment names one
  if (!recording.verified && is_product_of_file && recording.blocks_run() < recording.blocks_total) {
    add(text, "; not verified: {} is compared where every block is run (--whole)", name_of_result(recording));
  }
  if (recording.ended) {
    const EarlyEnd& end = *recording.ended;
    const std::string file =
        end.file < recording.files.size() ? recording.files[end.file].name : std::string("?");
    add(text,
        "\nENDED at the limit of {}, in {}:{} (block {},{},{} warp {}): what follows was counted until then",
        counted(end.limit, "warp instruction", "warp instructions"), escaped(file), end.line, end.block.x,
        end.block.y, end.block.z, end.warp);
  }
  for (const WaitingLoop& loop : recording.waiting_loops) {
    const std::string file =
        loop.file < recording.files.size() ? recording.files[loop.file].name : std::string("?");
    add(text, "\n{}:{}: waits in a loop; {} of it not counted in any figure", escaped(file), loop.line,
        counted(loop.polls, "further iteration", "further iterations"));
  }
  if (std::ranges::any_of(recording.sites, is_of_texels))
    add(text,
        "\ntextures and surfaces: what is read and written is known, what it costs is an estimate (texels "
        "row by row, each a load or store)");
  if (!recording.not_extrapolated.empty())
    add(text, "\nevery block was run: {}", escaped(recording.not_extrapolated));
  return text;
}

std::string findings_text(const Recording& recording) {
  std::string text;
  for (const analysis::FindingRow& row : analysis::finding_rows(recording.findings)) {
    const Finding& finding = recording.findings[row.first];
    const std::string file =
        finding.file < recording.files.size() ? recording.files[finding.file].name : std::string("?");
    add(text, "{}:{}: {}: {} (block {},{},{} warp {} lanes 0x{:08x}", escaped(file), finding.line,
        name_of(finding.kind), escaped(finding.text), finding.block.x, finding.block.y, finding.block.z,
        finding.warp, finding.lanes);
    if (row.count > 1) add(text, "; {} times", with_thousands(row.count));
    if (row.other_lines.size() > 1)
      add(text, "; other accesses in lines {}", fmt::join(row.other_lines, ", "));
    add(text, ")\n");
  }
  return text;
}

std::string report_text(const Recording& recording, const analysis::Report& report,
                        const AsCompiled& compiled, const std::vector<analysis::LineCost>& costs) {
  std::string text;
  add_header(text, recording, report);
  add(text, "\n");
  add_totals(text, report, "as written, in PTX");
  add_unconfirmed(text, recording);
  add_tensor(text, recording);
  add_compiled(text, recording, compiled);
  add_lines(text, recording, report);
  add_phases(text, recording);
  const std::string findings = findings_text(recording);
  add(text, "\n{}", findings.empty() ? "Nothing wrong was found.\n" : findings);
  add_costs(text, recording, report, costs);
  return text;
}

}  // namespace warplens::app
