#pragma once

#include <cstdint>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::analysis {

/// Finds the buffer that holds an address, where many are asked for. Buffers lie apart
/// (kernels/recording/validate.h). The recording must outlive it.
class BufferFinder {
 public:
  explicit BufferFinder(const Recording& recording);
  /// nullptr if none does.
  [[nodiscard]] const Buffer* at(std::uint64_t address) const;

 private:
  std::vector<const Buffer*> by_address_;
};

}  // namespace warplens::analysis
