// The blocks of a grid, sorted into those that behave alike: what one of them does, the others do too, with
// addresses moved.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/base/dim3.h"

namespace warplens {

/// How much a value grows where blockIdx.x, .y or .z grows by one.
struct Shift {
  std::int64_t x = 0, y = 0, z = 0;
  [[nodiscard]] bool any() const { return x != 0 || y != 0 || z != 0; }
  friend bool operator==(const Shift&, const Shift&) = default;
  friend bool operator<(const Shift& a, const Shift& b) {
    return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z);
  }
};

/// Along which axes of the grid blocks are compared; along the others they lie at the same place.
struct Axes {
  bool x = true, y = true, z = true;
  friend bool operator==(const Axes&, const Axes&) = default;
  /// Whether the other one has all of them.
  [[nodiscard]] bool within(const Axes& other) const {
    return (!x || other.x) && (!y || other.y) && (!z || other.z);
  }
};
/// All axes along which a grid extends, and then fewer of them: where an edge of a picture clamps what lies
/// beyond it, blocks along that edge do the same, though not those across it.
[[nodiscard]] std::vector<Axes> ways_through(Dim3 grid);

/// What must hold of a block that lies so many blocks (x, y, z) further: shift.x * x + shift.y * y + shift.z
/// * z is in [low, high].
struct Bound {
  Shift shift;
  std::int64_t low = INT64_MIN, high = INT64_MAX;
};

/// Lowest and highest of some values.
struct Span {
  std::int64_t low = INT64_MAX, high = INT64_MIN;
  void add(std::int64_t value) {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  [[nodiscard]] bool empty() const { return low > high; }
};

/// How the outcome of comparing a with b follows from a - b: whether 0 counts with what is below it, with
/// what is above, or by itself.
enum class Zero : std::uint8_t { apart, with_below, with_above };

/// Differences that were met, on each side of 0.
struct Differences {
  Span below, above;
  bool equal = false;
  void add(std::int64_t difference);
};

/// Bounds, one for each shift.
class Bounds {
 public:
  void add(const Shift& shift, std::int64_t low, std::int64_t high);
  /// Values that move so stay in [low, high].
  void keep_within(const Shift& shift, const Span& values, std::int64_t low, std::int64_t high);
  /// Comparisons keep their outcomes, where the difference moves so.
  void keep_outcomes(const Shift& shift, const Differences& differences, Zero zero);
  [[nodiscard]] std::vector<Bound> all() const;
  void clear() { by_shift_.clear(); }

 private:
  std::map<Shift, Bound> by_shift_;
};

/// Neighbours along x: blocks [first, end) of a row of the grid.
struct BlockRun {
  std::uint32_t first = 0, end = 0, y = 0, z = 0;
};

/// The blocks that behave as `like` does, itself among them.
struct BlockClass {
  Dim3 like;
  std::vector<BlockRun> runs;
  [[nodiscard]] std::uint64_t count() const;

  /// Returns, by remainder modulo 256, for how many blocks the addresses of an access with this shift lie so
  /// many bytes further than those of `like`.
  [[nodiscard]] std::array<std::uint64_t, 256> remainders(const Shift& shift) const;
};

/// Blocks that are in no class yet.
class UnsortedBlocks {
 public:
  /// Rows of a grid (its extents along y and z) that are kept apart.
  static constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 20;

  explicit UnsortedBlocks(Dim3 grid);

  /// The first in linear order.
  [[nodiscard]] std::optional<Dim3> first();
  /// Takes those along `axes` from `like`, which is the first, that lie within all bounds, seen from it.
  [[nodiscard]] BlockClass take(Dim3 like, const std::vector<Bound>& bounds, const Axes& axes);
  [[nodiscard]] BlockClass take_alone(Dim3 like);

 private:
  using Runs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  void take_from_row(std::size_t row, std::uint32_t first, std::uint32_t end, BlockClass& to);

  Dim3 grid_;
  std::vector<Runs> rows_;  ///< By z * grid.y + y: what is left of each, ascending
  std::size_t first_row_ = 0;
};

}  // namespace warplens
