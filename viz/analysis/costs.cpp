#include "viz/analysis/costs.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace warplens::analysis {
namespace {

std::vector<LineCost> costly_rows(const Recording& recording, const Report& report) {
  std::vector<LineCost> rows;
  for (const auto& [place, sites] : report.sites_by_line) {
    for (LineFigures& figures : line_figures(recording, report, place.first, place.second)) {
      if (figures.costly()) rows.push_back({.file = place.first, .figures = std::move(figures)});
    }
  }
  return rows;
}

void share_out(std::vector<LineCost>& rows) {
  TotalExcess total;
  for (const LineCost& row : rows)
    (row.figures.space == Space::shared ? total.wavefronts : total.sectors) += row.excess();
  for (LineCost& row : rows) row.share = total.share(row.figures);
}

std::uint64_t excess_of(const WarpAccess& access, ComputeCapability cc) {
  const AccessCost cost = access_cost(access, cc);
  return access.space == Space::shared ? cost.wavefronts - cost.ideal_wavefronts
                                       : cost.sectors - cost.ideal_sectors;
}

/// Finds the dearest requests of the rows.
class Dearest {
 public:
  Dearest(const Recording& recording, const EventColumns& events, ComputeCapability cc,
          std::vector<LineCost>& rows)
      : recording_(recording), events_(events), cc_(cc), rows_(rows) {
    found_.resize(rows.size());
    row_of_.resize(recording.sites.size(), -1);
    excess_of_.resize(recording.sites.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (const std::uint32_t site : rows[row].figures.sites) row_of_[site] = static_cast<std::int32_t>(row);
    }
  }

  void find() {
    for (std::size_t row = 0; row < rows_.size(); ++row) find_pattern(row);
    std::size_t left = rows_.size();
    for (std::size_t event = 0; event < events_.size() && left > 0; ++event) {
      const std::int32_t row = row_of_[events_.site[event]];
      if (row >= 0 && !found_[static_cast<std::size_t>(row)].whole &&
          take(static_cast<std::size_t>(row), event))
        --left;
    }
  }

 private:
  /// The greatest excess of a row's patterns, that of its best event so far, and whether no event can cost
  /// more.
  struct Found {
    std::uint64_t max = 0, of_event = 0;
    bool whole = false;
  };

  [[nodiscard]] WarpAccess pattern_access(std::uint32_t site, const PatternCount& pattern) const {
    return make_access(recording_.sites[site], recording_.shapes[pattern.shape], pattern.mask,
                       pattern_base(pattern.alignment));
  }

  void find_pattern(std::size_t row) {
    for (const std::uint32_t site : rows_[row].figures.sites) {
      for (const PatternCount& pattern : recording_.totals[site].patterns) {
        const WarpAccess access = pattern_access(site, pattern);
        const std::uint64_t excess = excess_of(access, cc_);
        excess_of_[site].push_back(excess);
        if (rows_[row].dearest && excess <= found_[row].max) continue;
        found_[row].max = excess;
        rows_[row].dearest = access;
      }
    }
  }

  /// Whether no later event can be dearer.
  bool take(std::size_t row, std::size_t event) {
    const auto excess = excess_of_event(event);
    Found& found = found_[row];
    // An event whose pattern is not kept stands in where there is no other.
    if (!rows_[row].event || excess.value_or(0) > found.of_event) {
      found.of_event = excess.value_or(0);
      rows_[row].event = event;
      rows_[row].dearest =
          make_access(recording_.sites[events_.site[event]], recording_.shapes[events_.shape[event]],
                      events_.mask[event], events_.base[event]);
    }
    found.whole = excess && *excess >= found.max;
    return found.whole;
  }

  [[nodiscard]] std::optional<std::uint64_t> excess_of_event(std::size_t event) const {
    const auto& patterns = recording_.totals[events_.site[event]].patterns;
    const auto key = [](const PatternCount& pattern) {
      return std::tuple(pattern.shape, pattern.mask, pattern.alignment);
    };
    const std::tuple wanted(events_.shape[event], events_.mask[event],
                            static_cast<std::uint32_t>(events_.base[event] % kPatternAlignment));
    const auto at = std::ranges::lower_bound(patterns, wanted, {}, key);
    if (at == patterns.end() || key(*at) != wanted) return std::nullopt;
    return excess_of_[events_.site[event]][static_cast<std::size_t>(at - patterns.begin())];
  }

  const Recording& recording_;
  const EventColumns& events_;
  ComputeCapability cc_;
  std::vector<LineCost>& rows_;
  std::vector<Found> found_;                           ///< By row
  std::vector<std::int32_t> row_of_;                   ///< By site; -1: it costs its ideal
  std::vector<std::vector<std::uint64_t>> excess_of_;  ///< By site of a row, and by pattern
};

std::vector<LineCost> ranked(const Recording& recording, const EventColumns& events, const Report& report) {
  std::vector<LineCost> rows = costly_rows(recording, report);
  std::ranges::stable_sort(rows, std::greater(), &LineCost::excess);
  share_out(rows);
  Dearest(recording, events, report.cc, rows).find();
  FixFinder fix_finder(recording, report, events);
  for (LineCost& row : rows) row.fix = fix_finder.fix_of(row.figures);
  return rows;
}

}  // namespace

std::vector<LineCost> costs(const Recording& recording, const Report& report) {
  return ranked(recording, recording.events, report);
}

std::vector<LineCost> costs_of_totals(const Recording& recording, const Report& report) {
  return ranked(recording, {}, report);
}

}  // namespace warplens::analysis
