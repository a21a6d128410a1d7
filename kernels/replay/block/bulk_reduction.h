// What cp.reduce.async.bulk makes of one element in memory. PTX ISA, "cp.reduce.async.bulk".
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/base/tensor_map.h"
#include "kernels/ptx/module.h"

namespace warplens::replay {

/// The type that elements of a tensor are reduced as.
[[nodiscard]] ptx::Type reduced_type(TensorElement element);
/// Whether there is such a reduction.
[[nodiscard]] bool can_reduce(ptx::AtomicOp op, ptx::Type type);
/// Returns the bits of the new value. Sums of floats are rounded to nearest even; f32 flushes no subnormals.
[[nodiscard]] std::uint64_t reduced(ptx::AtomicOp op, ptx::Type type, std::uint64_t old, std::uint64_t with);

}  // namespace warplens::replay
