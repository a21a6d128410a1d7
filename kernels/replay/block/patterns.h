// Counts access patterns: exactly, and in bounded memory where a cost function is given.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "kernels/base/hash_index.h"
#include "kernels/recording/recording.h"
#include "kernels/recording/shape_table.h"
#include "kernels/replay/core/machine.h"
#include "kernels/replay/decode/load_groups.h"
#include "kernels/replay/replay.h"

namespace warplens::replay {

/// The column of the phases that a site's requests count in.
[[nodiscard]] PhaseColumn column_of(const Site& site, const std::vector<Site>& sites);

/// Patterns of all runners. A site with more of them than Options::max_patterns_per_site has every access
/// costed instead, those counted before included: so the outcome does not depend on the order in which
/// runners report.
class PatternTotals {
 public:
  PatternTotals(const std::vector<Site>& sites, const Options& options)
      : sites_(sites), options_(options), totals_(sites.size()) {}

  struct Count {
    std::uint32_t site = 0;
    std::uint32_t mask = 0, alignment = 0;
    const Shape* shape = nullptr;
    std::uint64_t hash = 0;  ///< hash_of(*shape)
    std::uint64_t count = 0;
  };
  void add(const std::vector<Count>& counts);
  void add_divergent(std::uint32_t site, std::uint64_t requests);
  /// How often addresses lie so many bytes further, by remainder modulo kPatternAlignment.
  using Moved = std::array<std::uint64_t, kPatternAlignment>;
  /// What was counted once, `times` times: `moved` says of each site where.
  void add_moved(const Recording& once, std::uint64_t times,
                 const std::function<Moved(std::uint32_t site)>& moved);

  /// Leaves the totals and shapes of the recording.
  void finish(Recording& recording);

 private:
  struct SiteCounts {
    SiteTotals totals;
    HashIndex patterns;  ///< Into totals.patterns
    bool costs_all = false;
  };
  void add_cost(std::uint32_t site, const Shape& shape, std::uint32_t mask, std::uint32_t alignment,
                std::uint64_t count);
  void add_costs_of_kept(std::uint32_t site);
  void keep(const Count& pattern);

  const std::vector<Site>& sites_;
  const Options& options_;
  std::mutex mutex_;
  ShapeTable shapes_;
  std::vector<SiteCounts> totals_;
};

/// What one runner has counted and not yet reported.
class PatternCounter {
 public:
  /// `sites` and `groups` must live as long.
  PatternCounter(const std::vector<Site>& sites, const std::vector<LoadGroupPlan>& groups,
                 PatternTotals& totals);
  [[nodiscard]] SiteState* sites() { return sites_.data(); }
  [[nodiscard]] LoadGroup* groups() { return groups_.data(); }

  void count_affine(std::uint32_t site, std::uint64_t first, std::int64_t stride);
  void count_irregular(std::uint32_t site, std::uint32_t mask, const std::uint64_t* addresses);
  /// See the function of the same name in machine.h.
  [[nodiscard]] ShapeCounter* find_shape(std::uint32_t site, std::uint32_t mask,
                                         const std::uint32_t* offsets);
  void count_divergent(std::uint32_t site) { ++divergent_[site]; }
  /// See the function of the same name in machine.h.
  [[nodiscard]] GroupShape* find_group_shape(std::uint32_t group, std::int64_t stride, std::uint32_t mask,
                                             const std::uint32_t* offsets);
  [[nodiscard]] const ShapeCounter& counter(std::uint32_t number) const { return counters_[number]; }
  [[nodiscard]] const GroupShape& group_shape(std::uint32_t number) const { return group_shapes_[number]; }
  /// Adds what has been counted since the last report to the totals.
  void report();
  /// Reports, and counts for others from here on. Returns what it has counted for until now.
  PatternTotals& redirect(PatternTotals& totals);

 private:
  /// No offset of its shape is wider than 32 bits.
  struct Pattern {
    std::uint32_t site = 0, mask = 0, alignment = 0;
    std::array<std::uint32_t, kWarpSize> offsets{};
    std::uint64_t hash = 0;  ///< Of its shape
    std::uint64_t count = 0;
  };
  ShapeCounter* new_counter(std::uint32_t site);  ///< Null if the site has its share of them
  void use(std::uint32_t site, ShapeCounter* counter);
  void settle(std::uint32_t site);  ///< Adds what is pending to its counter
  void describe(ShapeCounter& counter, std::uint32_t bytes);
  void count_scattered(std::uint32_t site, std::uint32_t mask, std::uint64_t first,
                       const std::uint32_t* offsets);
  void count_far(std::uint32_t site, std::uint32_t mask, const std::uint64_t* addresses);
  void report_scattered();
  void report_group(std::uint32_t group);
  bool take_footprint(GroupShape& shape);
  void find_pieces(GroupShape& shape) const;

  PatternTotals* totals_;
  const std::vector<LoadGroupPlan>& group_plans_;
  std::vector<SiteState> sites_;
  std::vector<std::vector<ShapeCounter*>> shapes_;  ///< By site
  std::vector<std::uint64_t> divergent_;
  std::deque<ShapeCounter> counters_;
  ShapeCounter none_{.stride = INT64_MAX};  ///< No access matches it
  std::vector<Pattern> scattered_;
  HashIndex scattered_index_;
  std::vector<LoadGroup> groups_;
  std::vector<std::vector<GroupShape*>> shapes_of_group_;
  std::deque<GroupShape> group_shapes_;
  GroupShape no_group_shape_;  ///< No access matches it
  std::deque<std::vector<std::uint64_t>> footprints_;
};

}  // namespace warplens::replay
