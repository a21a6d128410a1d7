#include "kernels/sass/memory.h"

#include <algorithm>
#include <cstring>

namespace warplens::sass {

void Memory::add(MemoryRegion region) {
  parts_.push_back({.region = region, .unknown = {}});
}

void Memory::make_unknown(std::size_t size) {
  if (own_.size() != size) {
    own_.assign(size, std::byte{0});
    parts_.clear();
    parts_.push_back({.region = {.base = 0, .bytes = own_}, .unknown = std::vector<std::uint8_t>(size, 1)});
  }
  std::ranges::fill_n(parts_.front().unknown.begin(), static_cast<std::ptrdiff_t>(stored_end_),
                      std::uint8_t{1});
  stored_end_ = 0;
}

Memory::Part* Memory::find(std::uint64_t address, std::uint32_t size) {
  const auto holds = [&](const Part& part) {
    const std::uint64_t offset = address - part.region.base, bytes = part.region.bytes.size();
    return address >= part.region.base && offset < bytes && bytes - offset >= size;
  };
  if (last_ < parts_.size() && holds(parts_[last_])) return &parts_[last_];
  const auto found = std::ranges::find_if(parts_, holds);
  if (found == parts_.end()) return nullptr;
  last_ = static_cast<std::size_t>(found - parts_.begin());
  return &*found;
}

bool Memory::load(std::uint64_t address, std::uint32_t size, std::uint64_t& value) {
  value = 0;
  const Part* const part = find(address, size);
  if (part == nullptr) return false;
  const std::uint64_t offset = address - part->region.base;
  std::memcpy(&value, part->region.bytes.data() + offset, size);
  for (std::uint64_t i = offset; !part->unknown.empty() && i < offset + size; ++i) {
    if (part->unknown[i] != 0) return false;
  }
  return true;
}

void Memory::store(std::uint64_t address, std::uint32_t size, std::uint64_t value, bool known) {
  Part* const part = find(address, size);
  if (part == nullptr) return;
  const std::uint64_t offset = address - part->region.base;
  std::memcpy(part->region.bytes.data() + offset, &value, size);
  stored_end_ = std::max(stored_end_, offset + size);
  stored_unknown_ = stored_unknown_ || !known;
  if (known && part->unknown.empty()) return;
  if (part->unknown.empty()) part->unknown.resize(part->region.bytes.size());
  for (std::uint64_t i = offset; i < offset + size; ++i) part->unknown[i] = known ? 0 : 1;
}

}  // namespace warplens::sass
