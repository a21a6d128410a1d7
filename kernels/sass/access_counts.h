// Counts the patterns of the accesses of one site as they come. Private to kernels/sass.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "kernels/recording/recording.h"
#include "kernels/recording/shape_table.h"

namespace warplens::sass {

class AccessCounts {
 public:
  using Addresses = std::array<std::uint64_t, kWarpSize>;

  /// Counts one access, of lanes `mask` (not 0) of a warp that has the lanes `warp`. What it returns counts
  /// further accesses of this very pattern.
  std::uint64_t& add(ShapeTable& shapes, const Addresses& addresses, std::uint32_t mask, std::uint32_t warp);
  /// Adds them up; shapes get the indices that they have in `to`.
  void add_to(SiteTotals& totals, const std::vector<Shape>& from, ShapeTable& to) const;
  /// The same of several blocks, whose addresses lie further: by how many bytes modulo 256, and of how many
  /// blocks.
  void add_to(SiteTotals& totals, const std::vector<Shape>& from, ShapeTable& to,
              const std::array<std::uint64_t, kPatternAlignment>& blocks) const;

 private:
  struct Patterns {
    std::uint32_t shape = 0, mask = 0, warp = 0;
    std::array<std::uint64_t, kPatternAlignment> count{};  ///< By alignment
  };
  std::map<std::array<std::uint32_t, 3>, Patterns>
      patterns_;  ///< By shape, mask, warp; a map, so that places in it stay
  Patterns* last_ = nullptr;
};

}  // namespace warplens::sass
