#include "kernels/base/tensor_map.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/texts.h"

namespace warplens {
namespace {

constexpr std::uint32_t kMark = 0x50414d54;  // Behind the last field
constexpr std::uint32_t kMaxBox = 256, kMaxElementStride = 8;
constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 32, kMaxStride = std::uint64_t{1} << 40;

/// The fields as they lie in the 128 bytes: plain data.
struct Encoded {
  std::uint64_t address;
  std::uint8_t element, rank, swizzle, fills_with_nan;
  std::uint32_t extents[kMaxTensorRank];  // Less 1
  std::uint64_t strides[kMaxTensorRank - 1];
  std::uint16_t box[kMaxTensorRank];
  std::uint8_t element_strides[kMaxTensorRank];
  std::uint32_t mark;
};
static_assert(sizeof(Encoded) <= kTensorMapBytes);

}  // namespace

std::uint32_t width_of(TensorSwizzle swizzle) {
  switch (swizzle) {
    case TensorSwizzle::none: return 0;
    case TensorSwizzle::bytes32: return 32;
    case TensorSwizzle::bytes64: return 64;
    case TensorSwizzle::bytes128: break;
  }
  return 128;
}

const char* name_of(TensorElement element) {
  constexpr const char* kNames[] = {"u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", "f64", "bf16"};
  return kNames[static_cast<std::size_t>(element)];
}

std::uint32_t bytes_of(TensorElement element) {
  switch (element) {
    case TensorElement::u8: return 1;
    case TensorElement::u16:
    case TensorElement::f16:
    case TensorElement::bf16: return 2;
    case TensorElement::u32:
    case TensorElement::i32:
    case TensorElement::f32: return 4;
    case TensorElement::u64:
    case TensorElement::i64:
    case TensorElement::f64: break;
  }
  return 8;
}

std::uint32_t TensorMap::box_elements(std::size_t dimension) const {
  const std::uint32_t step = dimension == 0 ? 1 : element_strides.at(dimension);
  return (box.at(dimension) + step - 1) / step;
}

std::uint64_t TensorMap::box_bytes() const {
  std::uint64_t bytes = element_bytes();
  for (std::size_t d = 0; d < rank; ++d) bytes *= box_elements(d);
  return bytes;
}

const char* broken_rule_of(const TensorMap& map) {
  if (map.rank < 1 || map.rank > kMaxTensorRank) return marked("a tensor has 1 to 5 dimensions");
  if (map.address % 16 != 0) return marked("the tensor's address is a multiple of 16");
  for (std::size_t d = 0; d < map.rank; ++d) {
    if (map.extents.at(d) == 0 || map.extents.at(d) > kMaxExtent) return marked("extents are 1 to 2^32");
    if (map.box.at(d) == 0 || map.box.at(d) > kMaxBox) return marked("a box has 1 to 256 elements each way");
    if (map.element_strides.at(d) == 0 || map.element_strides.at(d) > kMaxElementStride)
      return marked("element strides are 1 to 8");
    if (d > 0 && (map.strides.at(d) % 16 != 0 || map.strides.at(d) >= kMaxStride))
      return marked("strides are multiples of 16 bytes, less than 2^40");
  }
  const std::uint32_t row = map.box[0] * map.element_bytes();
  if (row % kBoxPieceBytes != 0) return marked("a row of the box is a multiple of 16 bytes");
  if (map.swizzle != TensorSwizzle::none && row > width_of(map.swizzle))
    return marked("a row of the box is at most as long as the swizzle is wide");
  return nullptr;
}

std::array<std::byte, kTensorMapBytes> encode_tensor_map(const TensorMap& map) {
  Encoded encoded{};
  encoded.address = map.address;
  encoded.element = static_cast<std::uint8_t>(map.element);
  encoded.rank = static_cast<std::uint8_t>(map.rank);
  encoded.swizzle = static_cast<std::uint8_t>(map.swizzle);
  encoded.fills_with_nan = map.fills_with_nan ? 1 : 0;
  for (std::size_t d = 0; d < kMaxTensorRank; ++d) {
    encoded.extents[d] = static_cast<std::uint32_t>(map.extents.at(d) - 1);
    encoded.box[d] = static_cast<std::uint16_t>(map.box.at(d));
    encoded.element_strides[d] = static_cast<std::uint8_t>(map.element_strides.at(d));
    if (d > 0) encoded.strides[d - 1] = map.strides.at(d);
  }
  encoded.mark = kMark;
  std::array<std::byte, kTensorMapBytes> bytes{};
  std::memcpy(bytes.data(), &encoded, sizeof encoded);
  return bytes;
}

std::optional<TensorMap> decode_tensor_map(std::span<const std::byte, kTensorMapBytes> bytes) {
  Encoded encoded{};
  std::memcpy(&encoded, bytes.data(), sizeof encoded);
  const bool is_one = encoded.mark == kMark &&
                      encoded.element <= static_cast<std::uint8_t>(TensorElement::bf16) &&
                      encoded.swizzle <= static_cast<std::uint8_t>(TensorSwizzle::bytes128);
  if (!is_one) return std::nullopt;
  TensorMap map;
  map.address = encoded.address;
  map.element = static_cast<TensorElement>(encoded.element);
  map.rank = encoded.rank;
  map.swizzle = static_cast<TensorSwizzle>(encoded.swizzle);
  map.fills_with_nan = encoded.fills_with_nan != 0;
  for (std::size_t d = 0; d < kMaxTensorRank; ++d) {
    map.extents.at(d) = std::uint64_t{encoded.extents[d]} + 1;
    map.box.at(d) = encoded.box[d];
    map.element_strides.at(d) = encoded.element_strides[d];
    if (d > 0) map.strides.at(d) = encoded.strides[d - 1];
  }
  return broken_rule_of(map) == nullptr ? std::optional(map) : std::nullopt;
}

std::uint32_t swizzled(TensorSwizzle swizzle, std::uint32_t address) {
  constexpr std::uint32_t kPieces = kBoxPieceBytes;
  const std::uint32_t width = width_of(swizzle);
  const std::uint32_t bits = width == 0 ? 0 : width - kPieces;  // 0x10, 0x30 or 0x70
  return address ^ (address >> 3 & bits);
}

bool can_start_at(const TensorMap& map, const std::array<std::int32_t, kMaxTensorRank>& start,
                  bool is_store) {
  const bool is_negative = std::ranges::any_of(start, [](std::int32_t x) { return x < 0; });
  return start[0] * static_cast<std::int64_t>(map.element_bytes()) % kBoxPieceBytes == 0 &&
         !(is_store && is_negative);
}

std::vector<BoxPiece> pieces_of_box(const TensorMap& map,
                                    const std::array<std::int32_t, kMaxTensorRank>& start,
                                    std::uint32_t shared) {
  const std::uint32_t element = map.element_bytes(), row = map.box[0] * element;
  const std::uint32_t pitch = std::max(row, width_of(map.swizzle));
  const auto extent = static_cast<std::int64_t>(map.extents[0]);
  std::vector<BoxPiece> pieces;
  std::array<std::uint32_t, kMaxTensorRank> at{};  // Within the box; dimension 0 stays 0
  for (std::uint32_t rows = 0;; ++rows) {
    bool is_inside = true;
    std::uint64_t address = map.address;
    for (std::size_t d = 1; d < map.rank; ++d) {
      const std::int64_t x = start.at(d) + std::int64_t{at.at(d)} * map.element_strides.at(d);
      is_inside = is_inside && x >= 0 && static_cast<std::uint64_t>(x) < map.extents.at(d);
      address += static_cast<std::uint64_t>(x) * map.strides.at(d);
    }
    for (std::uint32_t byte = 0; byte < row; byte += kBoxPieceBytes) {
      const std::int64_t first = start[0] + std::int64_t{byte / element},
                         last = first + kBoxPieceBytes / element;
      const std::int64_t begin = std::clamp<std::int64_t>(0, first, last),
                         end = std::clamp<std::int64_t>(extent, begin, last);
      pieces.push_back({.shared = swizzled(map.swizzle, shared + rows * pitch + byte),
                        .global = address + static_cast<std::uint64_t>(first) * element,
                        .begin = static_cast<std::uint8_t>(is_inside ? (begin - first) * element : 0),
                        .end = static_cast<std::uint8_t>(is_inside ? (end - first) * element : 0),
                        .row = rows});
    }
    std::size_t d = 1;
    for (; d < map.rank && ++at.at(d) == map.box_elements(d); ++d) at.at(d) = 0;
    if (d >= map.rank) return pieces;
  }
}

}  // namespace warplens
