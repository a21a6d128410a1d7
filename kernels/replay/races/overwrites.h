// Values that overwrite memory, and plain loads that they are computed from.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "kernels/replay/extrapolate/exposed.h"

namespace warplens::replay {

/// Strong stores and exchanges, which leave nothing of what was there, by the plain loads that their values
/// are computed from: by registers, not by way of memory. Compare-and-swaps leave what they did not expect,
/// and additions and the like keep what others have added.
class Overwrites {
 public:
  Overwrites() = default;
  /// `exposed`: PTX instructions to look at; `kinds`: by PTX instruction, as kinds_of_accesses returns them.
  Overwrites(const Program::Code& code, const std::vector<std::uint32_t>& exposed,
             const std::vector<AccessKind>& kinds);

  /// Whether some value is computed from this load.
  [[nodiscard]] bool uses(std::uint32_t load) const { return loads_.contains(load); }
  /// The loads that the value of this access is computed from.
  [[nodiscard]] const std::vector<std::uint32_t>& loads_of(std::uint32_t access) const;

 private:
  std::map<std::uint32_t, std::vector<std::uint32_t>> loads_of_;
  std::set<std::uint32_t> loads_;
};

}  // namespace warplens::replay
