// Several recordings of one launch, each of other blocks: which of their sites are the same.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::analysis {

/// By site of `recording`: that of the same instruction in `launch`, or one beyond them. Generic accesses
/// have the sites that they were seen to need.
[[nodiscard]] std::vector<std::uint32_t> sites_in(const Recording& launch, const Recording& recording);
/// Whether sites of equal index are of the same instruction. Where it stands in the source does not matter:
/// inlined code is placed only once the sources are known.
[[nodiscard]] bool have_same_sites(const Recording& a, const Recording& b);

}  // namespace warplens::analysis
