#include "kernels/replay/block/patterns.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace warplens::replay {
namespace {

constexpr std::size_t kShapesPerSite =
    8;  ///< That a runner counts apart; further ones are looked up by content
constexpr std::size_t kShapesPerGroup = 8;
constexpr std::int64_t kWidestFootprint =
    16384;  ///< Bytes from the first to the last that a group of loads may touch
constexpr std::size_t kScatteredAtOnce = 1024;  ///< Patterns that a runner keeps before it reports them
constexpr std::size_t kReportedAtOnce = 64;

/// The region where a site without accesses begins to look.
const Region kNoRegion{};

std::uint64_t hash_of_pattern(std::uint64_t shape, std::uint32_t site, std::uint32_t mask,
                              std::uint32_t alignment) {
  const std::uint64_t hash =
      (shape ^ std::uint64_t{site} << 40 ^ std::uint64_t{alignment} << 32 ^ mask) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

Shape shape_of(const std::uint32_t* offsets) {
  Shape shape{};
  for (std::size_t l = 0; l < kWarpSize; ++l) shape[l] = static_cast<std::int32_t>(offsets[l]);
  return shape;
}

/// Lanes' addresses, less the lowest active one's.
struct Offsets {
  std::uint32_t lower[kWarpSize] = {};  ///< Their lower halves; of inactive lanes 0
  bool are_near = true;                 ///< Nothing is lost of any of them
};
Offsets offsets_of(std::uint32_t mask, const std::uint64_t* addresses) {
  const std::uint64_t first = addresses[std::countr_zero(mask)];
  Offsets offsets;
  std::uint64_t far = 0;
  for (int l = 0; l < kWarpSize; ++l) {
    const std::uint64_t offset = (mask >> l & 1) != 0 ? addresses[l] - first : 0;
    offsets.lower[l] = static_cast<std::uint32_t>(offset);
    far |= (offset + 0x80000000u) >> 32;
  }
  offsets.are_near = far == 0;
  return offsets;
}

Shape shape_of(const ShapeCounter& counter) {
  if (counter.stride == kIrregular) return shape_of(counter.offsets);
  Shape shape{};
  for (int l = 0; l < kWarpSize; ++l) {
    shape[static_cast<std::size_t>(l)] = l * counter.stride;
  }
  return shape;
}

}  // namespace

PhaseColumn column_of(const Site& site, const std::vector<Site>& sites) {
  if (site.space == Space::local || is_atomic(site.op)) return kOtherAccesses;
  const bool writes = warplens::writes(site.op, site.space);
  if (site.space == Space::global) return writes ? kGlobalStores : kGlobalLoads;
  if (writes) {
    const bool fills =
        site.value_from >= 0 && sites[static_cast<std::size_t>(site.value_from)].space == Space::global;
    return fills ? kSharedFills : kSharedStores;
  }
  return kSharedLoads;
}

void PatternTotals::add_cost(std::uint32_t site, const Shape& shape, std::uint32_t mask,
                             std::uint32_t alignment, std::uint64_t count) {
  const AccessCost one = options_.pattern_cost(sites_[site], shape, mask, alignment, options_.unkept_cc);
  AccessCost& unkept = totals_[site].totals.unkept_cost;
  unkept.sectors += one.sectors * count;
  unkept.ideal_sectors += one.ideal_sectors * count;
  unkept.lines += one.lines * count;
  unkept.wavefronts += one.wavefronts * count;
  unkept.ideal_wavefronts += one.ideal_wavefronts * count;
  unkept.bank_conflicts += one.bank_conflicts * count;
  totals_[site].totals.unkept_requests += count;
}

void PatternTotals::add_costs_of_kept(std::uint32_t site) {
  SiteCounts& counts = totals_[site];
  for (const PatternCount& kept : counts.totals.patterns)
    add_cost(site, shapes_.shapes()[kept.shape], kept.mask, kept.alignment, kept.count);
  std::vector<PatternCount>().swap(counts.totals.patterns);
  counts.patterns = {};
  counts.costs_all = true;
}

void PatternTotals::keep(const Count& pattern) {
  const std::uint32_t shape = shapes_.intern(*pattern.shape, pattern.hash);
  SiteCounts& site = totals_[pattern.site];
  std::vector<PatternCount>& kept = site.totals.patterns;
  const auto is_it = [&](std::uint32_t number) {
    return kept[number].shape == shape && kept[number].mask == pattern.mask &&
           kept[number].alignment == pattern.alignment;
  };
  const std::uint32_t number =
      site.patterns.find_or_add(hash_of_pattern(shape, 0, pattern.mask, pattern.alignment), is_it);
  if (number == kept.size()) kept.push_back({shape, pattern.mask, pattern.alignment, 0});
  kept[number].count += pattern.count;
}

void PatternTotals::add(const std::vector<Count>& counts) {
  const std::lock_guard lock(mutex_);
  for (const Count& c : counts) {
    SiteCounts& site = totals_[c.site];
    site.totals.requests += c.count;
    site.totals.thread_accesses += c.count * static_cast<unsigned>(std::popcount(c.mask));
    if (site.costs_all) {
      add_cost(c.site, *c.shape, c.mask, c.alignment, c.count);
      continue;
    }
    keep(c);
    if (options_.pattern_cost != nullptr && site.patterns.size() > options_.max_patterns_per_site)
      add_costs_of_kept(c.site);
  }
}

void PatternTotals::add_divergent(std::uint32_t site, std::uint64_t requests) {
  const std::lock_guard lock(mutex_);
  totals_[site].totals.divergent_requests += requests;
}

void PatternTotals::add_moved(const Recording& once, std::uint64_t times,
                              const std::function<Moved(std::uint32_t site)>& moved) {
  std::vector<Count> counts;
  for (std::uint32_t s = 0; s < once.totals.size(); ++s) {
    const SiteTotals& site = once.totals[s];
    if (site.requests == 0) continue;
    const Moved further_by = moved(s);
    for (const PatternCount& pattern : site.patterns) {
      const Shape& shape = once.shapes[pattern.shape];
      const std::uint64_t hash = hash_of(shape);
      for (std::uint32_t further = 0; further < kPatternAlignment; ++further) {
        if (further_by[further] == 0) continue;
        counts.push_back({s, pattern.mask, (pattern.alignment + further) % kPatternAlignment, &shape, hash,
                          pattern.count * further_by[further]});
      }
    }
    if (site.divergent_requests != 0) add_divergent(s, times * site.divergent_requests);
  }
  add(counts);
}

void PatternTotals::finish(Recording& recording) {
  for (SiteCounts& site : totals_) {
    recording.totals.push_back(std::move(site.totals));
  }
  recording.shapes = shapes_.take();
}

PatternCounter::PatternCounter(const std::vector<Site>& sites, const std::vector<LoadGroupPlan>& groups,
                               PatternTotals& totals)
    : totals_(&totals),
      group_plans_(groups),
      sites_(sites.size() + 1),
      shapes_(sites.size() + 1),
      divergent_(sites.size() + 1),
      shapes_of_group_(groups.size()) {
  no_group_shape_.counter.stride = INT64_MAX;
  for (const LoadGroupPlan& plan : groups) {
    groups_.push_back(
        {.shift = static_cast<std::uint8_t>(std::countr_zero(static_cast<unsigned>(plan.bytes))),
         .column = column_of(sites[plan.loads.front().site], sites),
         .loads = static_cast<std::uint32_t>(plan.loads.size()),
         .span = plan.span,
         .last = &no_group_shape_,
         .region = &kNoRegion});
  }
  for (SiteState& state : sites_) {
    state.last = &none_;
    state.counts = none_.counts;
    state.region = &kNoRegion;
  }
  for (std::size_t s = 0; s < sites.size(); ++s) {
    sites_[s].column = column_of(sites[s], sites);
    sites_[s].shift = static_cast<std::uint8_t>(
        std::countr_zero(static_cast<unsigned>(std::max<std::uint8_t>(1, sites[s].bytes))));
  }
}

void PatternCounter::settle(std::uint32_t site) {
  SiteState& s = sites_[site];
  for (int half = 0; half < 2; ++half) {
    if (s.pending[half] != 0) s.counts[s.pending_alignment[half] >> s.shift] += s.pending[half];
    s.pending[half] = 0;
  }
}

void PatternCounter::use(std::uint32_t site, ShapeCounter* counter) {
  settle(site);
  sites_[site].last = counter;
  sites_[site].last_stride = counter->stride;
  sites_[site].counts = counter->counts;
}

ShapeCounter* PatternCounter::new_counter(std::uint32_t site) {
  if (shapes_[site].size() == kShapesPerSite) return nullptr;
  ShapeCounter* counter = &counters_.emplace_back();
  counter->number = static_cast<std::uint32_t>(counters_.size() - 1);
  shapes_[site].push_back(counter);
  return counter;
}

// What else follows from a shape.
void PatternCounter::describe(ShapeCounter& counter, std::uint32_t bytes) {
  std::vector<std::int64_t> starts;
  for (int l = 0; l < kWarpSize; ++l) {
    if ((counter.mask >> l & 1) != 0) starts.push_back(static_cast<std::int32_t>(counter.offsets[l]));
  }
  std::sort(starts.begin(), starts.end());
  counter.low = static_cast<std::int32_t>(starts.front());
  counter.distinct = true;
  for (std::size_t k = 1; k < starts.size(); ++k) counter.distinct &= starts[k] - starts[k - 1] >= bytes;
  const std::int64_t span = starts.back() - starts.front() + bytes;
  if (span > 64 * kFootprintWords) return;
  counter.footprint_words = static_cast<std::int32_t>((span + 63) / 64);
  for (const std::int64_t start : starts) {
    for (std::int64_t b = start - starts.front(); b < start - starts.front() + bytes; ++b)
      counter.footprint[b / 64] |= std::uint64_t{1} << (b % 64);
  }
}

ShapeCounter* PatternCounter::find_shape(std::uint32_t site, std::uint32_t mask,
                                         const std::uint32_t* offsets) {
  for (ShapeCounter* counter : shapes_[site]) {
    if (counter->stride != kIrregular || counter->mask != mask ||
        counter->offsets[kWarpSize - 1] != offsets[kWarpSize - 1])
      continue;
    if (!std::equal(offsets, offsets + kWarpSize, counter->offsets)) continue;
    use(site, counter);
    return counter;
  }
  ShapeCounter* counter = new_counter(site);
  if (counter == nullptr) return nullptr;
  counter->stride = kIrregular;
  counter->mask = mask;
  std::copy(offsets, offsets + kWarpSize, counter->offsets);
  describe(*counter, 1u << sites_[site].shift);
  use(site, counter);
  return counter;
}

GroupShape* PatternCounter::find_group_shape(std::uint32_t group, std::int64_t stride, std::uint32_t mask,
                                             const std::uint32_t* offsets) {
  auto& shapes = shapes_of_group_[group];
  for (GroupShape* const shape : shapes) {
    const ShapeCounter& counter = shape->counter;
    if (counter.stride != stride || counter.mask != mask) continue;
    if (stride == kIrregular && !std::equal(offsets, offsets + kWarpSize, counter.offsets)) continue;
    return shape;
  }
  if (shapes.size() == kShapesPerGroup) return nullptr;
  GroupShape& shape = group_shapes_.emplace_back();
  shape.group = group;
  shape.counter.stride = stride;
  shape.counter.mask = mask;
  shape.counter.number = static_cast<std::uint32_t>(group_shapes_.size() - 1);
  if (offsets != nullptr) std::copy(offsets, offsets + kWarpSize, shape.counter.offsets);
  if (group_plans_[group].in_shared && !take_footprint(shape)) {
    group_shapes_.pop_back();
    return nullptr;
  }
  find_pieces(shape);
  shapes.push_back(&shape);
  return &shape;
}

/// False: it is too wide.
bool PatternCounter::take_footprint(GroupShape& shape) {
  const LoadGroupPlan& plan = group_plans_[shape.group];
  const Shape lanes = shape_of(shape.counter);
  std::int64_t low = INT64_MAX, high = INT64_MIN;
  const auto for_each_lane = [&](auto&& use) {
    for (std::uint32_t left = shape.counter.mask; left != 0; left &= left - 1)
      use(lanes[static_cast<std::size_t>(std::countr_zero(left))]);
  };
  for_each_lane([&](std::int64_t offset) {
    low = std::min(low, offset);
    high = std::max(high, offset);
  });
  const std::int64_t extent = high - low + plan.span + plan.bytes;
  if (extent > kWidestFootprint) return false;
  shape.footprint_words = static_cast<std::uint32_t>((extent + 63) / 64);
  std::vector<std::uint64_t>& bits = footprints_.emplace_back(shape.footprint_words + 2);
  for (const LoadGroupPlan::Load& load : plan.loads) {
    for_each_lane([&](std::int64_t offset) {
      const auto first = static_cast<std::uint64_t>(offset - low) + load.above;
      for (std::uint64_t b = first; b < first + static_cast<std::uint64_t>(plan.bytes); ++b)
        bits[1 + b / 64] |= std::uint64_t{1} << (b % 64);
    });
  }
  shape.footprint = bits.data() + 1;
  return true;
}

void PatternCounter::find_pieces(GroupShape& shape) const {
  const int bytes = group_plans_[shape.group].bytes;
  if (shape.counter.stride != kIrregular || bytes > 8) return;
  const int lanes = kPieceBytes / bytes;
  bool one = true, neighbours = true;
  for (int l = 0; l < kWarpSize; ++l) {
    const int first = l / lanes * lanes;
    const auto offset = static_cast<std::int32_t>(shape.counter.offsets[l]),
               begin = static_cast<std::int32_t>(shape.counter.offsets[first]);
    one = one && offset == begin;
    neighbours = neighbours && offset - begin == (l - first) * bytes;
    shape.piece[l / lanes] = begin;
  }
  shape.pieces = one ? PieceForm::one : neighbours ? PieceForm::neighbours : PieceForm::scattered;
}

void PatternCounter::count_affine(std::uint32_t site, std::uint64_t first, std::int64_t stride) {
  const auto& shapes = shapes_[site];
  const auto known = std::find_if(shapes.begin(), shapes.end(),
                                  [&](const ShapeCounter* counter) { return counter->stride == stride; });
  ShapeCounter* counter = known != shapes.end() ? *known : new_counter(site);
  if (counter == nullptr) {
    std::uint64_t addresses[kWarpSize];
    for (int l = 0; l < kWarpSize; ++l) addresses[l] = first + static_cast<std::uint64_t>(l * stride);
    const Offsets offsets = offsets_of(0xffffffffu, addresses);
    return offsets.are_near ? count_scattered(site, 0xffffffffu, first, offsets.lower)
                            : count_far(site, 0xffffffffu, addresses);
  }
  counter->stride = stride;
  counter->mask = 0xffffffffu;
  ++counter->counts[first % kPatternAlignment >> sites_[site].shift];
  use(site, counter);
}

void PatternCounter::count_irregular(std::uint32_t site, std::uint32_t mask, const std::uint64_t* addresses) {
  const Offsets offsets = offsets_of(mask, addresses);
  if (!offsets.are_near) return count_far(site, mask, addresses);
  const std::uint64_t first = addresses[std::countr_zero(mask)];
  ShapeCounter* counter = find_shape(site, mask, offsets.lower);
  if (counter == nullptr) return count_scattered(site, mask, first, offsets.lower);
  ++counter->counts[first % kPatternAlignment >> sites_[site].shift];
}

void PatternCounter::count_scattered(std::uint32_t site, std::uint32_t mask, std::uint64_t first,
                                     const std::uint32_t* offsets) {
  if (scattered_.size() == kScatteredAtOnce) report_scattered();
  const std::uint64_t hash = hash_of_halves(offsets);
  const auto alignment = static_cast<std::uint32_t>(first % kPatternAlignment);
  const auto is_it = [&](std::uint32_t number) {
    const Pattern& known = scattered_[number];
    return known.site == site && known.mask == mask && known.alignment == alignment &&
           std::ranges::equal(known.offsets, std::span(offsets, kWarpSize));
  };
  const std::uint32_t number =
      scattered_index_.find_or_add(hash_of_pattern(hash, site, mask, alignment), is_it);
  if (number == scattered_.size()) {
    Pattern& pattern =
        scattered_.emplace_back(Pattern{.site = site, .mask = mask, .alignment = alignment, .hash = hash});
    std::copy(offsets, offsets + kWarpSize, pattern.offsets.begin());
  }
  ++scattered_[number].count;
}

/// Lanes lie gigabytes apart.
void PatternCounter::count_far(std::uint32_t site, std::uint32_t mask, const std::uint64_t* addresses) {
  const int first = std::countr_zero(mask);
  Shape shape{};
  for (int l = first; l < kWarpSize; ++l) {
    if ((mask >> l & 1) != 0)
      shape[static_cast<std::size_t>(l)] = static_cast<std::int64_t>(addresses[l] - addresses[first]);
  }
  totals_->add({{site, mask, static_cast<std::uint32_t>(addresses[first] % kPatternAlignment), &shape,
                 hash_of(shape), 1}});
}

void PatternCounter::report_scattered() {
  std::array<Shape, kReportedAtOnce> shapes;
  std::vector<PatternTotals::Count> counts;
  for (const Pattern& p : scattered_) {
    Shape& shape = shapes[counts.size()];
    shape = shape_of(p.offsets.data());
    counts.push_back({p.site, p.mask, p.alignment, &shape, p.hash, p.count});
    if (counts.size() < kReportedAtOnce) continue;
    totals_->add(counts);
    counts.clear();
  }
  totals_->add(counts);
  scattered_.clear();
  scattered_index_.clear();
}

void PatternCounter::report_group(std::uint32_t group) {
  const LoadGroup& state = groups_[group];
  for (const LoadGroupPlan::Load& load : group_plans_[group].loads) {
    for (const GroupShape* const shape : shapes_of_group_[group]) {
      const Shape lanes = shape_of(shape->counter);
      const std::uint64_t hash = hash_of(lanes);
      std::vector<PatternTotals::Count> counts;
      for (std::uint32_t a = 0; a < kPatternAlignment >> state.shift; ++a) {
        const std::uint32_t alignment = ((a << state.shift) + load.above) % kPatternAlignment;
        if (shape->counter.counts[a] != 0)
          counts.push_back(
              {load.site, shape->counter.mask, alignment, &lanes, hash, shape->counter.counts[a]});
      }
      totals_->add(counts);
    }
    if (state.divergent != 0) totals_->add_divergent(load.site, state.divergent);
  }
  for (GroupShape* const shape : shapes_of_group_[group]) std::ranges::fill(shape->counter.counts, 0);
  groups_[group].divergent = 0;
}

void PatternCounter::report() {
  report_scattered();
  for (std::uint32_t g = 0; g < groups_.size(); ++g) report_group(g);
  for (std::uint32_t s = 0; s + 1 < sites_.size(); ++s) {
    settle(s);
    for (ShapeCounter* const shape_counter : shapes_[s]) {
      ShapeCounter& counter = *shape_counter;
      const Shape shape = shape_of(counter);
      const std::uint64_t hash = hash_of(shape);
      std::vector<PatternTotals::Count> counts;
      for (std::uint32_t a = 0; a < 256u >> sites_[s].shift; ++a) {
        if (counter.counts[a] != 0)
          counts.push_back({s, counter.mask, a << sites_[s].shift, &shape, hash, counter.counts[a]});
      }
      totals_->add(counts);
      std::ranges::fill(counter.counts, 0);
    }
    if (divergent_[s] != 0) totals_->add_divergent(s, divergent_[s]);
    divergent_[s] = 0;
  }
}

PatternTotals& PatternCounter::redirect(PatternTotals& totals) {
  report();
  return *std::exchange(totals_, &totals);
}

}  // namespace warplens::replay
