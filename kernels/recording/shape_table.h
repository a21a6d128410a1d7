#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/hash_index.h"
#include "kernels/recording/recording.h"

namespace warplens {

[[nodiscard]] std::uint64_t hash_of(const Shape& shape);
/// The same, of a shape's lower halves, by lane.
[[nodiscard]] std::uint64_t hash_of_halves(const std::uint32_t* offsets);

/// Interns shapes: equal shapes get equal indices, numbered in order of first appearance.
class ShapeTable {
 public:
  [[nodiscard]] std::uint32_t intern(const Shape& shape) { return intern(shape, hash_of(shape)); }
  /// Interns a shape whose hash_of() is known.
  [[nodiscard]] std::uint32_t intern(const Shape& shape, std::uint64_t hash);
  [[nodiscard]] const std::vector<Shape>& shapes() const { return shapes_; }
  /// Hands the shapes over and leaves the table empty.
  [[nodiscard]] std::vector<Shape> take();

 private:
  void make_room();

  std::vector<Shape> shapes_;
  HashIndex index_;
};

/// Puts a recording into the one form in which equal runs are equal: shapes renumbered in a canonical order
/// (lexicographic), unused and equal ones dropped, patterns sorted and equal ones added up, findings in block
/// order. Every engine ends with this, so that the number of threads leaves no trace. Events keep their
/// order, and must have it already.
void canonicalise(Recording& recording);

}  // namespace warplens
