#include "kernels/tensor/shared_matrix.h"

namespace warplens::tensor {
namespace {

constexpr std::uint32_t kPiece = kBoxPieceBytes;
constexpr std::uint32_t kRows = 8;  // Of a core matrix
constexpr std::uint32_t kAddressBits = 0x3ffff;

std::uint32_t field(std::uint64_t descriptor, int bit) {
  constexpr std::uint64_t kField = 0x3fff;
  return static_cast<std::uint32_t>(descriptor >> bit & kField) * kPiece;
}

TensorSwizzle swizzle_of(std::uint64_t descriptor) {
  switch (descriptor >> 62) {
    case 1: return TensorSwizzle::bytes128;
    case 2: return TensorSwizzle::bytes64;
    case 3: return TensorSwizzle::bytes32;
    default: return TensorSwizzle::none;
  }
}

}  // namespace

SharedMatrix SharedMatrix::of(std::uint64_t descriptor, bool is_mn_major) {
  constexpr int kLeading = 16, kStride = 32, kBase = 49;
  return {.start = field(descriptor, 0),
          .leading_offset = field(descriptor, kLeading),
          .stride_offset = field(descriptor, kStride),
          .base_offset = static_cast<std::uint32_t>(descriptor >> kBase & 7),
          .swizzle = swizzle_of(descriptor),
          .is_mn_major = is_mn_major};
}

std::uint32_t SharedMatrix::address(std::uint32_t mn, std::uint32_t k) const {
  const std::uint32_t width = width_of(swizzle);
  std::uint32_t offset = 0;
  if (!is_mn_major) {
    offset = width == 0 ? mn % kRows * kPiece + mn / kRows * stride_offset + k * leading_offset
                        : mn % kRows * width + mn / kRows * stride_offset + k * kPiece;
  } else if (width == 0) {
    offset = mn * stride_offset + k % kRows * kPiece + k / kRows * leading_offset;
  } else {
    const std::uint32_t pieces = width / kPiece;
    offset =
        mn % pieces * kPiece + mn / pieces * leading_offset + k % kRows * width + k / kRows * stride_offset;
  }
  constexpr std::uint32_t kPatternRow = 128;
  const std::uint32_t plain = (start + offset) & kAddressBits, shift = base_offset * kPatternRow;
  return (swizzled(swizzle, plain - shift) + shift) & kAddressBits;
}

std::uint32_t SharedMatrix::address_of_element(std::uint32_t mn, std::uint32_t k,
                                               std::uint32_t element_bytes) const {
  const std::uint32_t in_piece = kPiece / element_bytes;
  const std::uint32_t along = is_mn_major ? mn : k;
  const std::uint32_t piece = is_mn_major ? address(mn / in_piece, k) : address(mn, k / in_piece);
  return piece + along % in_piece * element_bytes;
}

}  // namespace warplens::tensor
