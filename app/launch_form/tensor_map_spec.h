// Tensor maps as one writes them among arguments: "tensormap:bf16[m][k]@A:box=64x64:swizzle=128B".
#pragma once

#include <string>
#include <string_view>

#include "app/launch_form/arguments.h"
#include "kernels/base/result.h"
#include "kernels/base/tensor_map.h"

namespace warplens::app {

/// Whether a text is a tensor map, as far as its beginning tells. "tensormap*" is passed by address.
[[nodiscard]] bool is_tensor_map(std::string_view text);

/// "TYPE[EXTENT]..[EXTENT,PITCH]@BUFFER[INDEX]:box=AxB:steps=AxB:strides=A:swizzle=128B:interleave=16B:fill=nan"
/// and, in place of the box, "channels=A:pixels=B:lower=AxB:upper=AxB" for im2col mode. Extents, boxes,
/// corners and steps (element strides) stand outermost first, a pitch in elements of the dimension it stands
/// with. The error says what is wrong, without the argument.
[[nodiscard]] Result<ArgumentSpec> parse_tensor_map(std::string_view text, const ArgumentScope& scope);

/// What parse_tensor_map makes the same of.
[[nodiscard]] std::string text_of(const TensorMap& map, const AddressSpec& address, bool by_address);

}  // namespace warplens::app
