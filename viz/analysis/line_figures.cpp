#include "viz/analysis/line_figures.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace warplens::analysis {
namespace {

/// The same kind of access at the same cost a request; fractions compared without rounding.
bool alike(const LineFigures& a, const LineFigures& b) {
  return a.space == b.space && a.op == b.op && a.cost() * b.totals.requests == b.cost() * a.totals.requests &&
         a.ideal() * b.totals.requests == b.ideal() * a.totals.requests;
}

void add_site(const Recording& recording, const Report& report, std::uint32_t index, std::vector<LineFigures>& rows) {
  const Site& site = recording.sites[index];
  LineFigures row{.line = site.line, .space = site.space, .op = site.op, .sites = {index}, .totals = report.by_site[index]};
  if (row.totals.requests == 0) return;
  const auto known = std::find_if(rows.begin(), rows.end(), [&](const LineFigures& other) { return alike(other, row); });
  if (known == rows.end()) {
    rows.push_back(std::move(row));
  } else {
    known->sites.push_back(index);
    known->totals += row.totals;
  }
}

std::vector<LineFigures> figures_of(const Recording& recording, const Report& report, std::span<const std::uint32_t> sites) {
  std::vector<LineFigures> rows;
  for (const std::uint32_t index : sites) add_site(recording, report, index, rows);
  return rows;
}

}  // namespace

std::vector<LineFigures> line_figures(const Recording& recording, const Report& report, std::uint32_t file, std::uint32_t line) {
  const auto sites = report.sites_by_line.find({file, line});
  if (sites == report.sites_by_line.end()) return {};
  return figures_of(recording, report, sites->second);
}

std::vector<LineFigures> file_figures(const Recording& recording, const Report& report, std::uint32_t file) {
  std::vector<LineFigures> rows;
  for (const auto& [place, sites] : report.sites_by_line) {
    if (place.first != file) continue;
    std::vector<LineFigures> of_line = figures_of(recording, report, sites);
    rows.insert(rows.end(), std::move_iterator(of_line.begin()), std::move_iterator(of_line.end()));
  }
  return rows;
}

std::vector<LineFigures> ptx_line_figures(const Recording& recording, const Report& report, std::uint32_t ptx_line) {
  std::vector<LineFigures> rows;
  for (std::uint32_t index = 0; index < recording.sites.size(); ++index) {
    if (recording.sites[index].ptx_line == ptx_line) add_site(recording, report, index, rows);
  }
  return rows;
}

}  // namespace warplens::analysis
