// Tensor maps as the driver encodes them for a GPU.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/base/result.h"
#include "kernels/base/tensor_map.h"
#include "kernels/gpu/context.h"

namespace warplens::gpu {

/// Replaces a map as encode_tensor_map makes it, with the tensor's address on the device, by the driver's
/// CUtensorMap. Errors: no map is there; cuTensorMapEncodeTiled refuses it.
[[nodiscard]] Result<Done> encode_for_device(const ContextPointer& context,
                                             std::span<std::byte, kTensorMapBytes> bytes);

}  // namespace warplens::gpu
