#include "kernels/gpu/log_order.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace warplens::gpu {
namespace {

class Walk {
 public:
  explicit Walk(std::span<const LogEntry> entries) : entries_(entries) {
    for (std::uint32_t e = 0; e < entries.size(); ++e) {
      for_each_lane(entries[e].mask, [&](std::size_t lane) { queues_[lane].push_back(e); });
    }
  }

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> order;
    waiting_ = {0xffffffffu};
    while (!waiting_.empty()) {
      const std::optional<std::uint32_t> entry = next_of(waiting_.back());
      if (!entry) {  // They have done all, or met others that wait for them
        waiting_.pop_back();
        continue;
      }
      for_each_lane(entries_[*entry].mask, [&](std::size_t lane) { ++done_[lane]; });
      if (entries_[*entry].parting) {
        part(entries_[*entry]);
      } else {
        order.push_back(*entry);
      }
    }
    return order;
  }

 private:
  template <class Visit>
  static void for_each_lane(std::uint32_t mask, Visit visit) {
    for (; mask != 0; mask &= mask - 1) visit(static_cast<std::size_t>(std::countr_zero(mask)));
  }

  /// What some of these lanes do next, and no others with them.
  [[nodiscard]] std::optional<std::uint32_t> next_of(std::uint32_t lanes) const {
    std::optional<std::uint32_t> next;
    for_each_lane(lanes, [&](std::size_t lane) {
      if (done_[lane] == queues_[lane].size()) return;
      const std::uint32_t entry = queues_[lane][done_[lane]];
      if (((entries_[entry].mask | entries_[entry].awaited) & ~lanes) == 0 && (!next || entry < *next))
        next = entry;
    });
    return next;
  }

  /// What comes first goes on top.
  void part(const LogEntry& parting) {
    std::vector<std::uint32_t> ways;
    for (std::uint32_t left = parting.mask; left != 0;) {
      const std::uint32_t way = parting.together[static_cast<std::size_t>(std::countr_zero(left))] & left;
      if (way == 0) break;  // A meeting, or no log of ours
      ways.push_back(way);
      left &= ~way;
    }
    if (parting.calls) std::reverse(ways.begin(), ways.end());
    std::stable_sort(ways.begin(), ways.end(), [&](std::uint32_t a, std::uint32_t b) {
      return parting.calls ? (a & parting.taken) == 0 && (b & parting.taken) != 0
                           : (a & parting.taken) < (b & parting.taken);
    });
    waiting_.insert(waiting_.end(), ways.begin(), ways.end());
  }

  std::span<const LogEntry> entries_;
  std::array<std::vector<std::uint32_t>, kWarpSize> queues_;  ///< By lane: its entries
  std::array<std::size_t, kWarpSize> done_{};                 ///< By lane: how many of them
  std::vector<std::uint32_t> waiting_;  ///< Lanes that go on together, those on top first
};

}  // namespace

std::vector<std::uint32_t> replay_order(std::span<const LogEntry> entries) {
  return Walk(entries).run();
}

}  // namespace warplens::gpu
