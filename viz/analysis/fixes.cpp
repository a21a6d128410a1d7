#include "viz/analysis/fixes.h"

#include <algorithm>
#include <array>
#include <bit>

#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

constexpr std::size_t kMaxArrays = 64;

std::uint64_t bit(std::size_t array) {
  return std::uint64_t{1} << array;
}

bool holds(const SharedArray& array, std::uint64_t offset) {
  return offset >= array.offset && offset < std::uint64_t{array.offset} + array.bytes;
}

/// By site: the arrays that its recorded accesses lie in; all arrays if none is recorded; none for sites of
/// other memory.
std::vector<std::uint64_t> touched_arrays(const Recording& recording, const EventColumns& events) {
  const auto& arrays = recording.shared_arrays;
  std::vector<std::uint64_t> touched(recording.sites.size());
  if (arrays.empty() || arrays.size() > kMaxArrays) return touched;
  std::vector<bool> recorded(recording.sites.size());
  std::size_t latest = 0;
  for (std::size_t event = 0; event < events.size(); ++event) {
    const std::uint32_t site = events.site[event];
    if (recording.sites[site].space != Space::shared) continue;
    recorded[site] = true;
    if (!holds(arrays[latest], events.base[event])) {
      const auto found = std::ranges::find_if(
          arrays, [&](const SharedArray& array) { return holds(array, events.base[event]); });
      if (found == arrays.end()) continue;
      latest = static_cast<std::size_t>(found - arrays.begin());
    }
    touched[site] |= bit(latest);
  }
  const std::uint64_t all = ~std::uint64_t{0} >> (kMaxArrays - arrays.size());
  for (std::size_t site = 0; site < recording.sites.size(); ++site) {
    if (recording.sites[site].space == Space::shared && !recorded[site]) touched[site] = all;
  }
  return touched;
}

using Rows = SharedRows;

/// nullopt: they lie in different ways, or their rows are not known.
std::optional<Rows> rows_of(const Recording& recording, std::uint64_t arrays) {
  std::optional<Rows> all;
  for (std::size_t i = 0; i < recording.shared_arrays.size(); ++i) {
    if ((arrays & bit(i)) == 0) continue;
    const SharedArray& array = recording.shared_arrays[i];
    const std::uint64_t bytes = std::uint64_t{array.pitch} * array.element_bytes;
    if (array.rows < 2 || bytes == 0 || bytes % 4 != 0) return std::nullopt;
    const Rows rows{.bytes = bytes, .start = array.offset % bytes, .element_bytes = array.element_bytes};
    if (all &&
        (all->bytes != rows.bytes || all->start != rows.start || all->element_bytes != rows.element_bytes))
      return std::nullopt;
    all = rows;
  }
  return all;
}

std::int64_t floor_divided(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// The access with `padding` bytes behind each row. Its rows are known from the lowest active lane's on: of
/// an address modulo kPatternAlignment the column is known where rows divide that, and does not matter where
/// all lanes are in one. nullopt: the rows are not known.
std::optional<WarpAccess> with_padding(WarpAccess access, const Rows& rows, std::uint64_t padding) {
  const std::uint64_t base = access.address[static_cast<std::size_t>(std::countr_zero(access.mask))];
  const auto row_bytes = static_cast<std::int64_t>(rows.bytes);
  const bool column_known = kPatternAlignment % rows.bytes == 0;
  const auto column =
      column_known ? static_cast<std::int64_t>((base - rows.start) % rows.bytes) : std::int64_t{0};
  bool known = true;
  for_each_lane(access.mask, [&](int lane) {
    std::uint64_t& address = access.address[static_cast<std::size_t>(lane)];
    const auto distance = static_cast<std::int64_t>(address - base);
    known = known && (column_known || distance % row_bytes == 0);
    address += static_cast<std::uint64_t>(floor_divided(column + distance, row_bytes)) * padding;
  });
  return known ? std::optional(access) : std::nullopt;
}

/// Whether padding leaves what a site's lanes access whole, and on multiples of its width.
bool keeps_aligned(const Site& site, const Rows& rows, std::uint64_t padding) {
  const std::uint64_t width = site.bytes;
  return width <= 4 || (rows.bytes % width == 0 && rows.start % width == 0 && padding % width == 0);
}

std::uint64_t lowest_address(const WarpAccess& access) {
  std::uint64_t lowest = ~std::uint64_t{0};
  for_each_lane(access.mask,
                [&](int lane) { lowest = std::min(lowest, access.address[static_cast<std::size_t>(lane)]); });
  return lowest;
}

WarpAccess from_a_line(WarpAccess access) {
  const std::uint64_t past = lowest_address(access) % kLineBytes;
  for_each_lane(access.mask, [&](int lane) { access.address[static_cast<std::size_t>(lane)] -= past; });
  return access;
}

/// An element for each lane, by the lanes' numbers; where lanes share elements, in the order of the lanes
/// that come to them first. From the lowest address on, or with lane 0's at the start of its line.
WarpAccess on_neighbours(WarpAccess access, bool from_line) {
  std::array<std::uint64_t, kWarpSize> elements;
  std::size_t count = 0;
  std::array<std::size_t, kWarpSize> element_of{};
  for_each_lane(access.mask, [&](int lane) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
    elements[count] = address;
    std::size_t& element = element_of[static_cast<std::size_t>(lane)];
    while (elements[element] != address) ++element;
    if (element == count) ++count;
  });
  const std::uint64_t lowest = lowest_address(access), bytes = static_cast<std::uint64_t>(access.bytes);
  const bool by_lane = count == static_cast<std::size_t>(std::popcount(access.mask));
  const std::uint64_t first = by_lane ? static_cast<std::uint64_t>(std::countr_zero(access.mask)) : 0;
  const std::uint64_t start = from_line ? lowest - lowest % kLineBytes : lowest - first * bytes;
  for_each_lane(access.mask, [&](int at) {
    const auto lane = static_cast<std::size_t>(at);
    access.address[lane] = start + (by_lane ? lane : element_of[lane]) * bytes;
  });
  return access;
}

WarpAccess changed_by(Fix::Change change, const WarpAccess& access) {
  switch (change) {
    case Fix::Change::aligned_start: return from_a_line(access);
    case Fix::Change::neighbours: return on_neighbours(access, false);
    case Fix::Change::neighbours_from_line: return on_neighbours(access, true);
    case Fix::Change::padded_rows: break;
  }
  return access;
}

}  // namespace

const char* name_of(Fix::Change change) {
  switch (change) {
    case Fix::Change::padded_rows: return "padded_rows";
    case Fix::Change::aligned_start: return "aligned_start";
    case Fix::Change::neighbours: return "neighbours";
    case Fix::Change::neighbours_from_line: break;
  }
  return "neighbours_from_line";
}

FixFinder::FixFinder(const Recording& recording, const Report& report, const EventColumns& events)
    : recording_(recording), report_(report), touched_(touched_arrays(recording, events)) {}

std::optional<Fix> FixFinder::fix_of(const LineFigures& figures) {
  using Change = Fix::Change;
  static constexpr std::array kGlobal{Change::aligned_start, Change::neighbours,
                                      Change::neighbours_from_line};
  static constexpr std::array kShared{Change::neighbours};
  switch (figures.space) {
    case Space::global: return rearranged(figures, kGlobal);
    case Space::local: return std::nullopt;
    case Space::shared: break;
  }
  if (auto fix = padded(figures)) return fix;
  const bool matrix = is_of_matrices(figures.op);
  return matrix ? std::nullopt : rearranged(figures, kShared);
}

/// What a site's requests cost with each pattern as `changed` makes it of an access: nullopt if it makes
/// nothing of one, or too many are costed.
template <class Changed>
std::optional<std::uint64_t> FixFinder::cost_of_site(std::uint32_t site, Changed changed) {
  const SiteTotals& totals = recording_.totals[site];
  const Site& description = recording_.sites[site];
  if (totals.unkept_requests != 0) return std::nullopt;
  std::uint64_t cost = 0;
  for (const PatternCount& pattern : totals.patterns) {
    if (pattern.mask == 0) continue;
    if (++costed_ > kMaxCosted) return std::nullopt;
    const auto access = changed(make_access(description, recording_.shapes[pattern.shape], pattern.mask,
                                            pattern_base(pattern.alignment)));
    if (!access) return std::nullopt;
    const AccessCost one = access_cost(*access, report_.cc);
    cost += pattern.count * (description.space == Space::shared ? one.wavefronts : one.sectors);
  }
  return cost;
}

std::optional<Fix> FixFinder::rearranged(const LineFigures& figures, std::span<const Fix::Change> changes) {
  std::optional<Fix> best;
  for (const Fix::Change change : changes) {
    std::uint64_t cost = 0;
    for (const std::uint32_t site : figures.sites) {
      const auto of_site = cost_of_site(
          site, [change](const WarpAccess& access) { return std::optional(changed_by(change, access)); });
      if (!of_site) return std::nullopt;
      cost += *of_site;
    }
    if (cost < (best ? best->cost : figures.cost())) best = Fix{.change = change, .cost = cost};
  }
  return best;
}

std::optional<Fix> FixFinder::padded(const LineFigures& figures) {
  const Arrays arrays = arrays_padded_with(figures);
  if (arrays == 0) return std::nullopt;
  const std::optional<Padding>& padding = padding_of(arrays);
  if (!padding) return std::nullopt;
  Fix fix{.change = Fix::Change::padded_rows, .row_words = padding->row_words};
  for (const std::uint32_t site : figures.sites) {
    const auto known = padding->by_site.find(site);
    if (known == padding->by_site.end()) return std::nullopt;
    fix.cost += known->second;
  }
  if (fix.cost >= figures.cost()) return std::nullopt;
  for (std::uint32_t i = 0; i < recording_.shared_arrays.size(); ++i) {
    if ((arrays & bit(i)) != 0) fix.padded.push_back(i);
  }
  fix.worse = worst_hit(*padding);
  return fix;
}

/// Those that the sites touch, and with them those that a site may touch as well as one of these.
FixFinder::Arrays FixFinder::arrays_padded_with(const LineFigures& figures) const {
  Arrays arrays = 0;
  for (const std::uint32_t site : figures.sites) arrays |= touched_[site];
  for (Arrays before = 0; before != arrays;) {
    before = arrays;
    for (const Arrays touched : touched_) {
      if ((touched & arrays) != 0) arrays |= touched;
    }
  }
  return arrays;
}

const std::optional<FixFinder::Padding>& FixFinder::padding_of(Arrays arrays) {
  const auto known = paddings_.find(arrays);
  return known != paddings_.end() ? known->second
                                  : paddings_.emplace(arrays, best_padding(arrays)).first->second;
}

std::optional<FixFinder::Padding> FixFinder::best_padding(Arrays arrays) {
  const auto rows = rows_of(recording_, arrays);
  if (!rows) return std::nullopt;
  std::vector<std::uint32_t> sites;
  std::uint64_t min = 0;
  for (std::uint32_t site = 0; site < touched_.size(); ++site) {
    if ((touched_[site] & arrays) == 0 || report_.by_site[site].requests == 0) continue;
    sites.push_back(site);
    min += report_.by_site[site].cost.wavefronts;
  }
  std::optional<Padding> best;
  for (const std::uint64_t words : {1, 2, 4}) {
    const auto allowed = [&](std::uint32_t site) {
      return keeps_aligned(recording_.sites[site], *rows, words * 4);
    };
    if (words * 4 % rows->element_bytes != 0 || !std::ranges::all_of(sites, allowed)) continue;
    Padding padding{.row_words = static_cast<std::uint32_t>(rows->bytes / 4 + words)};
    for (const std::uint32_t site : sites) {
      const auto cost = padded_cost(site, *rows, words * 4);
      if (!cost) return best;
      padding.by_site[site] = *cost;
      padding.cost += *cost;
    }
    if (padding.cost < min) {
      min = padding.cost;
      best = std::move(padding);
    }
  }
  return best;
}

std::optional<std::uint64_t> FixFinder::padded_cost(std::uint32_t site, const Rows& rows,
                                                    std::uint64_t padding) {
  // A pattern does not say in which row a request begins, and so not by how much padding moves it as a whole.
  // That matters only where a wavefront takes runs of words that are longer than the banks: there the dearest
  // place counts.
  const std::uint64_t places = memory_rules_of(report_.cc).bank_bytes > 4 ? kPatternAlignment / padding : 1;
  std::uint64_t dearest = 0;
  for (std::uint64_t place = 0; place < places; ++place) {
    const auto cost = cost_of_site(site, [&](const WarpAccess& access) {
      auto changed = with_padding(access, rows, padding);
      if (changed) {
        for (std::uint64_t& address : changed->address) address += place * padding;
      }
      return changed;
    });
    if (!cost) return std::nullopt;
    dearest = std::max(dearest, *cost);
  }
  return dearest;
}

std::optional<Fix::Worse> FixFinder::worst_hit(const Padding& padding) const {
  std::optional<Fix::Worse> worst;
  std::uint64_t max = 0;
  for (const auto& [place, sites_of_line] : report_.sites_by_line) {
    const bool touches = std::ranges::any_of(
        sites_of_line, [&](std::uint32_t site) { return padding.by_site.contains(site); });
    if (!touches) continue;
    for (const LineFigures& figures : line_figures(recording_, report_, place.first, place.second)) {
      std::uint64_t cost = 0;
      for (const std::uint32_t site : figures.sites) {
        const auto padded = padding.by_site.find(site);
        cost += padded != padding.by_site.end() ? padded->second : report_.by_site[site].cost.wavefronts;
      }
      if (figures.space != Space::shared || cost <= figures.cost() || cost - figures.cost() <= max) continue;
      max = cost - figures.cost();
      worst = Fix::Worse{.figures = figures, .cost = cost};
    }
  }
  return worst;
}

}  // namespace warplens::analysis
