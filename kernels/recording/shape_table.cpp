#include "kernels/recording/shape_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>

#include "kernels/base/large_pages.h"

namespace warplens {

namespace {

/// Four independent multiply-and-rotate chains, so that the processor overlaps them; mixed at the end because
/// the low bits choose the place. Upper halves hardly ever tell shapes apart that the lower ones do not.
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
  const std::uint32_t number =
      index_.find_or_add(hash, [&](std::uint32_t known) { return shapes_[known] == shape; });
  if (number < shapes_.size()) return number;
  if (shapes_.size() == shapes_.capacity()) make_room();
  shapes_.push_back(shape);
  return number;
}

void ShapeTable::make_room() {
  std::vector<Shape> larger;
  larger.reserve(std::max(std::size_t{128}, 8 * shapes_.capacity()));  // Room costs nothing, moving does
  ask_for_large_pages(larger.data(), larger.capacity() * sizeof(Shape));
  larger.assign(shapes_.begin(), shapes_.end());
  shapes_ = std::move(larger);
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
  constexpr int kAhead = 4;  // Shapes being fetched at a time
  for (std::uint32_t begin = 0; begin < order.size(); ++begin) {
    if (order[begin] == begin) continue;
    const Shape first = shapes[begin];
    std::uint32_t ahead = begin;
    for (int k = 0; k < kAhead; ++k) ahead = order[ahead];
    std::uint32_t at = begin;
    while (order[at] != begin) {
      ahead = order[ahead];
      prefetch(shapes[ahead]);
      const std::uint32_t from = std::exchange(order[at], at);
      shapes[at] = shapes[from];
      at = from;
    }
    order[at] = at;
    shapes[at] = first;
  }
}

/// Sorts by the lowest `bits` of key_of(item), equal ones in the order in which they are: digit by digit.
template <class Item, class KeyOf>
void sort_by_digits(std::vector<Item>& items, int bits, KeyOf key_of) {
  constexpr int kDigit = 11;
  std::vector<Item> sorted(items.size());
  for (int shift = 0; shift < bits; shift += kDigit) {
    const auto digit = [&](const Item& item) {
      return static_cast<std::size_t>(key_of(item) >> shift) % (std::size_t{1} << kDigit);
    };
    std::array<std::uint32_t, (std::size_t{1} << kDigit) + 1> begin{};
    for (const Item& item : items) ++begin[digit(item) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const Item& item : items) sorted[begin[digit(item)]++] = item;
    items.swap(sorted);
  }
}

/// Sorts by key_of(item), which has `bits`, and where that is the same by less(a, b). Many are sorted sooner
/// without comparing all of them.
template <class Item, class KeyOf, class Less>
void sort_by_key(std::vector<Item>& items, int bits, KeyOf key_of, Less less) {
  constexpr std::size_t kMany = 1024;
  if (items.size() < kMany) {
    std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
      return key_of(a) != key_of(b) ? key_of(a) < key_of(b) : less(a, b);
    });
    return;
  }
  sort_by_digits(items, bits, key_of);
  for (auto begin = items.begin(); begin != items.end();) {
    const auto end = std::find_if(begin + 1, items.end(),
                                  [&](const Item& item) { return key_of(item) != key_of(*begin); });
    if (end - begin > 1) std::sort(begin, end, less);
    begin = end;
  }
}

/// Numbers that are in the order of shapes: their first lanes, each with as many bits as its offsets in all
/// shapes differ in. As a rule these alone tell shapes apart; where they are equal the shapes themselves have
/// to be compared.
class FirstLanes {
 public:
  FirstLanes(const std::vector<Shape>& shapes, const std::vector<bool>& used) {
    std::array<std::int64_t, kLanes> highest{};
    lowest_.fill(INT64_MAX);
    highest.fill(INT64_MIN);
    for (std::size_t index = 0; index < shapes.size(); ++index) {
      if (!used[index]) continue;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        lowest_[lane] = std::min(lowest_[lane], shapes[index][lane]);
        highest[lane] = std::max(highest[lane], shapes[index][lane]);
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto wanted = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(highest[lane]) -
                                                          static_cast<std::uint64_t>(lowest_[lane])));
      width_[lane] = std::min(wanted, 64 - bits_);
      unsaid_[lane] = wanted - width_[lane];
      bits_ += width_[lane];
      if (unsaid_[lane] > 0) break;  // What follows would not be in order
    }
  }
  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] std::uint64_t operator()(const Shape& shape) const {
    std::uint64_t number = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (width_[lane] == 0) continue;
      const std::uint64_t above =
          static_cast<std::uint64_t>(shape[lane]) - static_cast<std::uint64_t>(lowest_[lane]);
      number = (width_[lane] == 64 ? 0 : number << width_[lane]) | above >> unsaid_[lane];
    }
    return number;
  }

 private:
  static constexpr std::size_t kLanes = 8;

  std::array<std::int64_t, kLanes> lowest_{};
  std::array<int, kLanes> width_{}, unsaid_{};  ///< Bits, and lowest bits that are left out
  int bits_ = 0;
};

/// Sorts the shapes, drops unused and equal ones, and returns where each went.
std::vector<std::uint32_t> renumber_shapes(Recording& recording) {
  std::vector<bool> stays = used_shapes(recording);
  std::vector<Shape>& shapes = recording.shapes;
  struct Key {
    std::uint64_t order = 0;
    std::uint32_t index = 0;
  };
  std::vector<Key> keys;
  keys.reserve(shapes.size());
  const FirstLanes order_of(shapes, stays);
  for (std::uint32_t index = 0; index < shapes.size(); ++index) {
    if (stays[index]) keys.push_back({order_of(shapes[index]), index});
  }
  sort_by_key(
      keys, order_of.bits(), [](const Key& key) { return key.order; },
      [&](const Key& a, const Key& b) { return shapes[a.index] < shapes[b.index]; });

  std::vector<std::uint32_t> moved_to(shapes.size(), kUnused), order;
  order.reserve(shapes.size());
  const Key* before = nullptr;
  for (const Key& key : keys) {
    stays[key.index] =
        before == nullptr || key.order != before->order || shapes[key.index] != shapes[before->index];
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

void sort_patterns(std::vector<PatternCount>& patterns, std::size_t shapes) {
  const auto key = [](const PatternCount& pattern) {
    return std::tie(pattern.shape, pattern.mask, pattern.alignment);
  };
  sort_by_key(
      patterns, static_cast<int>(std::bit_width(shapes)),
      [](const PatternCount& pattern) { return pattern.shape; },
      [&](const PatternCount& a, const PatternCount& b) { return key(a) < key(b); });
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
    const bool is_of_lanes =
        finding.kind == FindingKind::lane_race;  // Behind races of warps, which a barrier mends along with it
    return std::tuple(linear_index(recording.grid, finding.block), is_of_lanes, finding.warp, finding.kind,
                      finding.line, finding.file, finding.other_line, finding.lanes, finding.count);
  };
  std::sort(recording.findings.begin(), recording.findings.end(), [&](const Finding& a, const Finding& b) {
    return std::tuple_cat(key(a), std::tie(a.text)) < std::tuple_cat(key(b), std::tie(b.text));
  });
}

}  // namespace

void canonicalise(Recording& recording) {
  const std::vector<std::uint32_t> moved_to = renumber_shapes(recording);
  for (SiteTotals& totals : recording.totals) {
    for (PatternCount& pattern : totals.patterns) pattern.shape = moved_to[pattern.shape];
    sort_patterns(totals.patterns, recording.shapes.size());
  }
  for (std::uint32_t& shape : recording.events.shape) shape = moved_to[shape];
  sort_findings(recording);
}

}  // namespace warplens
