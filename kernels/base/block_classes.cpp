#include "kernels/base/block_classes.h"

#include <algorithm>
#include <numeric>

namespace warplens {
namespace {

__extension__ using Wide = __int128;

Wide divided_down(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

/// Distances along x, from a block so many rows further, that keep within a bound: [low, high].
struct Distances {
  std::int64_t low, high;
  void keep(const Bound& bound, std::int64_t y, std::int64_t z) {
    const Wide moved = Wide{bound.shift.y} * y + Wide{bound.shift.z} * z, from = Wide{bound.low} - moved,
               to = Wide{bound.high} - moved;
    if (bound.shift.x == 0) {
      if (from > 0 || to < 0) high = low - 1;
      return;
    }
    const Wide step = bound.shift.x, a = step > 0 ? -divided_down(-from, step) : -divided_down(-to, step),
               b = step > 0 ? divided_down(to, step) : divided_down(from, step);
    if (a > high || b < low) {
      high = low - 1;
      return;
    }
    low = static_cast<std::int64_t>(std::max<Wide>(low, a));
    high = static_cast<std::int64_t>(std::min<Wide>(high, b));
  }
};

}  // namespace

std::vector<Axes> ways_through(Dim3 grid) {
  std::vector<Axes> ways;
  for (const int bits : {7, 3, 5, 6, 1, 2, 4}) {
    const Axes axes{.x = (bits & 1) != 0, .y = (bits & 2) != 0, .z = (bits & 4) != 0};
    const auto extends = [](std::uint32_t extent, bool along) { return along && extent > 1; };
    const Axes met{extends(grid.x, axes.x), extends(grid.y, axes.y), extends(grid.z, axes.z)};
    const bool is_new = std::ranges::find(ways, met) == ways.end();
    if (ways.empty() || (is_new && (met.x || met.y || met.z))) ways.push_back(met);
  }
  return ways;
}

void Differences::add(std::int64_t difference) {
  if (difference == 0) {
    equal = true;
  } else {
    (difference < 0 ? below : above).add(difference);
  }
}

void Bounds::add(const Shift& shift, std::int64_t low, std::int64_t high) {
  if (!shift.any()) return;
  Bound& bound = by_shift_.try_emplace(shift, Bound{.shift = shift}).first->second;
  bound.low = std::max(bound.low, low);
  bound.high = std::min(bound.high, high);
}

void Bounds::keep_within(const Shift& shift, const Span& values, std::int64_t low, std::int64_t high) {
  if (!values.empty()) add(shift, low - values.low, high - values.high);
}

void Bounds::keep_outcomes(const Shift& shift, const Differences& differences, Zero zero) {
  if (!differences.below.empty())
    add(shift, INT64_MIN, (zero == Zero::with_below ? 0 : -1) - differences.below.high);
  if (!differences.above.empty())
    add(shift, (zero == Zero::with_above ? 0 : 1) - differences.above.low, INT64_MAX);
  if (differences.equal)
    add(shift, zero == Zero::with_below ? INT64_MIN : 0, zero == Zero::with_above ? INT64_MAX : 0);
}

std::vector<Bound> Bounds::all() const {
  std::vector<Bound> all;
  for (const auto& [shift, bound] : by_shift_) all.push_back(bound);
  return all;
}

std::uint64_t BlockClass::count() const {
  return std::accumulate(runs.begin(), runs.end(), std::uint64_t{0},
                         [](std::uint64_t n, const BlockRun& run) { return n + (run.end - run.first); });
}

std::array<std::uint64_t, 256> BlockClass::remainders(const Shift& shift) const {
  std::array<std::uint64_t, 256> result{};
  const auto modulo = [](std::int64_t steps, std::uint32_t to, std::uint32_t from) {
    return static_cast<std::uint64_t>(steps) *
           (std::uint64_t{to} - from);  // Modulo 2^64, of which 256 is a divisor
  };
  // After so many blocks the remainder comes again.
  const std::uint64_t period =
      256 / std::gcd<std::uint64_t, std::uint64_t>(static_cast<std::uint64_t>(shift.x) % 256, 256);
  for (const BlockRun& run : runs) {
    const std::uint64_t count = run.end - run.first;
    std::uint64_t at =
        modulo(shift.x, run.first, like.x) + modulo(shift.y, run.y, like.y) + modulo(shift.z, run.z, like.z);
    for (std::uint64_t k = 0; k < std::min(period, count); ++k, at += static_cast<std::uint64_t>(shift.x)) {
      result[at % 256] += count / period + (k < count % period ? 1 : 0);
    }
  }
  return result;
}

UnsortedBlocks::UnsortedBlocks(Dim3 grid)
    : grid_(grid), rows_(std::size_t{grid.y} * grid.z, Runs{{0, grid.x}}) {}

std::optional<Dim3> UnsortedBlocks::first() {
  while (first_row_ < rows_.size() && rows_[first_row_].empty()) ++first_row_;
  if (first_row_ == rows_.size()) return std::nullopt;
  return Dim3{rows_[first_row_].front().first, static_cast<std::uint32_t>(first_row_ % grid_.y),
              static_cast<std::uint32_t>(first_row_ / grid_.y)};
}

BlockClass UnsortedBlocks::take(Dim3 like, const std::vector<Bound>& bounds, const Axes& axes) {
  BlockClass result{.like = like, .runs = {}};
  for (std::size_t row = first_row_; row < rows_.size(); ++row) {
    if (rows_[row].empty()) continue;
    const std::int64_t y = std::int64_t{static_cast<std::uint32_t>(row % grid_.y)} - like.y,
                       z = std::int64_t{static_cast<std::uint32_t>(row / grid_.y)} - like.z;
    if ((!axes.y && y != 0) || (!axes.z && z != 0)) continue;
    Distances distances{axes.x ? -std::int64_t{like.x} : 0, axes.x ? std::int64_t{grid_.x} - 1 - like.x : 0};
    for (const Bound& bound : bounds) distances.keep(bound, y, z);
    if (distances.low > distances.high) continue;
    take_from_row(row, static_cast<std::uint32_t>(like.x + distances.low),
                  static_cast<std::uint32_t>(like.x + distances.high + 1), result);
  }
  return result;
}

BlockClass UnsortedBlocks::take_alone(Dim3 like) {
  BlockClass result{.like = like, .runs = {}};
  take_from_row(std::size_t{like.z} * grid_.y + like.y, like.x, like.x + 1, result);
  return result;
}

void UnsortedBlocks::take_from_row(std::size_t row, std::uint32_t first, std::uint32_t end, BlockClass& to) {
  const auto y = static_cast<std::uint32_t>(row % grid_.y), z = static_cast<std::uint32_t>(row / grid_.y);
  Runs left;
  for (const auto& [from, until] : rows_[row]) {
    const std::uint32_t a = std::max(from, first), b = std::min(until, end);
    if (a >= b) {
      left.emplace_back(from, until);
      continue;
    }
    to.runs.push_back({a, b, y, z});
    if (from < a) left.emplace_back(from, a);
    if (b < until) left.emplace_back(b, until);
  }
  rows_[row] = std::move(left);
}

}  // namespace warplens
