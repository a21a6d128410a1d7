#include "kernels/recording/shape_table.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace warplens {
namespace {

/// Four independent multiply-and-rotate chains, so that the processor overlaps them; mixed at the end because the low bits choose the slot.
std::uint64_t hash_of(const Shape& shape) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::array<std::uint64_t, 4> state{1, 2, 3, 4};
  for (std::size_t lane = 0; lane < shape.size(); ++lane) {
    std::uint64_t& chain = state[lane % state.size()];
    chain = (chain ^ static_cast<std::uint64_t>(shape[lane])) * kOdd;
    chain ^= chain >> 29;
  }
  std::uint64_t hash = 0;
  for (const std::uint64_t chain : state) hash = (hash ^ chain) * kOdd;
  return hash ^ (hash >> 32);
}

}  // namespace

std::uint32_t ShapeTable::intern(const Shape& shape) {
  if (slots_.size() < 2 * (shapes_.size() + 1)) grow();
  const std::uint64_t hash = hash_of(shape);
  const std::size_t wrap = slots_.size() - 1;
  for (std::size_t slot = hash & wrap;; slot = (slot + 1) & wrap) {
    if (slots_[slot] == 0) {
      shapes_.push_back(shape);
      hashes_.push_back(hash);
      slots_[slot] = static_cast<std::uint32_t>(shapes_.size());
      return slots_[slot] - 1;
    }
    const std::uint32_t index = slots_[slot] - 1;
    if (hashes_[index] == hash && shapes_[index] == shape) return index;
  }
}

std::vector<Shape> ShapeTable::take() {
  hashes_.clear();
  slots_.clear();
  return std::exchange(shapes_, {});
}

void ShapeTable::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
  const std::size_t wrap = slots_.size() - 1;
  for (std::uint32_t index = 0; index < hashes_.size(); ++index) {
    std::size_t slot = hashes_[index] & wrap;
    while (slots_[slot] != 0) slot = (slot + 1) & wrap;
    slots_[slot] = index + 1;
  }
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

/// Sorts the shapes, drops unused and equal ones, and returns where each went.
std::vector<std::uint32_t> renumber_shapes(Recording& recording) {
  const std::vector<bool> used = used_shapes(recording);
  std::vector<std::uint32_t> order;
  for (std::uint32_t index = 0; index < recording.shapes.size(); ++index) {
    if (used[index]) order.push_back(index);
  }
  const std::vector<Shape>& old = recording.shapes;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return old[a] < old[b]; });

  std::vector<std::uint32_t> moved_to(old.size(), kUnused);
  std::vector<Shape> shapes;
  shapes.reserve(order.size());
  for (const std::uint32_t index : order) {
    if (shapes.empty() || shapes.back() != old[index]) shapes.push_back(old[index]);
    moved_to[index] = static_cast<std::uint32_t>(shapes.size() - 1);
  }
  recording.shapes = std::move(shapes);
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
