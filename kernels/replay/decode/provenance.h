// Which parameters a kernel's global accesses can come from.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/module.h"

namespace warplens::replay {

/// Bit k: parameter k, for the first 62.
inline constexpr std::uint64_t kFromModule = std::uint64_t{1}
                                             << 62;  ///< An address in the code: a variable of the module
inline constexpr std::uint64_t kFromAnywhere = std::uint64_t{1}
                                               << 63;  ///< Cannot be told: loaded from memory, say

struct Provenance {
  std::uint64_t read = 0;     ///< By loads that may see what other blocks write (not .nc)
  std::uint64_t written = 0;  ///< By stores and atomics
};

/// Follows addresses through the arithmetic that makes them: a result may point where any of its 64-bit
/// sources does.
[[nodiscard]] Provenance find_provenance(const ptx::Function& function);
/// Returns, by instruction, where an access of global memory, or by a generic address, can lead; 0 for
/// others.
[[nodiscard]] std::vector<std::uint64_t> origins_of_accesses(const ptx::Function& function);

}  // namespace warplens::replay
