// The blocks of a grid, sorted into those that behave alike.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/replay/watcher.h"

namespace warplens::replay {

/// Neighbours along x: blocks [first, end) of a row of the grid.
struct BlockRun {
  std::uint32_t first = 0, end = 0, y = 0, z = 0;
};

/// Those that behave as `like` does, itself among them.
struct BlockClass {
  Dim3 like;
  std::vector<BlockRun> runs;
  [[nodiscard]] std::uint64_t count() const;

  /// By remainder: of how many blocks the addresses of an access with this shift lie so many bytes further than those of `like`, modulo 256.
  [[nodiscard]] std::array<std::uint64_t, 256> remainders(const Shift& shift) const;
};

/// Blocks that are in no class yet.
class UnsortedBlocks {
 public:
  /// Rows of a grid (its extents along y and z) that are kept apart.
  static constexpr std::uint64_t kMostRows = std::uint64_t{1} << 20;

  explicit UnsortedBlocks(Dim3 grid);

  /// The first in linear order.
  [[nodiscard]] std::optional<Dim3> first();
  /// Takes those that lie within all bounds, seen from `like`, which is the first.
  [[nodiscard]] BlockClass take(Dim3 like, const std::vector<Bound>& bounds);
  [[nodiscard]] BlockClass take_alone(Dim3 like);

 private:
  using Runs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  void take_from_row(std::size_t row, std::uint32_t first, std::uint32_t end, BlockClass& to);

  Dim3 grid_;
  std::vector<Runs> rows_;  ///< By z * grid.y + y: what is left of each, ascending
  std::size_t first_row_ = 0;
};

}  // namespace warplens::replay
