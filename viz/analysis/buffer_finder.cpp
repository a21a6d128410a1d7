#include "viz/analysis/buffer_finder.h"

#include <algorithm>

namespace warplens::analysis {

BufferFinder::BufferFinder(const Recording& recording) {
  for (const Buffer& buffer : recording.buffers) {
    if (buffer.bytes != 0) by_address_.push_back(&buffer);
  }
  std::ranges::sort(by_address_, {}, &Buffer::base);
}

const Buffer* BufferFinder::at(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(by_address_, address, {}, &Buffer::base);
  if (after == by_address_.begin()) return nullptr;
  const Buffer* const buffer = *std::prev(after);
  return address - buffer->base < buffer->bytes ? buffer : nullptr;
}

}  // namespace warplens::analysis
