// The reciprocal that a GPU approximates (MUFU.RCP), bit for bit as an H100 does: all 2^23 mantissas were
// compared.
#pragma once

namespace warplens::replay {

/// Of what is smaller than a normal number, infinity; where it would be smaller itself, 0.
[[nodiscard]] float approximate_reciprocal(float value);

}  // namespace warplens::replay
