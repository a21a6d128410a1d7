// A tensor map that host code encodes (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col), in the words of a
// launch's arguments.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "kernels/base/tensor_map.h"
#include "kernels/host/host_program.h"

namespace warplens::app {

/// The parts of "bf16[m][k]@A[64]:box=128x64:swizzle=128B" besides the buffer's name.
struct HostTensorMap {
  std::size_t allocation = 0;  ///< That the tensor lies in
  TensorElement element = TensorElement::f32;
  std::string extents, index, options;  ///< "[m][k]", "[64]", ":box=128x64:swizzle=128B"
  bool is_whole_matrix = false;         ///< The tensor has two dimensions and fills the allocation
};

/// `names`: of sizes that the launch passes. nullopt: some of it is not known, or the replay has no such map.
[[nodiscard]] std::optional<HostTensorMap> tensor_map_in_words(
    const host::Argument& map, const host::HostProgram& program,
    const std::map<const host::Formula*, std::string>& names);

}  // namespace warplens::app
