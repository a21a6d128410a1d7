#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens {

/// Interns shapes: equal shapes get equal indices, numbered in order of first appearance.
class ShapeTable {
 public:
  [[nodiscard]] std::uint32_t intern(const Shape& shape);
  [[nodiscard]] const std::vector<Shape>& shapes() const { return shapes_; }
  [[nodiscard]] std::vector<Shape> take() { return std::move(shapes_); }

 private:
  std::vector<Shape> shapes_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

/// Puts a recording into the one form in which equal runs are equal: shapes renumbered in a canonical order (lexicographic), unused ones dropped,
/// patterns sorted, findings in block order. Every engine ends with this, so that the number of threads leaves no trace.
void canonicalise(Recording& recording);

}  // namespace warplens
