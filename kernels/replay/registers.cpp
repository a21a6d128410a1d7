#include "kernels/replay/registers.h"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>

namespace warplens::replay {
namespace {

using Bits = std::vector<std::uint64_t>;
using Kind = ptx::Operand::Kind;
using ptx::RegisterUse;

void set(Bits& bits, std::uint32_t k) {
  bits[k / 64] |= std::uint64_t{1} << (k % 64);
}
bool test(const Bits& bits, std::uint32_t k) {
  return (bits[k / 64] >> (k % 64) & 1) != 0;
}

/// Live intervals in half steps: an instruction reads at 2k and writes at 2k + 1, so that its result may take the place of a source.
struct Interval {
  std::uint32_t start = std::numeric_limits<std::uint32_t>::max(), end = 0;
  void cover(std::uint32_t at) {
    start = std::min(start, at);
    end = std::max(end, at);
  }
};

struct Liveness {
  std::vector<Bits> in, out;  ///< By block
};

Liveness find_liveness(const ptx::Function& function, const ptx::ControlFlow& flow, const std::vector<RegisterUse>& uses) {
  const std::size_t words = (function.registers.size() + 63) / 64;
  const std::size_t n = flow.blocks.size();
  std::vector<Bits> read_first(n, Bits(words)), written(n, Bits(words));
  for (std::size_t b = 0; b < n; ++b) {
    for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].end; ++i) {
      const bool guarded = function.instructions[i].guard.kind == Kind::reg;
      for (const std::uint32_t r : uses[i].reads) {
        if (!test(written[b], r)) set(read_first[b], r);
      }
      for (const std::uint32_t r : uses[i].writes) {
        if (!guarded) {
          set(written[b], r);
        } else if (!test(written[b], r)) {
          set(read_first[b], r);  // lanes that the guard leaves out keep the old value
        }
      }
    }
  }
  Liveness live{std::vector<Bits>(n, Bits(words)), std::vector<Bits>(n, Bits(words))};
  std::vector<bool> queued(n, true);
  std::vector<std::uint32_t> work;
  for (std::size_t b = 0; b < n; ++b) work.push_back(static_cast<std::uint32_t>(b));
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    queued[b] = false;
    for (const std::uint32_t s : flow.blocks[b].successors) {
      for (std::size_t w = 0; w < words; ++w) live.out[b][w] |= live.in[s][w];
    }
    bool changed = false;
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t in = read_first[b][w] | (live.out[b][w] & ~written[b][w]);
      changed |= in != live.in[b][w];
      live.in[b][w] = in;
    }
    if (!changed) continue;
    for (const std::uint32_t p : flow.blocks[b].predecessors) {
      if (!queued[p]) work.push_back(p);
      queued[p] = true;
    }
  }
  return live;
}

template <class F>
void for_each_bit(const Bits& bits, F f) {
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for (std::uint64_t left = bits[w]; left != 0; left &= left - 1)
      f(static_cast<std::uint32_t>(w * 64 + static_cast<unsigned>(__builtin_ctzll(left))));
  }
}

std::vector<Interval> find_intervals(const ptx::Function& function, const ptx::ControlFlow& flow, const std::vector<RegisterUse>& uses,
                                     const Liveness& live) {
  std::vector<Interval> intervals(function.registers.size());
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    for_each_bit(live.in[b], [&](std::uint32_t r) { intervals[r].cover(2 * flow.blocks[b].first); });
    for_each_bit(live.out[b], [&](std::uint32_t r) { intervals[r].cover(2 * flow.blocks[b].end - 1); });
  }
  for (std::uint32_t i = 0; i < uses.size(); ++i) {
    for (const std::uint32_t r : uses[i].reads) intervals[r].cover(2 * i);
    for (const std::uint32_t r : uses[i].writes) intervals[r].cover(2 * i + 1);
  }
  return intervals;
}

/// Linear scan: registers by start; a slot is free again when the interval of its register has ended.
void assign_slots(const ptx::Function& function, const std::vector<Interval>& intervals, RegisterSlots& result) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t r = 0; r < intervals.size(); ++r) order.push_back(r);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return intervals[a].start < intervals[b].start; });
  using Busy = std::pair<std::uint32_t, std::uint32_t>;  // end, slot
  std::array<std::priority_queue<Busy, std::vector<Busy>, std::greater<>>, 3> busy;
  std::array<std::vector<std::uint32_t>, 3> free;
  for (const std::uint32_t r : order) {
    const SlotClass wanted = slot_class(function.registers[r].type);
    const auto c = static_cast<std::size_t>(wanted);
    while (!busy[c].empty() && busy[c].top().first < intervals[r].start) {
      free[c].push_back(busy[c].top().second);
      busy[c].pop();
    }
    if (free[c].empty()) {
      free[c].push_back(static_cast<std::uint32_t>(result.slots.size()));
      result.slots.push_back(wanted);
    }
    result.slot_of[r] = free[c].back();
    free[c].pop_back();
    busy[c].push({std::max(intervals[r].end, intervals[r].start), result.slot_of[r]});
  }
}

}  // namespace

SlotClass slot_class(ptx::Type type) {
  if (type == ptx::Type::pred) return SlotClass::predicate;
  return ptx::size_of(type) <= 4 ? SlotClass::narrow : SlotClass::wide;
}

RegisterSlots allocate_registers(const ptx::Function& function, const ptx::ControlFlow& flow) {
  std::vector<RegisterUse> uses;
  for (const ptx::Instruction& instruction : function.instructions) uses.push_back(ptx::register_use(instruction));
  const Liveness live = find_liveness(function, flow, uses);
  RegisterSlots result;
  result.slot_of.resize(function.registers.size());
  assign_slots(function, find_intervals(function, flow, uses, live), result);
  const std::size_t words = (result.slots.size() + 63) / 64;
  for (const Bits& in : live.in) {
    Bits& slots = result.live_in.emplace_back(words);
    for_each_bit(in, [&](std::uint32_t r) { set(slots, result.slot_of[r]); });
  }
  return result;
}

}  // namespace warplens::replay
