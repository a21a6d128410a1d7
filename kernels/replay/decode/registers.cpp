#include "kernels/replay/decode/registers.h"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>

#include "kernels/base/texts.h"
#include "kernels/ptx/liveness.h"

namespace warplens::replay {
namespace {

using Bits = std::vector<std::uint64_t>;
using Kind = ptx::Operand::Kind;
using ptx::RegisterUse;

void set(Bits& bits, std::uint32_t k) {
  bits[k / 64] |= std::uint64_t{1} << (k % 64);
}

/// Most words of the live sets of all blocks: each has one bit a slot. nvcc's largest kernels
/// have some ten thousand words.
constexpr std::size_t kMaxLiveWords = 1u << 24;

Error too_many_slots(const ptx::Function& function, const ptx::ControlFlow& flow, std::size_t slots) {
  return {tr("{kernel} has {blocks} blocks of code and {values} values that are live at once: at most {most} "
             "of one times the other",
             "kernel"_a = function.plain_name, "blocks"_a = flow.blocks.size(), "values"_a = slots,
             "most"_a = 64 * kMaxLiveWords),
          "", tr("Compile it with less unrolling, or as several kernels")};
}

/// Live intervals in half steps: an instruction reads at 2k and writes at 2k + 1, so that its result may take
/// the place of a source.
struct Interval {
  std::uint32_t start = std::numeric_limits<std::uint32_t>::max(), end = 0;
  void cover(std::uint32_t at) {
    start = std::min(start, at);
    end = std::max(end, at);
  }
};

std::vector<Interval> find_intervals(const ptx::Function& function, const ptx::ControlFlow& flow,
                                     const std::vector<RegisterUse>& uses, const ptx::Liveness& live) {
  std::vector<Interval> intervals(function.registers.size());
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    for (const std::uint32_t r : live.at_begin[b]) intervals[r].cover(2 * flow.blocks[b].first);
    for (const std::uint32_t next : flow.blocks[b].successors) {
      for (const std::uint32_t r : live.at_begin[next]) intervals[r].cover(2 * flow.blocks[b].end - 1);
    }
    // What lanes hold that wait where they meet the others again: those may then use its slot for nothing
    // else, and write whole registers.
    const std::uint32_t join = flow.blocks[b].immediate_post_dominator;
    if (flow.blocks[b].successors.size() < 2 || join == ptx::kNoBlock) continue;
    for (const std::uint32_t r : live.at_begin[join]) intervals[r].cover(2 * flow.blocks[b].end - 1);
  }
  for (std::uint32_t i = 0; i < uses.size(); ++i) {
    for (const std::uint32_t r : uses[i].reads) intervals[r].cover(2 * i);
    for (const std::uint32_t r : uses[i].writes) intervals[r].cover(2 * i + 1);
  }
  return intervals;
}

/// Linear scan: registers by start; a slot is free again when the interval of its register has ended.
void assign_slots(const ptx::Function& function, const std::vector<Interval>& intervals,
                  const std::vector<std::uint32_t>& first_instructions, RegisterSlots& result) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t r = 0; r < intervals.size(); ++r) order.push_back(r);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return intervals[a].start < intervals[b].start; });
  using Busy = std::pair<std::uint32_t, std::uint32_t>;  // end, slot
  std::array<std::priority_queue<Busy, std::vector<Busy>, std::greater<>>, 3> busy;
  std::array<std::vector<std::uint32_t>, 3> free;
  std::size_t begun = 1;
  for (const std::uint32_t r : order) {
    for (; begun < first_instructions.size() && intervals[r].start >= 2 * first_instructions[begun];
         ++begun) {
      busy = {};
      free = {};
    }
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

Result<RegisterSlots> allocate_registers(const ptx::Function& function, const ptx::ControlFlow& flow,
                                         const std::vector<std::uint32_t>& first_instructions) {
  std::vector<RegisterUse> uses;
  for (const ptx::Instruction& instruction : function.instructions)
    uses.push_back(ptx::register_use(instruction));
  const Result<ptx::Liveness> live = ptx::find_liveness(function, flow, uses);
  if (!live.ok()) return live.error();
  RegisterSlots result;
  result.slot_of.resize(function.registers.size());
  assign_slots(function, find_intervals(function, flow, uses, *live), first_instructions, result);
  const std::size_t words = (result.slots.size() + 63) / 64;
  if (words * flow.blocks.size() > kMaxLiveWords) return too_many_slots(function, flow, result.slots.size());
  for (const std::vector<std::uint32_t>& in : live->at_begin) {
    Bits& slots = result.live_in.emplace_back(words);
    for (const std::uint32_t r : in) set(slots, result.slot_of[r]);
  }
  for (const std::uint32_t first : first_instructions)
    result.live_at_entry.push_back(live->at_begin[flow.block_of[first]]);
  return result;
}

}  // namespace warplens::replay
