#include "app/session/line_figures.h"

#include <algorithm>

namespace warplens::app {
namespace {

/// Equal fractions of requests: compared without rounding.
bool same_rate(std::uint64_t cost_a, std::uint64_t requests_a, std::uint64_t cost_b, std::uint64_t requests_b) {
  return cost_a * requests_b == cost_b * requests_a;
}

void add_site(const Loaded& loaded, std::uint32_t index, std::vector<LineFigures>& rows) {
  const Site& site = loaded.recording.sites[index];
  LineFigures row{.space = site.space, .op = site.op, .sites = {index}, .totals = loaded.report.by_site[index]};
  if (row.totals.requests == 0) return;
  const auto same = std::ranges::find_if(rows, [&](const LineFigures& other) {
    return other.space == row.space && other.op == row.op && same_rate(other.cost(), other.totals.requests, row.cost(), row.totals.requests) &&
           same_rate(other.ideal(), other.totals.requests, row.ideal(), row.totals.requests);
  });
  if (same == rows.end()) {
    rows.push_back(std::move(row));
  } else {
    same->sites.push_back(index);
    same->totals += row.totals;
  }
}

double per(std::uint64_t amount, std::uint64_t requests) {
  return requests == 0 ? 0 : static_cast<double>(amount) / static_cast<double>(requests);
}

}  // namespace

double LineFigures::cost_per_request() const {
  return per(cost(), totals.requests);
}
double LineFigures::ideal_per_request() const {
  return per(ideal(), totals.requests);
}

std::vector<LineFigures> line_figures(const Loaded& loaded, std::uint32_t file, std::uint32_t line) {
  std::vector<LineFigures> rows;
  const auto sites = loaded.report.sites_by_line.find({file, line});
  if (sites == loaded.report.sites_by_line.end()) return rows;
  for (const std::uint32_t index : sites->second) add_site(loaded, index, rows);
  return rows;
}

std::vector<LineFigures> ptx_line_figures(const Loaded& loaded, std::uint32_t ptx_line) {
  std::vector<LineFigures> rows;
  for (std::uint32_t index = 0; index < loaded.recording.sites.size(); ++index) {
    if (loaded.recording.sites[index].ptx_line == ptx_line) add_site(loaded, index, rows);
  }
  return rows;
}

}  // namespace warplens::app
