#include "app/session/compiled_figures.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

#include "app/session/hardware_figures.h"
#include "viz/analysis/device_models.h"

namespace warplens::app {
namespace {

using analysis::LineFigures;

std::vector<std::uint32_t> written_sites(const Loaded& loaded, std::uint32_t file, const LineFigures& row) {
  std::vector<std::uint32_t> sites;
  const auto written = loaded.report.sites_by_line.find({file, row.line});
  if (written == loaded.report.sites_by_line.end()) return sites;
  std::ranges::copy_if(written->second, std::back_inserter(sites), [&](std::uint32_t site) {
    return loaded.recording->sites[site].space == row.space && loaded.recording->sites[site].op == row.op;
  });
  return sites;
}

/// Names the arrays that the sites touch, each once: the assembler merges accesses to one array, but which of
/// a line's it made an instruction of is not known.
std::string arrays_of(const std::vector<std::uint32_t>& sites, std::span<const std::string> arrays) {
  std::string names;
  std::set<std::string_view> known;
  for (const std::uint32_t site : sites) {
    if (arrays[site].empty() || !known.insert(arrays[site]).second) continue;
    names += (names.empty() ? "" : ", ") + arrays[site];
  }
  return names;
}

bool is_alike(const Site& a, const Site& b) {
  return a.file == b.file && a.line == b.line && a.space == b.space && a.op == b.op;
}

/// How well what an instruction did agrees with an access.
enum class Likeness : std::uint8_t { none, lanes, lanes_and_addresses };

Likeness likeness(const Recording& compiled, std::size_t site, const Shape& shape, std::uint64_t base,
                  std::uint8_t bytes) {
  Likeness best = Likeness::none;
  for (const PatternCount& pattern : compiled.totals[site].patterns) {
    if (compiled.shapes[pattern.shape] != shape) continue;
    const std::uint64_t into = (base - pattern.alignment) % kPatternAlignment;
    if (into + bytes <= std::max(compiled.sites[site].bytes, bytes)) return Likeness::lanes_and_addresses;
    best = Likeness::lanes;
  }
  return best;
}

}  // namespace

std::optional<std::uint32_t> instruction_of(const Loaded& loaded, std::size_t event) {
  if (!loaded.compiled.has_counts()) return std::nullopt;
  const Recording &recording = *loaded.recording, &compiled = loaded.compiled.accesses;
  const Site& written = recording.sites[recording.events.site[event]];
  const Shape& shape = recording.shapes[recording.events.shape[event]];
  std::vector<std::size_t> alike;
  Likeness best = Likeness::none;
  for (std::size_t site = 0; site < compiled.sites.size(); ++site) {
    if (!is_alike(compiled.sites[site], written)) continue;
    const Likeness found = likeness(compiled, site, shape, recording.events.base[event], written.bytes);
    if (found > best) alike.clear(), best = found;
    if (found == best) alike.push_back(site);
  }
  if (alike.empty()) return std::nullopt;
  std::size_t place = 0, all = 0;
  for (std::size_t site = 0; site < recording.sites.size(); ++site) {
    if (!is_alike(recording.sites[site], written)) continue;
    if (site < recording.events.site[event]) ++place;
    ++all;
  }
  const std::size_t chosen = alike.size() == 1 ? 0 : std::min(place * alike.size() / all, alike.size() - 1);
  return compiled.sites[alike[chosen]].instruction;
}

std::vector<LineFigures> written_line_figures(const Loaded& loaded, std::uint32_t file, std::uint32_t line,
                                              std::span<const std::string> arrays) {
  std::vector<LineFigures> rows =
      analysis::line_figures(*loaded.recording, loaded.report, file, line, arrays);
  for (LineFigures& row : rows) {
    row.hardware = hardware_count(loaded, file, line, row.space, row.op);
    if (!row.hardware) continue;
    for (const LineFigures& other : rows) {
      if (other.space == row.space && other.op == row.op) row.hardware->written += other.cost();
    }
  }
  return rows;
}

std::vector<LineFigures> compiled_line_figures(const Loaded& loaded, std::uint32_t file, std::uint32_t line,
                                               std::span<const std::string> arrays) {
  if (!loaded.compiled.has_counts()) return {};
  std::vector<LineFigures> rows =
      analysis::line_figures(loaded.compiled.accesses, loaded.compiled.report, file, line);
  for (LineFigures& row : rows) {
    row.hardware = hardware_count(loaded, row.sites);
    row.sites = written_sites(loaded, file, row);
    if (!arrays.empty()) row.array = arrays_of(row.sites, arrays);
  }
  return rows;
}

std::vector<LineFigures> instruction_figures(const Loaded& loaded, std::uint32_t instruction) {
  if (!loaded.compiled.has_counts()) return {};
  const std::vector<Site>& sites = loaded.compiled.accesses.sites;
  std::vector<LineFigures> rows;
  for (std::uint32_t index = 0; index < sites.size(); ++index) {
    const Site& site = sites[index];
    if (site.instruction != instruction) continue;
    LineFigures row{.line = site.line,
                    .space = site.space,
                    .op = site.op,
                    .array = {},
                    .sites = {},
                    .totals = loaded.compiled.report.by_site[index],
                    .counts_sectors = analysis::memory_rules_of(loaded.cc).counts_sectors};
    if (row.totals.requests == 0) continue;
    row.hardware = hardware_count(loaded, std::array{index});
    row.sites = written_sites(loaded, site.file, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace warplens::app
