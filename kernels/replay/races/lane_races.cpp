// Races within a warp: two lanes access the same place of shared memory, one of them stores, and nothing
// synchronises them. In lockstep the order of instructions would order the accesses; with independent thread
// scheduling, since compute capability 7.0, it does not (CUDA C++ Programming Guide, "Independent Thread
// Scheduling"). Volatile accesses are not ordered by being volatile.
//
// Bitmaps detect whether a warp has accessed a place twice since the block's last barrier, and whether
// different lanes may have done so. Only then is the log of the warp's accesses examined in order. It holds
// what synchronises lanes:
//   - bar.warp.sync orders memory among its lanes (PTX ISA).
//   - Shuffles, votes, matches and redux order no memory, and racecheck agrees (tools/dev/check-races.sh).
//   But a
//     lane contributes a loaded value only once its load has completed. So a store that depends on the result
//     comes after all loads that the contributions depend on.
//   - A lane that uses the result of an atomic, or loads strongly, may have acquired anything, as from a
//   lock.
// Two stores are not reported: what the first one stored is no longer known.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <map>

#include "kernels/ptx/opcodes.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/races/access_log.h"
#include "kernels/replay/races/order.h"

namespace warplens::replay {
namespace {

constexpr std::size_t kMaxOfFew =
    16;  ///< Accesses that are compared pairwise; loads of groups count one by one
constexpr std::ptrdiff_t kMaxEntries = 4096;  ///< Of a turn; later ones are not examined
constexpr std::ptrdiff_t kFewEntries = 12;    ///< Up to so many are first compared pairwise

/// Returns the lanes of an earlier access that does not happen before what `lane` does now.
std::uint32_t lanes_unordered(const Order& order, const LaneWord::Touch& touch, std::uint32_t lane) {
  std::uint32_t lanes = 0;
  for_each_lane(touch.lanes, [&](std::uint32_t other) {
    lanes |= static_cast<std::uint32_t>(!order.comes_after(lane, other, touch.when)) << other;
  });
  return lanes;
}

/// The bytes [low, end) of an access.
struct Extent {
  std::uint32_t low = UINT32_MAX, end = 0;
};
Extent extent_of(const Logged& logged, std::uint32_t bytes) {
  Extent extent;
  for_each_lane(logged.mask, [&](std::uint32_t l) {
    extent.low = std::min(extent.low, logged.first_byte[l]);
    extent.end = std::max(extent.end, logged.first_byte[l] + bytes);
  });
  return extent;
}

/// Returns whether two different lanes of two accesses of so many bytes can overlap.
bool lanes_meet(const Logged& a, const Logged& b, std::uint32_t bytes) {
  std::uint32_t free = 0;
  bool meet = false;
  for_each_lane(a.mask | b.mask, [&](std::uint32_t l) {
    const std::uint32_t at = (a.mask >> l & 1) != 0 ? a.first_byte[l] : b.first_byte[l];
    meet |= at < free || (((a.mask & b.mask) >> l & 1) != 0 && a.first_byte[l] != b.first_byte[l]);
    free = at + bytes;
  });
  return meet;
}

}  // namespace

const Instr* log_order(Machine& m, const Instr* i) {
  const auto log = [&](std::int32_t kind, std::uint32_t lanes) {
    if (m.log.next >= m.log.end) make_room_in_log(m);
    *m.log.next++ = {i->index, static_cast<std::uint32_t>(lanes == m.alive), kind, lanes};
  };
  if (i->a == 0xffffffffu) {
    log(kAcquireLog, m.active);
    return i + 1;
  }
  const Head& head = *reinterpret_cast<const Head*>(m.registers + i->a);
  for (std::uint32_t left = m.active; left != 0;) {
    const auto mask = static_cast<std::uint32_t>(
        value_of_lane(head, false, static_cast<std::uint32_t>(std::countr_zero(left))));
    std::uint32_t named = 0;  // By lanes that give this mask
    for_each_lane(left, [&](std::uint32_t l) {
      named |= static_cast<std::uint32_t>(static_cast<std::uint32_t>(value_of_lane(head, false, l)) == mask)
               << l;
    });
    if (i->detail == 1) {
      log(kCrossLog, named);
      left &= ~named;
      continue;
    }
    const std::uint32_t members = (mask & m.alive) | named;
    log(members == named ? kOrderLog : kPartLog, members);
    left &= ~named;
  }
  return i + 1;
}

void BlockRunner::find_shared_access_traits() {
  if (!shared_access_traits_.empty()) return;
  for (const ptx::Instruction& instruction : code_.function.instructions) {
    SharedAccessTraits& traits = shared_access_traits_.emplace_back();
    const auto effect = ptx::memory_effect_in(instruction, ptx::StateSpace::shared);
    if (!effect) continue;
    traits.stores = effect->writes;
    traits.is_copy = effect->completion == ptx::MemoryEffect::Completion::copy_group;
    traits.strong = ptx::is_atomic(instruction) || (is_strong(instruction) && !instruction.is_volatile);
    traits.acquires = instruction.is_volatile && !traits.stores;
    traits.bytes = accessed_bytes(instruction);
    const bool is_of_type = !traits.is_copy && effect->lanes != ptx::MemoryEffect::Lanes::fragment;
    traits.element =
        is_of_type ? static_cast<std::uint32_t>(ptx::size_of(instruction.type)) : std::min(traits.bytes, 4u);
  }
}

bool BlockRunner::touches_its_own() const {
  const SharedShadow& s = machine_.shadow;
  const std::uint64_t words = std::uint64_t{1} << (s.dirty_shift - 6);
  std::uint64_t twice = 0;
  for (std::uint64_t parts = s.dirty_written; parts != 0; parts &= parts - 1) {
    const std::uint64_t from = static_cast<std::uint64_t>(std::countr_zero(parts)) * words;
    for (std::uint64_t w = from; w < from + words; ++w)
      twice |= (s.written[w] & (s.read[w] | s.strong[w])) | (s.strong[w] & s.read[w]) |
               (s.copied[w] & (s.read[w] | s.written[w] | s.strong[w])) |
               (code_.has_volatile_shared ? s.strong[w] : 0);
  }
  return twice != 0;
}

/// A quick test for few accesses: mostly each lane stores and loads a place of its own.
bool BlockRunner::lanes_may_meet() const {
  if (machine_.log.next - log_of_turn_ > kFewEntries) return true;
  std::array<Logged, kMaxOfFew> accesses;
  std::array<Extent, kMaxOfFew> extents;
  std::size_t count = 0;
  bool too_many = false, meet = false;
  for_each_access(log_of_turn_, machine_.log.next, patterns_, code_.load_groups, [&](const Logged& b) {
    if (meet || too_many) return;
    const SharedAccessTraits& of_b = shared_access_traits_[b.instruction];
    const Extent extent = extent_of(b, of_b.bytes);
    for (std::size_t a = 0; a < count && !meet; ++a) {
      const SharedAccessTraits& of_a = shared_access_traits_[accesses[a].instruction];
      const bool matters = (of_a.stores || of_b.stores) && !(of_a.strong && of_b.strong);
      const bool apart = extents[a].end <= extent.low || extent.end <= extents[a].low;
      meet = matters && !apart && lanes_meet(accesses[a], b, std::max(of_a.bytes, of_b.bytes));
    }
    too_many = count == kMaxOfFew;
    if (too_many) return;
    accesses[count] = b;
    extents[count++] = extent;
  });
  return meet || too_many;
}

/// Returns the lanes whose load happens before a store of `lane` by data dependence: the load contributes to
/// an exchange between both lanes whose result the store depends on.
std::uint32_t BlockRunner::lanes_acquired_through_data(const std::vector<Crossing>& crossings,
                                                       const LaneWord::Touch& load, std::uint32_t store,
                                                       std::uint32_t lane) {
  std::uint32_t lanes = 0;
  for (auto crossing = crossings.rbegin(); crossing != crossings.rend() && crossing->when > load.when;
       ++crossing) {
    const bool is_common = (crossing->lanes >> lane & 1) != 0 && (crossing->lanes & load.lanes & ~lanes) != 0;
    if (!is_common) continue;
    if (!dependence_) dependence_ = std::make_unique<Dependence>(code_.function, code_.flow);
    if (dependence_->depends(crossing->instruction, load.instruction) &&
        dependence_->depends(store, crossing->instruction))
      lanes |= crossing->lanes;
  }
  return lanes;
}

void BlockRunner::find_lane_races(std::uint32_t w) {
  if (!lanes_run_apart_ || !touches_its_own()) return;
  find_shared_access_traits();
  if (!has_copies_ && !lanes_may_meet()) return;
  const AccessLogEntry* const end = log_of_turn_ + std::min(machine_.log.next - log_of_turn_, kMaxEntries);
  std::uint32_t element = 16;
  for_each_access(log_of_turn_, end, patterns_, code_.load_groups, [&](const Logged& logged) {
    element = std::min(element, shared_access_traits_[logged.instruction].element);
  });
  lane_words_.resize(std::max<std::size_t>(lane_words_.size(), job_.shared_end / element));
  ++lane_walk_;
  Order order;
  bool is_order_known = true;  ///< Else some lanes have arrived where others are still to arrive
  std::vector<Crossing> crossings;
  std::map<std::uint32_t, Logged> copies;  // In flight, by serial
  const auto for_each_word = [&](const Logged& logged, std::uint32_t lanes, auto&& visit) {
    for_each_lane(lanes, [&](std::uint32_t l) {
      for (std::uint32_t at = 0; at < shared_access_traits_[logged.instruction].bytes; at += element) {
        LaneWord& word = lane_words_[(logged.first_byte[l] + at) / element];
        if (word.walk != lane_walk_) word = {.walk = lane_walk_};
        visit(word, l, logged.first_byte[l] + at);
      }
    });
  };
  const auto issue = [&](const Logged& copy) {
    copies.emplace(copy.copy, copy);
    for_each_word(copy, copy.mask, [&](LaneWord& word, std::uint32_t l, std::uint32_t) {
      word.in_flight = {.when = order.now(), .lanes = 1u << l, .instruction = copy.instruction};
    });
  };
  const auto land = [&](std::uint32_t serial, std::uint32_t lanes) {
    const auto copy = copies.find(serial);
    if (copy == copies.end()) return;
    for_each_word(copy->second, lanes, [&](LaneWord& word, std::uint32_t l, std::uint32_t) {
      word.in_flight = {};
      word.written = {.when = order.now(), .lanes = 1u << l, .instruction = copy->second.instruction};
    });
  };
  const auto acquire_all = [&](std::uint32_t l) { order.acquire_all(l); };
  const auto touch = [&](const Logged& logged) {
    const std::uint32_t now = order.advance();
    if (!is_order_known) return;
    const SharedAccessTraits& traits = shared_access_traits_[logged.instruction];
    std::uint32_t lanes = 0, both = 0, early = 0, early_at = 0;
    LaneWord::Touch copy;
    LaneWord::Touch other;
    const auto meet = [&](const LaneWord::Touch& earlier, std::uint32_t l, std::uint32_t at) {
      if (earlier.when == 0 || (earlier.lanes >> l & 1) != 0) return;
      const SharedAccessTraits& was = shared_access_traits_[earlier.instruction];
      if (traits.strong ? was.strong : traits.stores && was.stores && !was.strong) return;
      std::uint32_t others = lanes_unordered(order, earlier, l);
      if (others != 0 && traits.stores && !was.stores)
        others &= ~lanes_acquired_through_data(crossings, earlier, logged.instruction, l);
      if (others == 0) return;
      if (lanes == 0) {
        other = {.when = earlier.when, .lanes = others, .instruction = earlier.instruction};
        both = at;
      }
      lanes |= 1u << l;
    };
    for_each_word(logged, logged.mask, [&](const LaneWord& word, std::uint32_t l, std::uint32_t at) {
      if (word.in_flight.when != 0 && !traits.is_copy) {
        if (early == 0) copy = word.in_flight, early_at = at;
        early |= 1u << l;
        return;
      }
      meet(word.written, l, at);
      if (!traits.stores) return;
      meet(word.read, l, at);
      meet(word.read_before, l, at);
    });
    if (early != 0) report_access_in_flight(w, logged, early, copy, early_at);
    if (traits.is_copy) {
      issue(logged);
    } else {
      for_each_word(logged, logged.mask, [&](LaneWord& word, std::uint32_t l, std::uint32_t) {
        LaneWord::Touch& mine = traits.stores ? word.written : word.read;
        if (mine.when == now) {
          mine.lanes |= 1u << l;
          return;
        }
        if (!traits.stores) word.read_before = word.read;
        mine = {.when = now, .lanes = 1u << l, .instruction = logged.instruction};
      });
    }
    if (lanes == 0) return;
    if (traits.acquires) for_each_lane(lanes, acquire_all);
    report_lane_race(w, logged, lanes, other, both);
  };
  for_each_logged(log_of_turn_, end, patterns_, code_.load_groups, touch, [&](const AccessLogEntry& entry) {
    const std::uint32_t now = order.advance();
    if (entry.stride == kLandedLog) land(entry.first, entry.mask);
    if (entry.stride == kPartLog) is_order_known = false;
    if (entry.stride == kAcquireLog) for_each_lane(entry.mask, acquire_all);
    if (entry.stride == kCrossLog) crossings.push_back({now, entry.instruction, entry.mask});
    if (entry.stride != kOrderLog) return;
    if (entry.first == 0) return order.order(entry.mask);
    order.order_all();
    is_order_known = true;
  });
}

void BlockRunner::report_lane_race(std::uint32_t w, const Logged& logged, std::uint32_t lanes,
                                   const LaneWord::Touch& other, std::uint32_t both) {
  const ptx::Instruction &here = code_.function.instructions[logged.instruction],
                         &there = code_.function.instructions[other.instruction];
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  Finding finding = make_race(FindingKind::lane_race, w, lanes,
                              found_access(logged, lanes, shared_access_traits_[logged.instruction].bytes),
                              {.instruction = other.instruction,
                               .block = block_,
                               .warp = w,
                               .lane = static_cast<std::uint32_t>(std::countr_zero(other.lanes)),
                               .address = as_recorded(Space::shared, both)});
  finding.text =
      fmt::format(finding_texts::kLaneRace, "op"_a = name_of(*access_op(here)),
                  "bytes"_a = shared_access_traits_[logged.instruction].bytes,
                  "address"_a = fmt::format("0x{:x}", as_recorded(Space::shared, logged.first_byte[lane])),
                  "lane"_a = lane, "warp"_a = w, "other_op"_a = name_of(*access_op(there)),
                  "line"_a = finding.other_line, "other_lane"_a = std::countr_zero(other.lanes));
  findings.add(linear_, std::move(finding));
}

}  // namespace warplens::replay
