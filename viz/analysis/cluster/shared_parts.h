// Divides shared memory into the parts that copies and stores fill.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "viz/analysis/cluster/cluster_blocks.h"

namespace warplens::analysis {

class SharedParts {
 public:
  explicit SharedParts(const Recording& recording);

  /// Bytes that a copy reads or writes: parts begin and end there.
  void add_copy(std::uint32_t offset, std::uint32_t bytes);
  /// Bytes that an access writes.
  void add_store(std::uint64_t offset, std::uint32_t bytes);
  /// Divides what was added. Returns how many parts are left out.
  std::uint32_t divide(std::vector<SharedPart>& parts);

  /// After `divide`.
  [[nodiscard]] std::optional<std::size_t> part_at(std::uint64_t offset) const;

 private:
  std::vector<bool> begins_, written_;  ///< By piece of 16 bytes
  std::vector<std::int32_t> part_of_;   ///< The same; -1: none
};

}  // namespace warplens::analysis
