// Which access of one launch stands for which of another.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "viz/picture/moment.h"

namespace warplens::picture {

/// Whether both are accesses of one operation to one array.
[[nodiscard]] bool alike(const Recording& a, std::size_t event_a, const Recording& b, std::size_t event_b);

/// nullopt: the launch has no such access.
struct AccessPair {
  std::optional<std::size_t> a, b;
};
/// Pairs accesses in the order of B's; behind them come those that A alone has. The k-th access to an array
/// by an operation is paired with the k-th of those.
[[nodiscard]] std::vector<AccessPair> paired_by_kind(const Recording& a,
                                                     const std::vector<std::size_t>& events_a,
                                                     const Recording& b,
                                                     const std::vector<std::size_t>& events_b);
/// For the k-th access of B's warp stands the k-th of A's, if it is to the same memory.
[[nodiscard]] std::vector<AccessPair> paired_by_step(const Moment& a, const Moment& b,
                                                     const std::vector<std::size_t>& events_b);

}  // namespace warplens::picture
