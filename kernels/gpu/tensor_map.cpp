#include "kernels/gpu/tensor_map.h"

#include <cstring>

#include "kernels/base/texts.h"

namespace warplens::gpu {

static_assert(sizeof(CuTensorMap) == kTensorMapBytes);

Result<Done> encode_for_device(const ContextPointer& context, std::span<std::byte, kTensorMapBytes> bytes) {
  const std::optional<TensorMap> map = decode_tensor_map(bytes);
  if (!map) return Error{tr("an argument is no tensor map"), "", ""};
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
