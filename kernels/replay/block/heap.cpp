#include "kernels/replay/block/heap.h"

#include <algorithm>

namespace warplens::replay {

Heap::Heap() : free_{{kBase, kBytes}} {}

std::uint64_t Heap::allocate(std::uint64_t bytes) {
  if (bytes > kBytes) return 0;
  const std::uint64_t taken = std::max((bytes + kAlignment - 1) / kAlignment, std::uint64_t{1}) * kAlignment;
  const auto place = std::ranges::find_if(free_, [&](const auto& range) { return range.second >= taken; });
  if (place == free_.end()) return 0;
  const auto [address, room] = *place;
  free_.erase(place);
  if (room > taken) free_.emplace(address + taken, room - taken);
  Allocation& allocation = allocations_[address];
  allocation.region = {.base = address, .bytes = bytes, .data = pages_.data() + (address - kBase)};
  allocation.taken = taken;
  return address;
}

bool Heap::release(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || found->second.taken == 0) return false;
  std::uint64_t begin = address, bytes = found->second.taken;
  found->second.region.bytes = found->second.taken = 0;
  auto after = free_.lower_bound(begin);
  if (after != free_.end() && after->first == begin + bytes) {
    bytes += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin() && std::prev(after)->first + std::prev(after)->second == begin) {
    begin = std::prev(after)->first;
    bytes += std::prev(after)->second;
  }
  free_[begin] = bytes;
  return true;
}

const Region* Heap::find(std::uint64_t address, std::uint64_t bytes) const {
  auto after = allocations_.upper_bound(address);
  while (after != allocations_.begin()) {
    const Allocation& allocation = (--after)->second;
    if (allocation.taken == 0) continue;
    const std::uint64_t offset = address - allocation.region.base;
    return offset <= allocation.region.bytes && bytes <= allocation.region.bytes - offset ? &allocation.region
                                                                                          : nullptr;
  }
  return nullptr;
}

}  // namespace warplens::replay
