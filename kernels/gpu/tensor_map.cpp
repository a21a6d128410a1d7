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
  // Types, swizzles and fills have the numbers of CUtensorMapDataType, .._swizzle and .._oobFill.
  constexpr int kNoInterleave = 0, kNoPromotion = 0;
  CuTensorMap encoded{};
  const CuResult result = context->enter().tensor_map_encode(
      &encoded, static_cast<int>(map->element), map->rank, map->address, map->extents.data(),
      &map->strides[1], map->box.data(), map->element_strides.data(), kNoInterleave,
      static_cast<int>(map->swizzle), kNoPromotion, map->fills_with_nan ? 1 : 0);
  if (auto done = context->check(result, "cuTensorMapEncodeTiled"); !done.ok()) return done;
  std::memcpy(bytes.data(), &encoded, sizeof encoded);
  return Done{};
}

}  // namespace warplens::gpu
