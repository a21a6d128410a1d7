#include "app/report/report_json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "app/launch/inlined.h"
#include "app/report/document.h"
#include "kernels/ptx/target.h"
#include "viz/analysis/finding_rows.h"
#include "viz/picture/cost_words.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

ordered_json extent_json(Dim3 extent) {
  return ordered_json::array({extent.x, extent.y, extent.z});
}

std::string file_name(const Recording& recording, std::uint32_t file) {
  return file < recording.files.size() ? recording.files[file].name : "";
}

ordered_json sector_totals(const analysis::Totals& totals) {
  return {{"requests", totals.requests},
          {"sectors", totals.cost.sectors},
          {"ideal_sectors", totals.cost.ideal_sectors},
          {"lines", totals.cost.lines},
          {"requested_bytes", totals.requested_bytes}};
}

ordered_json wavefront_totals(const analysis::Totals& totals) {
  return {{"requests", totals.requests},
          {"wavefronts", totals.cost.wavefronts},
          {"ideal_wavefronts", totals.cost.ideal_wavefronts},
          {"bank_conflicts", totals.cost.bank_conflicts},
          {"requested_bytes", totals.requested_bytes}};
}

ordered_json calls_json(const Recording& recording, const std::vector<SourcePlace>& calls) {
  ordered_json json = ordered_json::array();
  for (const SourcePlace& call : calls)
    json.push_back({{"file", file_name(recording, call.file)}, {"line", call.line}});
  return json;
}

ordered_json site_json(const Recording& recording, const Site& site, const analysis::Totals& totals,
                       const std::vector<SourcePlace>& calls) {
  const bool shared = site.space == Space::shared;
  ordered_json json = {{"file", file_name(recording, site.file)},
                       {"line", site.line},
                       {"space", name_of(site.space)},
                       {"op", name_of(site.op)},
                       {"bytes", site.bytes},
                       {"requests", totals.requests}};
  json[shared ? "wavefronts" : "sectors"] = shared ? totals.cost.wavefronts : totals.cost.sectors;
  json["ideal"] = shared ? totals.cost.ideal_wavefronts : totals.cost.ideal_sectors;
  json["divergent_requests"] = totals.divergent_requests;
  json["inlined_at"] = calls_json(recording, calls);
  return json;
}

ordered_json finding_json(const Recording& recording, const analysis::FindingRow& row,
                          const std::vector<SourcePlace>& calls) {
  const Finding& finding = recording.findings[row.first];
  ordered_json json{{"kind", name_of(finding.kind)},
                    {"file", file_name(recording, finding.file)},
                    {"line", finding.line},
                    {"other_line", finding.other_line},
                    {"count", row.count},
                    {"block", extent_json(finding.block)},
                    {"warp", finding.warp},
                    {"lanes", fmt::format("0x{:08x}", finding.lanes)},
                    {"text", finding.text},
                    {"inlined_at", calls_json(recording, calls)}};
  if (row.other_lines.size() > 1) json["other_lines"] = row.other_lines;
  if (finding.access) {
    for (const std::uint64_t address : finding.access->addresses)
      json["addresses"].push_back(fmt::format("0x{:x}", address));
  }
  if (finding.other) {
    json["other"] = {{"op", name_of(finding.other->op)},
                     {"block", extent_json(finding.other->block)},
                     {"warp", finding.other->warp},
                     {"lane", finding.other->lane},
                     {"address", fmt::format("0x{:x}", finding.other->address)}};
  }
  return json;
}

ordered_json message_json(const Recording& recording, const Message& message) {
  return {{"block", extent_json(message.block)},
          {"thread", extent_json(index_from_linear(recording.block, message.thread))},
          {"file", file_name(recording, message.file)},
          {"line", message.line},
          {"text", message.text}};
}

ordered_json compiled_json(const AsCompiled& compiled) {
  if (!compiled.has_counts()) return nullptr;
  return {{"source", compiled.source()}, {"totals", totals_json(compiled.report)}};
}

/// The same under all memory rules, as in the totals.
const char* key_of_cost(const analysis::LineCost& cost) {
  return cost.figures.space == Space::shared ? "wavefronts" : "sectors";
}

ordered_json fix_json(const Recording& recording, const analysis::Report& report,
                      const analysis::LineCost& cost) {
  if (!cost.fix) return nullptr;
  const analysis::Fix& fix = *cost.fix;
  ordered_json json = {{"change", analysis::name_of(fix.change)}, {key_of_cost(cost), fix.cost}};
  if (fix.change == analysis::Fix::Change::padded_rows) {
    json["row_words"] = fix.row_words;
    json["arrays"] = ordered_json::array();
    for (const std::uint32_t array : fix.padded)
      json["arrays"].push_back(recording.shared_arrays[array].name);
  }
  json["text"] = picture::fix_words(recording, cost, report.cc);
  return json;
}

ordered_json cost_json(const Recording& recording, const analysis::Report& report,
                       const analysis::LineCost& cost) {
  const analysis::LineFigures& figures = cost.figures;
  return {{"file", file_name(recording, cost.file)},
          {"line", figures.line},
          {"space", name_of(figures.space)},
          {"op", name_of(figures.op)},
          {"requests", figures.totals.requests},
          {key_of_cost(cost), figures.cost()},
          {"ideal", figures.ideal()},
          {"excess", cost.excess()},
          {"share", cost.share},
          {"text", picture::cost_sentence(recording, cost, report.cc)},
          {"mend", fix_json(recording, report, cost)}};
}

}  // namespace

ordered_json totals_json(const analysis::Report& report) {
  ordered_json json = ordered_json::object();
  for (const analysis::TotalsKind& kind : analysis::totals_kinds()) {
    const analysis::Totals& totals = report.*kind.totals;
    json[kind.id] = kind.shared() ? wavefront_totals(totals) : sector_totals(totals);
  }
  return json;
}

namespace {

ordered_json tensor_json(const Recording& recording) {
  ordered_json json = ordered_json::array();
  for (const analysis::TensorKind& kind : analysis::tensor_kinds(recording)) {
    json.push_back(
        {{"kind", kind.kind}, {"instructions", kind.instructions}, {"operations", kind.operations}});
  }
  return json;
}

/// All but the phases, which are left empty.
ordered_json without_phases(const Recording& recording, const analysis::Report& report,
                            const AsCompiled& compiled, const std::vector<analysis::LineCost>& costs) {
  ordered_json json = {{"kernel", recording.kernel},
                       {"engine", recording.engine},
                       {"cc", report.cc.name()},
                       {"target", ptx::target_of(recording.ptx)},
                       {"grid", extent_json(recording.grid)},
                       {"block", extent_json(recording.block)},
                       {"cluster", extent_json(recording.cluster)},
                       {"shared_bytes", recording.shared_bytes},
                       {"blocks_recorded", recording.blocks_counted},
                       {"blocks_replayed", recording.blocks_replayed()},
                       {"blocks_total", recording.blocks_total},
                       {"verified", nullptr},
                       {"warp_instructions", recording.warp_instructions},
                       {"thread_instructions", recording.thread_instructions},
                       {"totals", totals_json(report)},
                       {"tensor", tensor_json(recording)},
                       {"as_compiled", compiled_json(compiled)}};
  if (!compiled.has_counts()) json["as_compiled_missing"] = compiled.why_not();
  if (recording.verified) json["verified"] = *recording.verified;
  if (!recording.not_extrapolated.empty()) json["not_followed"] = recording.not_extrapolated;

  json["sites"] = ordered_json::array();
  const std::vector<std::vector<SourcePlace>> calls = calls_to_sites(recording);
  for (std::size_t i = 0; i < recording.sites.size(); ++i) {
    json["sites"].push_back(site_json(recording, recording.sites[i], report.by_site[i], calls[i]));
  }

  json["phases"] = ordered_json::array();
  json["findings"] = ordered_json::array();
  for (const analysis::FindingRow& row : analysis::finding_rows(recording.findings)) {
    const std::vector<SourcePlace> of_first =
        calls_to_finding(recording, recording.findings[row.first], calls);
    json["findings"].push_back(finding_json(recording, row, of_first));
  }
  json["messages"] = ordered_json::array();
  for (const Message& message : recording.messages)
    json["messages"].push_back(message_json(recording, message));
  json["messages_left_out"] = recording.messages_left_out;
  json["waiting_loops"] = ordered_json::array();
  for (const WaitingLoop& loop : recording.waiting_loops) {
    json["waiting_loops"].push_back(
        {{"file", file_name(recording, loop.file)}, {"line", loop.line}, {"polls", loop.polls}});
  }
  json["ended"] = nullptr;
  if (const auto& end = recording.ended) {
    json["ended"] = {{"limit", end->limit},
                     {"file", file_name(recording, end->file)},
                     {"line", end->line},
                     {"block", extent_json(end->block)},
                     {"warp", end->warp}};
  }
  json["costs"] = ordered_json::array();
  for (const analysis::LineCost& cost : costs) json["costs"].push_back(cost_json(recording, report, cost));
  return json;
}

}  // namespace

void write_report_json(std::ostream& out, const Recording& recording, const analysis::Report& report,
                       const AsCompiled& compiled, const std::vector<analysis::LineCost>& costs) {
  // A million phases as values of a document would take half a gigabyte: they are written one by one, in
  // their place. No text holds such quotes.
  static constexpr std::string_view kPlace = "\"phases\": [";
  const std::string text = text_of_document(without_phases(recording, report, compiled, costs));
  const std::size_t place = text.find(kPlace) + kPlace.size();
  out << std::string_view(text).substr(0, place);
  const std::vector<analysis::PhaseKind> kinds = analysis::phase_kinds(recording);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    out << fmt::format(
        "{}\n    {{\n      \"index\": {},\n      \"kind\": \"{}\",\n      \"requests\": {}\n    }}",
        i == 0 ? "" : ",", i, analysis::name_of(kinds[i]), recording.phases[i].requests());
  }
  out << (kinds.empty() ? "" : "\n  ") << std::string_view(text).substr(place) << '\n';
}

}  // namespace warplens::app
