// The reciprocal that a GPU approximates (MUFU.RCP), bit for bit as an H100 does: all 2^23 mantissas were
// compared.
#pragma once

namespace warplens::replay {

/// Returns the reciprocal as the GPU approximates it: infinity for subnormal values, 0 where the result would
/// be subnormal.
[[nodiscard]] float approximate_reciprocal(float value);

}  // namespace warplens::replay
