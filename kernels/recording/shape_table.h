#pragma once

#include <cstdint>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens {

/// Interns shapes: equal shapes get equal indices, numbered in order of first appearance.
class ShapeTable {
 public:
  [[nodiscard]] std::uint32_t intern(const Shape& shape);
  [[nodiscard]] const std::vector<Shape>& shapes() const { return shapes_; }
  /// Hands the shapes over and leaves the table empty.
  [[nodiscard]] std::vector<Shape> take();

 private:
  void grow();

  std::vector<Shape> shapes_;
  std::vector<std::uint64_t> hashes_;  ///< By shape
  std::vector<std::uint32_t> slots_;   ///< Open addressing, a power of two of them: a shape's index + 1, or 0 where free
};

/// Puts a recording into the one form in which equal runs are equal: shapes renumbered in a canonical order (lexicographic), unused and equal ones
/// dropped, patterns sorted and equal ones added up, findings in block order. Every engine ends with this, so that the number of threads leaves no
/// trace. Events keep their order, and must have it already.
void canonicalise(Recording& recording);

}  // namespace warplens
