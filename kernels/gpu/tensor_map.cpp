#include "kernels/gpu/tensor_map.h"

#include <cstring>

namespace warplens::gpu {

static_assert(sizeof(CuTensorMap) == kTensorMapBytes);

namespace {

std::optional<TensorMap> map_in(std::span<const std::byte> bytes) {
  if (bytes.size() != kTensorMapBytes) return std::nullopt;
  return decode_tensor_map(bytes.first<kTensorMapBytes>());
}

}  // namespace

bool is_tensor_map(std::span<const std::byte> bytes) {
  return map_in(bytes).has_value();
}

Result<Done> encode_for_device(const ContextPointer& context, std::span<std::byte> bytes) {
  const std::optional<TensorMap> map = map_in(bytes);
  if (!map) return Done{};
  // Types, interleaves, swizzles and fills have the numbers of CUtensorMapDataType, .._interleave, .._swizzle
  // and .._oobFill.
  constexpr int kNoPromotion = 0;
  const int element = static_cast<int>(map->element), interleave = static_cast<int>(map->interleave),
            swizzle = static_cast<int>(map->swizzle), fill = map->fills_with_nan ? 1 : 0;
  CuTensorMap encoded{};
  if (map->im2col) {
    const Im2col& im2col = *map->im2col;
    const CuResult result = context->enter().tensor_map_encode_im2col(
        &encoded, element, map->rank, map->address, map->extents.data(), &map->strides[1],
        im2col.lower.data(), im2col.upper.data(), im2col.channels, im2col.pixels, map->element_strides.data(),
        interleave, swizzle, kNoPromotion, fill);
    if (auto done = context->check(result, "cuTensorMapEncodeIm2col"); !done.ok()) return done;
  } else {
    const CuResult result = context->enter().tensor_map_encode(
        &encoded, element, map->rank, map->address, map->extents.data(), &map->strides[1], map->box.data(),
        map->element_strides.data(), interleave, swizzle, kNoPromotion, fill);
    if (auto done = context->check(result, "cuTensorMapEncodeTiled"); !done.ok()) return done;
  }
  std::memcpy(bytes.data(), &encoded, sizeof encoded);
  return Done{};
}

}  // namespace warplens::gpu
