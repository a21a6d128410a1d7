// The reduction of one element by cp.reduce.async.bulk. PTX ISA, "cp.reduce.async.bulk".
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/base/tensor_map.h"
#include "kernels/ptx/module.h"

namespace warplens::replay {

/// Returns the type by which elements of a tensor are reduced.
[[nodiscard]] ptx::Type reduced_type(TensorElement element);
/// Returns whether cp.reduce.async.bulk has this reduction.
[[nodiscard]] bool can_reduce(ptx::AtomicOp op, ptx::Type type);
/// Returns the bits of the new value. Sums of floats are rounded to nearest even; subnormal numbers of f32
/// count as zeros where `flushes_subnormals` says so.
[[nodiscard]] std::uint64_t reduced(ptx::AtomicOp op, ptx::Type type, std::uint64_t old, std::uint64_t with,
                                    bool flushes_subnormals = false);

}  // namespace warplens::replay
