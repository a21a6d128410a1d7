#include "kernels/base/tensor_map.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "kernels/base/texts.h"

namespace warplens {
namespace {

constexpr std::uint32_t kMark = 0x50414d54;  // Behind the last field
constexpr std::uint32_t kMaxBox = 256, kMaxElementStride = 8;
constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 32, kMaxStride = std::uint64_t{1} << 40;
constexpr std::uint32_t kMaxPixels = 1024;
constexpr int kNoIm2col = 0, kIsIm2col = 1;

/// The fields as they lie in the 128 bytes: plain data.
struct Encoded {
  std::uint64_t address;
  std::uint8_t element, rank, swizzle, fills_with_nan;
  std::uint32_t extents[kMaxTensorRank];  // Less 1
  std::uint64_t strides[kMaxTensorRank - 1];
  std::uint16_t box[kMaxTensorRank];
  std::uint8_t element_strides[kMaxTensorRank];
  std::uint8_t interleave, mode;
  std::int16_t lower[kMaxSpatialRank], upper[kMaxSpatialRank];  // Of im2col mode, as what follows
  std::uint16_t channels, pixels;
  std::uint32_t mark;
};
static_assert(sizeof(Encoded) <= kTensorMapBytes);

template <class Numbered>
bool is_one_of(std::uint64_t number, Numbered last) {
  return number <= static_cast<std::uint64_t>(last);
}

bool is_encoded(const Encoded& encoded) {
  return encoded.mark == kMark && is_one_of(encoded.element, TensorElement::tf32_ftz) &&
         is_one_of(encoded.swizzle, TensorSwizzle::bytes128) &&
         is_one_of(encoded.interleave, TensorInterleave::bytes32) && encoded.mode <= kIsIm2col;
}

/// The values of .elemtype. PTX ISA, "tensormap.replace".
constexpr TensorElement kElements[] = {
    TensorElement::u8,       TensorElement::u16, TensorElement::u32,  TensorElement::i32,
    TensorElement::u64,      TensorElement::i64, TensorElement::f16,  TensorElement::f32,
    TensorElement::f32_ftz,  TensorElement::f64, TensorElement::bf16, TensorElement::tf32,
    TensorElement::tf32_ftz,
};

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
  constexpr const char* kNames[] = {"u8",  "u16", "u32",  "i32",    "u64",  "i64",    "f16",
                                    "f32", "f64", "bf16", "f32ftz", "tf32", "tf32ftz"};
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
    case TensorElement::f32:
    case TensorElement::f32_ftz:
    case TensorElement::tf32:
    case TensorElement::tf32_ftz: return 4;
    case TensorElement::u64:
    case TensorElement::i64:
    case TensorElement::f64: break;
  }
  return 8;
}

std::uint32_t bytes_of(TensorInterleave interleave) {
  switch (interleave) {
    case TensorInterleave::none: return 0;
    case TensorInterleave::bytes16: return 16;
    case TensorInterleave::bytes32: break;
  }
  return 32;
}

std::uint32_t TensorMap::box_elements(std::size_t dimension) const {
  if (is_interleaved() && dimension + 2 == rank) return 1;
  const std::uint32_t step = dimension == 0 && !is_interleaved() ? 1 : element_strides.at(dimension);
  return (box.at(dimension) + step - 1) / step;
}

std::uint32_t TensorMap::row_bytes() const {
  if (is_interleaved()) return bytes_of(interleave);
  return (im2col ? im2col->channels : box[0]) * element_bytes();
}

std::uint64_t TensorMap::box_bytes() const {
  std::uint64_t bytes = row_bytes();
  if (im2col) return bytes * im2col->pixels;
  for (std::size_t d = is_interleaved() ? 0 : 1; d < rank; ++d) bytes *= box_elements(d);
  return bytes;
}

namespace {

constexpr std::size_t kMinSpatialRank = 3;  // Of what is interleaved or read in im2col mode

const char* broken_rule_of_im2col(const TensorMap& map) {
  constexpr std::int32_t kBits[] = {0, 0, 0, 15, 7, 4};  // By rank: those of a corner, less its sign
  const Im2col& im2col = *map.im2col;
  if (map.rank < kMinSpatialRank) return marked("in im2col mode a tensor has 3 to 5 dimensions");
  const std::int32_t limit = 1 << kBits[map.rank];
  for (std::size_t d = 0; d + 2 < map.rank; ++d) {
    for (const std::int32_t corner : {im2col.lower.at(d), im2col.upper.at(d)}) {
      if (corner < -limit || corner >= limit)
        return marked("corners are -32768 to 32767 in 3 dimensions, -128 to 127 in 4, -16 to 15 in 5");
    }
  }
  if (im2col.channels == 0 || im2col.channels > kMaxBox) return marked("a pixel has 1 to 256 channels");
  if (im2col.pixels == 0 || im2col.pixels > kMaxPixels) return marked("a column has 1 to 1024 pixels");
  return nullptr;
}

const char* broken_rule_of_interleave(const TensorMap& map) {
  if (map.rank < kMinSpatialRank) return marked("an interleaved tensor has 3 to 5 dimensions");
  if (map.interleave != TensorInterleave::bytes32) return nullptr;
  if (map.swizzle != TensorSwizzle::bytes32) return marked("interleave=32B needs swizzle=32B");
  bool are_multiples = map.address % bytes_of(map.interleave) == 0;
  for (std::size_t d = 1; d < map.rank; ++d)
    are_multiples = are_multiples && map.strides.at(d) % bytes_of(map.interleave) == 0;
  return are_multiples ? nullptr : marked("interleave=32B needs an address and strides of multiples of 32");
}

}  // namespace

const char* broken_rule_of(const TensorMap& map) {
  if (map.rank < 1 || map.rank > kMaxTensorRank) return marked("a tensor has 1 to 5 dimensions");
  if (map.address % 16 != 0) return marked("the tensor's address is a multiple of 16");
  for (std::size_t d = 0; d < map.rank; ++d) {
    if (map.extents.at(d) == 0 || map.extents.at(d) > kMaxExtent) return marked("extents are 1 to 2^32");
    if (!map.im2col && (map.box.at(d) == 0 || map.box.at(d) > kMaxBox))
      return marked("a box has 1 to 256 elements each way");
    if (map.element_strides.at(d) == 0 || map.element_strides.at(d) > kMaxElementStride)
      return marked("element strides are 1 to 8");
    if (d > 0 && (map.strides.at(d) % 16 != 0 || map.strides.at(d) >= kMaxStride))
      return marked("strides are multiples of 16 bytes, less than 2^40");
  }
  if (map.im2col) {
    if (const char* const rule = broken_rule_of_im2col(map)) return rule;
  }
  // The driver requires this of interleaved tensors, too.
  const std::uint32_t row = (map.im2col ? map.im2col->channels : map.box[0]) * map.element_bytes();
  if (row % kBoxPieceBytes != 0) return marked("a row of the box is a multiple of 16 bytes");
  if (map.is_interleaved()) return broken_rule_of_interleave(map);
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
  encoded.interleave = static_cast<std::uint8_t>(map.interleave);
  encoded.mode = map.im2col ? kIsIm2col : kNoIm2col;
  const Im2col im2col = map.im2col.value_or(Im2col{});
  for (std::size_t d = 0; d < kMaxSpatialRank; ++d) {
    encoded.lower[d] = static_cast<std::int16_t>(im2col.lower.at(d));
    encoded.upper[d] = static_cast<std::int16_t>(im2col.upper.at(d));
  }
  encoded.channels = static_cast<std::uint16_t>(im2col.channels);
  encoded.pixels = static_cast<std::uint16_t>(im2col.pixels);
  encoded.mark = kMark;
  std::array<std::byte, kTensorMapBytes> bytes{};
  std::memcpy(bytes.data(), &encoded, sizeof encoded);
  return bytes;
}

std::optional<TensorMap> decode_tensor_map(std::span<const std::byte, kTensorMapBytes> bytes) {
  Encoded encoded{};
  std::memcpy(&encoded, bytes.data(), sizeof encoded);
  if (!is_encoded(encoded)) return std::nullopt;
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
  map.interleave = static_cast<TensorInterleave>(encoded.interleave);
  if (encoded.mode == kIsIm2col) {
    Im2col& im2col = map.im2col.emplace();
    std::ranges::copy(encoded.lower, im2col.lower.begin());
    std::ranges::copy(encoded.upper, im2col.upper.begin());
    im2col.channels = encoded.channels;
    im2col.pixels = encoded.pixels;
  }
  return broken_rule_of(map) == nullptr ? std::optional(map) : std::nullopt;
}

bool replace_field(std::span<std::byte, kTensorMapBytes> bytes, TensorMapField field, std::uint32_t ordinal,
                   std::uint64_t value) {
  Encoded encoded{};
  std::memcpy(&encoded, bytes.data(), sizeof encoded);
  const bool is_stride = field == TensorMapField::global_stride;
  if (encoded.mark != kMark || ordinal >= kMaxTensorRank - (is_stride ? 1 : 0)) return false;
  bool is_known = true;
  const auto set = [&](std::uint8_t& number, auto last) {
    is_known = is_one_of(value, last);
    if (is_known) number = static_cast<std::uint8_t>(value);
  };
  switch (field) {
    case TensorMapField::global_address: encoded.address = value; break;
    case TensorMapField::rank: encoded.rank = static_cast<std::uint8_t>(value + 1); break;
    case TensorMapField::box_dim: encoded.box[ordinal] = static_cast<std::uint16_t>(value); break;
    case TensorMapField::global_dim: encoded.extents[ordinal] = static_cast<std::uint32_t>(value - 1); break;
    case TensorMapField::global_stride: encoded.strides[ordinal] = value / 16 * 16; break;
    case TensorMapField::element_stride:
      encoded.element_strides[ordinal] = static_cast<std::uint8_t>(value);
      break;
    case TensorMapField::elemtype:
      is_known = value < std::size(kElements);
      if (is_known) encoded.element = static_cast<std::uint8_t>(kElements[value]);
      break;
    case TensorMapField::interleave_layout: set(encoded.interleave, TensorInterleave::bytes32); break;
    case TensorMapField::swizzle_mode: set(encoded.swizzle, TensorSwizzle::bytes128); break;
    case TensorMapField::fill_mode: set(encoded.fills_with_nan, 1); break;
    case TensorMapField::none: is_known = false; break;
  }
  if (is_known) std::memcpy(bytes.data(), &encoded, sizeof encoded);
  return is_known;
}

}  // namespace warplens
