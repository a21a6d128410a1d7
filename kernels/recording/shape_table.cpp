#include "kernels/recording/shape_table.h"

#include <algorithm>
#include <array>
#include <compare>
#include <tuple>
#include <utility>

namespace warplens {

namespace {

/// Four independent multiply-and-rotate chains, so that the processor overlaps them; mixed at the end because the low bits choose the place. Upper
/// halves hardly ever tell shapes apart that the lower ones do not.
template <class HalfOf>
std::uint64_t hash_pairs(HalfOf half_of) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::array<std::uint64_t, 4> state{1, 2, 3, 4};
  for (std::size_t pair = 0; pair < kWarpSize / 2; ++pair) {
    std::uint64_t& chain = state[pair % state.size()];
    chain = (chain ^ half_of(2 * pair) ^ std::uint64_t{half_of(2 * pair + 1)} << 32) * kOdd;
    chain ^= chain >> 29;
  }
  std::uint64_t hash = 0;
  for (const std::uint64_t chain : state) hash = (hash ^ chain) * kOdd;
  return hash ^ (hash >> 32);
}

}  // namespace

std::uint64_t hash_of(const Shape& shape) {
  return hash_pairs([&](std::size_t lane) { return static_cast<std::uint32_t>(shape[lane]); });
}
std::uint64_t hash_of_halves(const std::uint32_t* offsets) {
  return hash_pairs([&](std::size_t lane) { return offsets[lane]; });
}

std::uint32_t ShapeTable::intern(const Shape& shape, std::uint64_t hash) {
  const std::uint32_t number = index_.find_or_add(hash, [&](std::uint32_t known) { return shapes_[known] == shape; });
  if (number < shapes_.size()) return number;
  if (shapes_.size() == shapes_.capacity()) shapes_.reserve(std::max(std::size_t{128}, 8 * shapes_.capacity()));  // Room costs nothing, moving does
  shapes_.push_back(shape);
  return number;
}

std::vector<Shape> ShapeTable::take() {
  index_.clear();
  return std::exchange(shapes_, {});
}

namespace {

constexpr std::uint32_t kUnused = 0xffffffff;

std::vector<bool> used_shapes(const Recording& recording) {
  std::vector<bool> used(recording.shapes.size(), false);
  for (const SiteTotals& totals : recording.totals) {
    for (const PatternCount& pattern : totals.patterns) used[pattern.shape] = true;
  }
  for (const std::uint32_t shape : recording.events.shape) used[shape] = true;
  return used;
}

/// Begins to fetch a shape from memory.
void prefetch(const Shape& shape) {
  for (std::size_t lane = 0; lane < shape.size(); lane += 8) __builtin_prefetch(&shape[lane]);
}

/// Puts shape order[k] at k, for every k.
void rearrange(std::vector<Shape>& shapes, std::vector<std::uint32_t> order) {
  for (std::uint32_t begin = 0; begin < order.size(); ++begin) {
    if (order[begin] == begin) continue;
    const Shape first = shapes[begin];
    std::uint32_t at = begin;
    while (order[at] != begin) {
      const std::uint32_t from = std::exchange(order[at], at);
      prefetch(shapes[order[from]]);
      shapes[at] = shapes[from];
      at = from;
    }
    order[at] = at;
    shapes[at] = first;
  }
}

/// Four lanes of a shape behind lane 0, whose offset is always 0, in numbers that are in the same order: they alone tell shapes apart as a rule, and
/// lie close together. Where they are equal the shapes themselves have to be compared.
std::array<std::uint64_t, 2> order_of(const Shape& shape) {
  constexpr std::int64_t kMiddle = std::int64_t{1} << 31, kMost = 2 * kMiddle - 1;
  std::array<std::uint64_t, 2> order{};
  bool goes_on = true;
  for (std::size_t k = 0; k < 4 && goes_on; ++k) {
    const std::int64_t number = std::clamp(shape[k + 1], -kMiddle, kMiddle) + kMiddle;
    goes_on = number > 0 && number < kMost;  // Beyond what fits, nothing is said of the lanes behind
    order[k / 2] |= static_cast<std::uint64_t>(std::min(number, kMost)) << (k % 2 == 0 ? 32 : 0);
  }
  return order;
}

/// Sorts the shapes, drops unused and equal ones, and returns where each went.
std::vector<std::uint32_t> renumber_shapes(Recording& recording) {
  std::vector<bool> stays = used_shapes(recording);
  std::vector<Shape>& shapes = recording.shapes;
  struct Key {
    std::array<std::uint64_t, 2> order;
    std::uint32_t index;
  };
  std::vector<Key> keys;
  keys.reserve(shapes.size());
  for (std::uint32_t index = 0; index < shapes.size(); ++index) {
    if (stays[index]) keys.push_back({order_of(shapes[index]), index});
  }
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    if (a.order[0] != b.order[0]) return a.order[0] < b.order[0];
    return a.order[1] != b.order[1] ? a.order[1] < b.order[1] : shapes[a.index] < shapes[b.index];
  });

  std::vector<std::uint32_t> moved_to(shapes.size(), kUnused), order;
  order.reserve(shapes.size());
  const Key* before = nullptr;
  for (const Key& key : keys) {
    stays[key.index] = before == nullptr || key.order != before->order || shapes[key.index] != shapes[before->index];
    if (stays[key.index]) order.push_back(key.index);
    moved_to[key.index] = static_cast<std::uint32_t>(order.size() - 1);
    before = &key;
  }
  const std::size_t kept = order.size();
  for (std::uint32_t index = 0; index < shapes.size(); ++index) {
    if (!stays[index]) order.push_back(index);
  }
  rearrange(shapes, std::move(order));
  shapes.resize(kept);
  return moved_to;
}

void sort_patterns(std::vector<PatternCount>& patterns) {
  const auto key = [](const PatternCount& pattern) { return std::tie(pattern.shape, pattern.mask, pattern.alignment); };
  std::sort(patterns.begin(), patterns.end(), [&](const PatternCount& a, const PatternCount& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (const PatternCount& pattern : patterns) {
    if (kept > 0 && key(patterns[kept - 1]) == key(pattern)) {
      patterns[kept - 1].count += pattern.count;
    } else {
      patterns[kept++] = pattern;
    }
  }
  patterns.resize(kept);
}

void sort_findings(Recording& recording) {
  const auto key = [&](const Finding& finding) {
    const bool is_of_lanes = finding.kind == FindingKind::lane_race;  // Behind races of warps, which a barrier mends along with it
    return std::tuple(linear_index(recording.grid, finding.block), is_of_lanes, finding.warp, finding.kind, finding.line, finding.file,
                      finding.other_line, finding.lanes, finding.count);
  };
  std::sort(recording.findings.begin(), recording.findings.end(),
            [&](const Finding& a, const Finding& b) { return std::tuple_cat(key(a), std::tie(a.text)) < std::tuple_cat(key(b), std::tie(b.text)); });
}

}  // namespace

void canonicalise(Recording& recording) {
  const std::vector<std::uint32_t> moved_to = renumber_shapes(recording);
  for (SiteTotals& totals : recording.totals) {
    for (PatternCount& pattern : totals.patterns) pattern.shape = moved_to[pattern.shape];
    sort_patterns(totals.patterns);
  }
  for (std::uint32_t& shape : recording.events.shape) shape = moved_to[shape];
  sort_findings(recording);
}

}  // namespace warplens
