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

enum class TensorElement : std::uint8_t { u8, u16, u32, i32, u64, i64, f16, f32, f64, bf16 };
/// Which bits of shared-memory addresses are XORed. 128 bytes: bits 4 to 6 with bits 7 to 9.
enum class TensorSwizzle : std::uint8_t { none, bytes32, bytes64, bytes128 };

/// Returns the bytes of a row of the pattern; 0 without one.
[[nodiscard]] std::uint32_t width_of(TensorSwizzle swizzle);
[[nodiscard]] const char* name_of(TensorElement element);  ///< "bf16"
[[nodiscard]] std::uint32_t bytes_of(TensorElement element);

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

  [[nodiscard]] std::uint32_t element_bytes() const { return bytes_of(element); }
  /// Returns the elements that a box has in a dimension. Element strides do not apply to dimension 0.
  [[nodiscard]] std::uint32_t box_elements(std::size_t dimension) const;
  /// Returns the bytes that a copy of a box moves, the filled part included.
  [[nodiscard]] std::uint64_t box_bytes() const;
  friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

/// Returns the rule of cuTensorMapEncodeTiled that the map breaks, in English; null if there is none.
[[nodiscard]] const char* broken_rule_of(const TensorMap& map);

[[nodiscard]] std::array<std::byte, kTensorMapBytes> encode_tensor_map(const TensorMap& map);
/// Returns nullopt if the bytes are not those of a tensor map.
[[nodiscard]] std::optional<TensorMap> decode_tensor_map(std::span<const std::byte, kTensorMapBytes> bytes);

/// Applies the swizzle to an address in shared memory.
[[nodiscard]] std::uint32_t swizzled(TensorSwizzle swizzle, std::uint32_t address);

/// Bytes of one piece of a box. Swizzles move whole pieces.
inline constexpr std::uint32_t kBoxPieceBytes = 16;
struct BoxPiece {
  std::uint32_t shared = 0;         ///< Address in shared memory, swizzled
  std::uint64_t global = 0;         ///< Address that its first byte has, or would have
  std::uint8_t begin = 0, end = 0;  ///< The bytes of the piece inside the tensor; none if they are equal
  std::uint32_t row = 0;            ///< Of the box
};
/// Whether the coordinates of a box's first element are such that a copy can be made: with others a GPU
/// raises an illegal instruction (measured on an H100).
[[nodiscard]] bool can_start_at(const TensorMap& map, const std::array<std::int32_t, kMaxTensorRank>& start,
                                bool is_store);
/// Returns the pieces of a box in the order of unswizzled shared-memory addresses. `start`: coordinates of
/// the box's first element, the innermost a multiple of 16 bytes. Rows of a box are as far apart as they are
/// long, or as the swizzle is wide, whichever is more.
[[nodiscard]] std::vector<BoxPiece> pieces_of_box(const TensorMap& map,
                                                  const std::array<std::int32_t, kMaxTensorRank>& start,
                                                  std::uint32_t shared);

}  // namespace warplens
