#include <fmt/format.h>

#include <iterator>
#include <map>

#include "kernels/base/text.h"
#include "viz/analysis/divergence.h"
#include "viz/analysis/line_figures.h"
#include "viz/analysis/reuse.h"
#include "viz/analysis/totals.h"
#include "viz/export/views.h"

namespace warplens::viz {
namespace {

using picture::Moment;

/// A cell of comma-separated values, quoted where it must be (RFC 4180). Its text is on one line, with control characters as escapes.
std::string cell(std::string_view of) {
  std::string text = escaped(of);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted += '"';
}

}  // namespace

std::string coalescing_table(const Moment& moment) {
  std::string table = "lane,active,address,bytes,sector,line,place\n";
  const auto event = moment.nearest({Space::global, Space::local});
  if (!event) return table;
  const analysis::WarpAccess access = moment.access(*event);
  const analysis::WarpAccess lies = analysis::where_it_lies(access).front();  // Of local memory: its first word
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(lane)], at = lies.address[static_cast<std::size_t>(lane)];
    if ((access.mask >> lane & 1u) == 0) {
      table += fmt::format("{},0,,,,,\n", lane);
    } else {
      table += fmt::format("{},1,0x{:x},{},0x{:x},0x{:x},{}\n", lane, address, access.bytes, at / 32 * 32, at / 128 * 128,
                           cell(picture::place_name(*moment.recording, address)));
    }
  }
  return table;
}

std::string banks_table(const Moment& moment) {
  std::string table = "wavefront,bank,lane,word,words,broadcast,address\n";
  const auto event = moment.nearest({Space::shared});
  if (!event) return table;
  const analysis::Unfolding unfolding = analysis::unfold(moment.access(*event), moment.cc);
  for (std::size_t wavefront = 0; wavefront < unfolding.wavefronts.size(); ++wavefront) {
    for (const analysis::LaneService& lane : unfolding.wavefronts[wavefront]) {
      fmt::format_to(std::back_inserter(table), "{},{},{},{},{},{},{}\n", wavefront, lane.bank, lane.lane, lane.word, lane.words,
                     lane.broadcast ? 1 : 0, picture::shared_address_name(*moment.recording, lane.word * 4));
    }
  }
  return table;
}

std::string phases_table(const Moment& moment) {
  const Recording& recording = *moment.recording;
  const auto kinds = analysis::phase_kinds(recording);
  std::string table = "phase,kind,requests,global_loads,global_stores,shared_loads,shared_stores,other\n";
  for (std::size_t phase = 0; phase < recording.phases.size(); ++phase) {
    const PhaseTotals& totals = recording.phases[phase];
    fmt::format_to(std::back_inserter(table), "{},{},{},{},{},{},{},{}\n", phase, analysis::name_of(kinds[phase]), totals.requests(),
                   totals.global_loads, totals.global_stores, totals.shared_loads, totals.shared_stores, totals.other);
  }
  return table;
}

std::string heat_table(const Moment& moment) {
  const Recording& recording = *moment.recording;
  std::string table = "buffer,row,column,reads,writes\n";
  for (const analysis::ElementCounts& counts : analysis::element_counts(recording)) {
    if (!counts.complete) return {};
    const Buffer& buffer = recording.buffers[counts.buffer];
    std::map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> touched;  // Reads and writes
    counts.reads.for_each([&](std::uint64_t element, std::uint32_t count) { touched[element].first = count; });
    counts.writes.for_each([&](std::uint64_t element, std::uint32_t count) { touched[element].second = count; });
    for (const auto& [element, count] : touched) {
      fmt::format_to(std::back_inserter(table), "{},{},{},{},{}\n", cell(buffer.name), element / buffer.pitch, element % buffer.pitch, count.first,
                     count.second);
    }
  }
  return table;
}

std::string divergence_table(const Moment& moment) {
  const Recording& recording = *moment.recording;
  const analysis::Divergence divergence = analysis::divergence(recording);
  if (divergence.too_many) return {};
  const auto of_warp = analysis::lanes_of_warp(recording, divergence, moment.event_block, moment.warp);
  std::string table = "line,space,op,of,phase,recorded_warps,warps,divergent_warps,mean_lanes,warp_requests,warp_mean_lanes\n";
  for (std::size_t i = 0; i < divergence.accesses.size(); ++i) {
    const analysis::AccessLanes& access = divergence.accesses[i];
    const Site& site = recording.sites[access.sites.front()];
    for (std::size_t phase = 0; phase < access.by_phase.size(); ++phase) {
      const analysis::PhaseLanes &all = access.by_phase[phase], &own = of_warp[i][phase];
      if (all.requests == 0) continue;
      fmt::format_to(std::back_inserter(table), "{},{},{},{},{},{},{},{},{:.4g},{},{:.4g}\n", site.line, name_of(site.space), name_of(site.op),
                     cell(access.of), phase, divergence.recorded_warps, all.warps, all.divergent_warps, all.mean_lanes(), own.requests,
                     own.mean_lanes());
    }
  }
  return table;
}

std::string source_table(const Moment& moment) {
  const Recording& recording = *moment.recording;
  const std::uint32_t file = source_file(recording);
  const analysis::Report report = analysis::report(recording, moment.cc);
  std::string table = "file,line,space,op,requests,unit,cost,ideal\n";
  for (const analysis::LineFigures& figure : analysis::file_figures(recording, report, file)) {
    const std::string name = file < recording.files.size() ? recording.files[file].name : std::string();
    fmt::format_to(std::back_inserter(table), "{},{},{},{},{},{},{},{}\n", cell(name), figure.line, name_of(figure.space), name_of(figure.op),
                   figure.totals.requests, figure.unit(), figure.cost(), figure.ideal());
  }
  return table;
}

std::string intensity_table(const ExportRequest& request) {
  const analysis::Arithmetic arithmetic = arithmetic_of(request);
  std::string table = "kernel,from,elements_loaded,flop_per_byte,attainable_gflops,measured_gflops\n";
  const auto row = [&](const std::string& kernel, const char* from, const std::string& loads, double intensity, const std::string& measured) {
    fmt::format_to(std::back_inserter(table), "{},{},{},{},{},{}\n", cell(kernel), from, cell(loads), intensity,
                   arithmetic.roof.attainable(intensity), measured);
  };
  if (arithmetic.counted && arithmetic.counted->requested_bytes > 0) {
    row(arithmetic.kernel, "requested", std::to_string(arithmetic.counted->global_loads), arithmetic.counted->requested_intensity(), "");
    if (const auto fetched = arithmetic.counted->fetched_intensity()) row(arithmetic.kernel, "fetched", "", *fetched, "");
  }
  for (const analysis::FormulaRung& rung : arithmetic.ladder) {
    row(rung.name, "formula", rung.loads, rung.intensity, rung.measured ? fmt::format("{}", rung.measured->gflops) : "");
  }
  return table;
}

std::string gain_table(const ExportRequest& request) {
  const analysis::Arithmetic arithmetic = arithmetic_of(request);
  const analysis::AccessTimes times;
  std::string table = "what,operands_per_global_load,global_loads,shared_loads,t_global,t_shared,gain\n";
  const auto row = [&](const std::string& what, const analysis::AccessesPerMultiplyAdd& accesses) {
    fmt::format_to(std::back_inserter(table), "{},{},{},{},{},{},{}\n", cell(what), accesses.reuse(), accesses.global, accesses.shared, times.global,
                   times.shared, analysis::gain(times, accesses));
  };
  if (arithmetic.counted && arithmetic.counted->global_loads > 0) {
    const analysis::CountedArithmetic& counted = *arithmetic.counted;
    row(arithmetic.kernel + " (counted)", {counted.per_multiply_add(counted.global_loads), counted.per_multiply_add(counted.shared_loads)});
  }
  row("naive", {2, 0});
  row("buffered", {1, 1});
  for (int edge = 1; edge <= 128; edge *= 2) row(fmt::format("tiles of {}", edge), {2.0 / edge, 2});
  return table;
}

}  // namespace warplens::viz
