// Reads the log of a barrier interval's shared accesses.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "kernels/replay/block/patterns.h"
#include "kernels/replay/core/machine.h"
#include "kernels/replay/decode/load_groups.h"

namespace warplens::replay {

/// An access out of the log.
struct Logged {
  std::uint32_t instruction = 0, mask = 0;
  std::array<std::uint32_t, kWarpSize> first_byte{};
  std::uint32_t copy = 0;  ///< PendingCopy::serial; 0: no asynchronous copy
};

inline Logged access_of_shape(std::uint32_t instruction, std::uint32_t first, const ShapeCounter& shape) {
  Logged logged{instruction, shape.mask, {}, 0};
  for (int l = 0; l < kWarpSize; ++l) {
    const std::uint32_t offset =
        shape.stride == kIrregular ? shape.offsets[l] : static_cast<std::uint32_t>(l * shape.stride);
    logged.first_byte[static_cast<std::size_t>(l)] = first + offset;
  }
  return logged;
}

/// Visits the accesses of the entries [at, end), in their order, and with `order` the entries that say how
/// lanes are ordered. The loads of a group stand in the log where the first of them is; each is visited where
/// it is itself.
template <class Visit, class Order>
void for_each_logged(const AccessLogEntry* at, const AccessLogEntry* end, const PatternCounter& patterns,
                     const std::vector<LoadGroupPlan>& groups, Visit visit, Order order) {
  if (at == nullptr) return;
  std::vector<Logged> later;  // Of a group, by instruction, the last one first
  std::uint32_t before = 0;
  const auto visit_until = [&](std::uint32_t instruction) {  // Nothing leads back into the straight piece of
                                                             // code that a group is in
    for (; !later.empty() && (later.back().instruction < instruction || instruction < before);
         later.pop_back())
      visit(later.back());
    before = instruction;
  };
  while (at < end) {
    const AccessLogEntry& entry = *at++;
    visit_until(entry.instruction);
    if (entry.stride == kIrregularLog) {
      Logged logged{entry.instruction, entry.mask, {}, entry.first};
      std::memcpy(logged.first_byte.data(), at, sizeof logged.first_byte);
      at += kIrregularLogEntries - 1;
      visit(logged);
    } else if (entry.stride == kGroupLog) {
      const GroupShape& shape = patterns.group_shape(entry.mask);
      for (const LoadGroupPlan::Load& load : groups[shape.group].loads) {
        later.push_back(access_of_shape(load.instruction, entry.first + load.above, shape.counter));
      }
      std::ranges::sort(later, std::ranges::greater(), &Logged::instruction);
    } else if (entry.stride == kOrderLog || entry.stride == kPartLog || entry.stride == kAcquireLog ||
               entry.stride == kCrossLog || entry.stride == kLandedLog) {
      order(entry);
    } else if (entry.stride == kShapedLog) {
      visit(access_of_shape(entry.instruction, entry.first, patterns.counter(entry.mask)));
    } else {
      visit(access_of_shape(entry.instruction, entry.first, {.stride = entry.stride, .mask = entry.mask}));
    }
  }
  for (; !later.empty(); later.pop_back()) visit(later.back());
}
template <class Visit>
void for_each_access(const AccessLogEntry* at, const AccessLogEntry* end, const PatternCounter& patterns,
                     const std::vector<LoadGroupPlan>& groups, Visit visit) {
  for_each_logged(at, end, patterns, groups, visit, [](const AccessLogEntry&) {});
}

}  // namespace warplens::replay
