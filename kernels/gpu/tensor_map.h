// Tensor maps as the driver encodes them for a GPU.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/base/result.h"
#include "kernels/base/tensor_map.h"
#include "kernels/gpu/context.h"

namespace warplens::gpu {

/// Whether an argument or a buffer is a tensor map as encode_tensor_map makes it.
[[nodiscard]] bool is_tensor_map(std::span<const std::byte> bytes);

/// Replaces such a map, with the tensor's address on the device, by the driver's CUtensorMap. Does nothing to
/// other bytes. Errors: the driver refuses it.
[[nodiscard]] Result<Done> encode_for_device(const ContextPointer& context, std::span<std::byte> bytes);

}  // namespace warplens::gpu
