#include "viz/analysis/line_figures.h"

#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "viz/analysis/device_models.h"

namespace warplens::analysis {

CountedTwice& CountedTwice::operator+=(const CountedTwice& other) {
  counted += other.counted;
  compiled += other.compiled;
  return *this;
}

HardwareCount& HardwareCount::operator+=(const HardwareCount& other) {
  cost += other.cost;
  requests += other.requests;
  ideal += other.ideal;
  lines += other.lines;
  return *this;
}

namespace {

/// A fraction in lowest terms.
using Fraction = std::pair<std::uint64_t, std::uint64_t>;

Fraction fraction(std::uint64_t part, std::uint64_t whole) {
  const std::uint64_t common = std::gcd(part, whole);
  return {part / common, whole / common};
}

/// Adds up sites of the same kind of access at the same cost a request.
class RowsOfLine {
 public:
  RowsOfLine(const Recording& recording, const Report& report, std::span<const std::string> arrays)
      : recording_(recording),
        report_(report),
        arrays_(arrays),
        counts_sectors_(memory_rules_of(report.cc).counts_sectors) {}

  void add(std::uint32_t index) {
    const Site& site = recording_.sites[index];
    LineFigures row{.line = site.line,
                    .space = site.space,
                    .op = site.op,
                    .array = arrays_.empty() ? std::string() : arrays_[index],
                    .sites = {index},
                    .totals = report_.by_site[index],
                    .counts_sectors = counts_sectors_};
    if (row.totals.requests == 0) return;
    const Kind kind{site.space, site.op, row.array, fraction(row.cost(), row.totals.requests),
                    fraction(row.ideal(), row.totals.requests)};
    const auto [known, is_new] = row_of_.try_emplace(kind, rows_.size());
    if (is_new) {
      rows_.push_back(std::move(row));
    } else {
      rows_[known->second].sites.push_back(index);
      rows_[known->second].totals += row.totals;
    }
  }

  [[nodiscard]] std::vector<LineFigures> take() { return std::move(rows_); }

 private:
  using Kind = std::tuple<Space, AccessOp, std::string, Fraction, Fraction>;
  const Recording& recording_;
  const Report& report_;
  std::span<const std::string> arrays_;
  bool counts_sectors_;
  std::vector<LineFigures> rows_;
  std::map<Kind, std::size_t> row_of_;
};

std::vector<LineFigures> figures_of(const Recording& recording, const Report& report,
                                    std::span<const std::uint32_t> sites,
                                    std::span<const std::string> arrays) {
  RowsOfLine rows(recording, report, arrays);
  for (const std::uint32_t index : sites) rows.add(index);
  return rows.take();
}

}  // namespace

std::vector<LineFigures> line_figures(const Recording& recording, const Report& report, std::uint32_t file,
                                      std::uint32_t line, std::span<const std::string> arrays) {
  const auto sites = report.sites_by_line.find({file, line});
  if (sites == report.sites_by_line.end()) return {};
  return figures_of(recording, report, sites->second, arrays);
}

std::vector<LineFigures> file_figures(const Recording& recording, const Report& report, std::uint32_t file,
                                      std::span<const std::string> arrays) {
  std::vector<LineFigures> rows;
  for (const auto& [place, sites] : report.sites_by_line) {
    if (place.first != file) continue;
    std::vector<LineFigures> of_line = figures_of(recording, report, sites, arrays);
    rows.insert(rows.end(), std::move_iterator(of_line.begin()), std::move_iterator(of_line.end()));
  }
  return rows;
}

std::map<std::uint32_t, std::vector<LineFigures>> ptx_figures(const Recording& recording,
                                                              const Report& report,
                                                              std::span<const std::string> arrays) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> sites_of;
  for (std::uint32_t index = 0; index < recording.sites.size(); ++index)
    sites_of[recording.sites[index].ptx_line].push_back(index);
  std::map<std::uint32_t, std::vector<LineFigures>> figures;
  for (const auto& [line, sites] : sites_of) figures[line] = figures_of(recording, report, sites, arrays);
  return figures;
}

double TotalExcess::share(const LineFigures& row) const {
  const std::uint64_t all = row.space == Space::shared ? wavefronts : sectors;
  return all == 0 ? 0 : static_cast<double>(row.excess()) / static_cast<double>(all);
}

TotalExcess total_excess(const Recording& recording, const Report& report) {
  TotalExcess total;
  for (const auto& [place, sites] : report.sites_by_line) {
    for (const LineFigures& row : figures_of(recording, report, sites, {})) {
      (row.space == Space::shared ? total.wavefronts : total.sectors) += row.excess();
    }
  }
  return total;
}

}  // namespace warplens::analysis
