// Tensor maps describe a tensor in global memory and the box of it that one bulk copy moves. CUDA Driver API,
// "Tensor Map Object Management"; PTX ISA, "Tensors". NVIDIA does not document the 128 bytes of a
// CUtensorMap. This file defines a layout that only the replay reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warplens {

inline constexpr std::size_t kMaxTensorRank = 5;
inline constexpr std::size_t kTensorMapBytes = 128;

/// In the order of CUtensorMapDataType.
enum class TensorElement : std::uint8_t {
  u8,
  u16,
  u32,
  i32,
  u64,
  i64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz
};
inline constexpr int kTensorElements = static_cast<int>(TensorElement::tf32_ftz) + 1;
/// Which bits of shared-memory addresses are XORed. 128 bytes: bits 4 to 6 with bits 7 to 9.
enum class TensorSwizzle : std::uint8_t { none, bytes32, bytes64, bytes128 };

/// How the channels of a tensor lie: NC/8HWC8 has slices of 16 bytes, NC/16HWC16 slices of 32. PTX ISA,
/// "Interleave layout". The dimensions of an interleaved tensor are W, H and D as far as there are any, the
/// slices, and N; an index of W stands for a slice's bytes (measured on an H200, docs/replay.md).
enum class TensorInterleave : std::uint8_t { none, bytes16, bytes32 };

/// Returns the bytes of a row of the pattern; 0 without one.
[[nodiscard]] std::uint32_t width_of(TensorSwizzle swizzle);
[[nodiscard]] const char* name_of(TensorElement element);  ///< "bf16"
[[nodiscard]] std::uint32_t bytes_of(TensorElement element);
[[nodiscard]] std::uint32_t bytes_of(TensorInterleave interleave);  ///< Of a slice; 0 without slices

inline constexpr std::size_t kMaxSpatialRank = kMaxTensorRank - 2;
/// What im2col mode copies in place of a box: pixels in the order of a convolution. PTX ISA, "im2col mode".
/// The corners are those of W, then H, then D, relative to the first and the last element of the tensor.
struct Im2col {
  std::array<std::int32_t, kMaxSpatialRank> lower{}, upper{};
  std::uint32_t channels = 1;  ///< Of a pixel, in elements; where the tensor is interleaved, one slice
  std::uint32_t pixels = 1;
  friend bool operator==(const Im2col&, const Im2col&) = default;
};

/// Dimension 0 is the innermost: its elements are contiguous.
struct TensorMap {
  TensorElement element = TensorElement::f32;
  std::uint32_t rank = 1;
  std::uint64_t address = 0;
  std::array<std::uint64_t, kMaxTensorRank> extents{1, 1, 1, 1, 1};  ///< In elements
  std::array<std::uint64_t, kMaxTensorRank> strides{};           ///< In bytes; that of dimension 0 is unused
  std::array<std::uint32_t, kMaxTensorRank> box{1, 1, 1, 1, 1};  ///< In elements of the tensor
  std::array<std::uint32_t, kMaxTensorRank> element_strides{1, 1, 1, 1, 1};  ///< Every n-th is copied
  TensorSwizzle swizzle = TensorSwizzle::none;
  bool fills_with_nan = false;  ///< Outside the tensor; else with zeros
  TensorInterleave interleave = TensorInterleave::none;
  std::optional<Im2col> im2col;  ///< In place of `box`

  [[nodiscard]] std::uint32_t element_bytes() const { return bytes_of(element); }
  [[nodiscard]] bool is_interleaved() const { return interleave != TensorInterleave::none; }
  /// Whether a copy moves a box of a tensor that is not interleaved.
  [[nodiscard]] bool is_plain_box() const { return !im2col && !is_interleaved(); }
  /// Returns the elements that a box has in a dimension. Element strides do not apply to dimension 0, unless
  /// the tensor is interleaved; of its slices a copy moves one.
  [[nodiscard]] std::uint32_t box_elements(std::size_t dimension) const;
  /// Returns the bytes that an index of dimension 0 stands for.
  [[nodiscard]] std::uint32_t unit_bytes() const {
    return is_interleaved() ? bytes_of(interleave) : element_bytes();
  }
  /// Returns the contiguous bytes of a row of a box, of a pixel or of a slice.
  [[nodiscard]] std::uint32_t row_bytes() const;
  /// Returns the bytes that a copy of a box moves, the filled part included.
  [[nodiscard]] std::uint64_t box_bytes() const;
  friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

/// Returns the rule of cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col that the map breaks, in English;
/// null if there is none.
[[nodiscard]] const char* broken_rule_of(const TensorMap& map);

[[nodiscard]] std::array<std::byte, kTensorMapBytes> encode_tensor_map(const TensorMap& map);
/// Returns nullopt if the bytes are not those of a tensor map.
[[nodiscard]] std::optional<TensorMap> decode_tensor_map(std::span<const std::byte, kTensorMapBytes> bytes);

/// What tensormap.replace replaces. PTX ISA, "tensormap.replace".
enum class TensorMapField : std::uint8_t {
  none,
  global_address,
  rank,
  box_dim,
  global_dim,
  global_stride,
  element_stride,
  elemtype,
  interleave_layout,
  swizzle_mode,
  fill_mode
};
/// Replaces a field in the bytes that encode_tensor_map has made; the map may break rules until other fields
/// are replaced too. Returns false if the bytes are not those of a tensor map or there is no such value.
bool replace_field(std::span<std::byte, kTensorMapBytes> bytes, TensorMapField field, std::uint32_t ordinal,
                   std::uint64_t value);

/// Applies the swizzle to an address in shared memory.
[[nodiscard]] std::uint32_t swizzled(TensorSwizzle swizzle, std::uint32_t address);

/// Bytes of one piece of a box. Swizzles move whole pieces.
inline constexpr std::uint32_t kBoxPieceBytes = 16;
struct BoxPiece {
  std::uint32_t shared = 0;         ///< Address in shared memory, swizzled
  std::uint64_t global = 0;         ///< Address that its first byte has, or would have
  std::uint8_t begin = 0, end = 0;  ///< The bytes of the piece inside the tensor; none if they are equal
  std::uint32_t row = 0;            ///< Of the box; of im2col mode, the pixel
};
/// Coordinates of a box's first element. In im2col mode those of D, H and W are of the filter's base, to
/// which the offsets, of W first, are added.
using BoxStart = std::array<std::int32_t, kMaxTensorRank>;
using Im2colOffsets = std::array<std::uint16_t, kMaxSpatialRank>;
/// Whether a copy can be made from there: else a GPU raises an illegal instruction (measured on an H100 and
/// an H200).
[[nodiscard]] bool can_start_at(const TensorMap& map, const BoxStart& start, bool is_store);
/// Returns the pieces of a box in the order of unswizzled shared-memory addresses. `start`: as can_start_at
/// allows. Rows of a box are as far apart as they are long, or as the swizzle is wide, whichever is more;
/// slices of interleaved tensors as they are long.
[[nodiscard]] std::vector<BoxPiece> pieces_of_box(const TensorMap& map, const BoxStart& start,
                                                  std::uint32_t shared, const Im2colOffsets& offsets = {});

}  // namespace warplens
