#include "app/session/compiled_figures.h"

#include <algorithm>
#include <iterator>

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

}  // namespace

std::vector<LineFigures> compiled_line_figures(const Loaded& loaded, std::uint32_t file, std::uint32_t line) {
  if (!loaded.compiled.has_counts()) return {};
  std::vector<LineFigures> rows = analysis::line_figures(loaded.compiled.accesses, loaded.compiled.report, file, line);
  for (LineFigures& row : rows) row.sites = written_sites(loaded, file, row);
  return rows;
}

std::vector<LineFigures> instruction_figures(const Loaded& loaded, std::uint32_t instruction) {
  if (!loaded.compiled.has_counts()) return {};
  const std::vector<Site>& sites = loaded.compiled.accesses.sites;
  const auto site = std::ranges::lower_bound(sites, instruction, {}, &Site::instruction);
  if (site == sites.end() || site->instruction != instruction) return {};
  LineFigures row{.line = site->line,
                  .space = site->space,
                  .op = site->op,
                  .sites = {},
                  .totals = loaded.compiled.report.by_site[static_cast<std::size_t>(site - sites.begin())]};
  if (row.totals.requests == 0) return {};
  row.sites = written_sites(loaded, site->file, row);
  return {row};
}

}  // namespace warplens::app
