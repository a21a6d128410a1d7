// What a copy by a tensor map moves: the pieces of a box, or of the pixels of im2col mode. PTX ISA, "Tiled
// mode", "im2col mode", "Interleave layout"; what these leave open was measured on an H200 (docs/replay.md).
#include <algorithm>

#include "kernels/base/tensor_map.h"

namespace warplens {
namespace {

using Coordinates = std::array<std::int64_t, kMaxTensorRank>;

/// Walks over what lies in one piece in global memory: the rows of a box, or its slices where the tensor is
/// interleaved.
class BoxWalk {
 public:
  BoxWalk(const TensorMap& map, const BoxStart& start) : map_(map), start_(start) {}

  [[nodiscard]] Coordinates at() const {
    Coordinates x{};
    for (std::size_t d = 0; d < map_.rank; ++d)
      x.at(d) = start_.at(d) + std::int64_t{in_box_.at(d)} * map_.element_strides.at(d);
    return x;
  }
  [[nodiscard]] std::uint32_t row() const { return row_; }
  /// Returns false behind the last.
  bool next() {
    for (std::size_t d = map_.is_interleaved() ? 0 : 1; d < map_.rank; ++d) {
      if (d == 1) ++row_;
      if (++in_box_.at(d) < map_.box_elements(d)) return true;
      in_box_.at(d) = 0;
    }
    return false;
  }

 private:
  const TensorMap& map_;
  const BoxStart& start_;
  std::array<std::uint32_t, kMaxTensorRank> in_box_{};
  std::uint32_t row_ = 0;
};

/// Walks over the pixels of im2col mode. The filter's base stays in the bounding box, row by row, and goes on
/// in the next image.
class PixelWalk {
 public:
  PixelWalk(const TensorMap& map, const BoxStart& start, const Im2colOffsets& offsets)
      : map_(map), offsets_(offsets), first_(map.is_interleaved() ? 0 : 1) {
    std::ranges::copy(start, base_.begin());
  }

  [[nodiscard]] Coordinates at() const {
    Coordinates x = base_;
    for (std::size_t k = 0; k + 2 < map_.rank; ++k) x.at(first_ + k) += offsets_.at(k);
    return x;
  }
  [[nodiscard]] std::uint32_t row() const { return pixel_; }
  bool next() {
    if (++pixel_ == map_.im2col->pixels) return false;
    for (std::size_t k = 0; k + 2 < map_.rank; ++k) {
      const std::size_t d = first_ + k;
      base_.at(d) += map_.element_strides.at(d);
      if (base_.at(d) < static_cast<std::int64_t>(map_.extents.at(d)) + map_.im2col->upper.at(k)) return true;
      base_.at(d) = map_.im2col->lower.at(k);
    }
    base_.at(map_.rank - 1) += map_.element_strides.at(map_.rank - 1);
    return true;
  }

 private:
  const TensorMap& map_;
  const Im2colOffsets& offsets_;
  std::size_t first_;  ///< The dimension of W
  Coordinates base_{};
  std::uint32_t pixel_ = 0;
};

/// Adds the pieces of what lies in one piece in global memory, at these coordinates.
void add_pieces(const TensorMap& map, const Coordinates& x, std::uint32_t shared, std::uint32_t row,
                std::vector<BoxPiece>& pieces) {
  const std::uint32_t unit = map.unit_bytes();
  bool is_inside = true;
  std::uint64_t address = map.address;
  for (std::size_t d = map.is_interleaved() ? 0 : 1; d < map.rank; ++d) {
    is_inside = is_inside && x.at(d) >= 0 && static_cast<std::uint64_t>(x.at(d)) < map.extents.at(d);
    if (d > 0) address += static_cast<std::uint64_t>(x.at(d)) * map.strides.at(d);
  }
  const std::int64_t inner = x[0] * unit, extent = static_cast<std::int64_t>(map.extents[0]) * unit;
  for (std::uint32_t byte = 0; byte < map.row_bytes(); byte += kBoxPieceBytes) {
    const std::int64_t first = inner + byte, last = first + kBoxPieceBytes;
    const std::int64_t begin = std::clamp<std::int64_t>(0, first, last),
                       end = std::clamp<std::int64_t>(extent, begin, last);
    pieces.push_back({.shared = swizzled(map.swizzle, shared + byte),
                      .global = address + static_cast<std::uint64_t>(first),
                      .begin = static_cast<std::uint8_t>(is_inside ? begin - first : 0),
                      .end = static_cast<std::uint8_t>(is_inside ? end - first : 0),
                      .row = row});
  }
}

template <class Walk>
std::vector<BoxPiece> pieces_along(const TensorMap& map, Walk walk, std::uint32_t shared) {
  const std::uint32_t row = map.row_bytes();
  const std::uint32_t pitch = map.is_interleaved() ? row : std::max(row, width_of(map.swizzle));
  std::vector<BoxPiece> pieces;
  do {
    add_pieces(map, walk.at(), shared, walk.row(), pieces);
    shared += pitch;
  } while (walk.next());
  return pieces;
}

/// Whether the filter's base lies in the bounding box. What is stored may not lie outside the tensor.
bool is_in_bounding_box(const TensorMap& map, const BoxStart& start, bool is_store) {
  const Im2col& im2col = *map.im2col;
  for (std::size_t k = 0; k + 2 < map.rank; ++k) {
    const std::size_t d = k + (map.is_interleaved() ? 0 : 1);
    const std::int64_t end = static_cast<std::int64_t>(map.extents.at(d)) + im2col.upper.at(k);
    if (start.at(d) < im2col.lower.at(k) || start.at(d) >= end) return false;
    if (is_store && (im2col.lower.at(k) < 0 || im2col.upper.at(k) > 0)) return false;
  }
  return true;
}

}  // namespace

std::uint32_t swizzled(TensorSwizzle swizzle, std::uint32_t address) {
  constexpr std::uint32_t kPieces = kBoxPieceBytes;
  const std::uint32_t width = width_of(swizzle);
  const std::uint32_t bits = width == 0 ? 0 : width - kPieces;  // 0x10, 0x30 or 0x70
  return address ^ (address >> 3 & bits);
}

bool can_start_at(const TensorMap& map, const BoxStart& start, bool is_store) {
  const bool is_negative = std::ranges::any_of(start, [](std::int32_t x) { return x < 0; });
  if (is_store && is_negative) return false;
  if (map.im2col && !is_in_bounding_box(map, start, is_store)) return false;
  return map.is_interleaved() ||
         start[0] * static_cast<std::int64_t>(map.element_bytes()) % kBoxPieceBytes == 0;
}

std::vector<BoxPiece> pieces_of_box(const TensorMap& map, const BoxStart& start, std::uint32_t shared,
                                    const Im2colOffsets& offsets) {
  return map.im2col ? pieces_along(map, PixelWalk(map, start, offsets), shared)
                    : pieces_along(map, BoxWalk(map, start), shared);
}

}  // namespace warplens
