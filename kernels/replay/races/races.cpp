// Races in shared memory: two accesses of one byte by different warps between two barriers, one of them a
// plain store. Whether there is one is decided on bitmaps (SharedShadow); who it was is then read out of the
// log of the interval's accesses.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "kernels/ptx/opcodes.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/races/access_log.h"

namespace warplens::replay {
namespace {

enum class Touch { read, write, strong };

bool conflict(Touch a, Touch b) {
  return a != b ? true : a == Touch::write;
}

Touch touch_of(const ptx::Instruction& instruction) {
  if (ptx::is_atomic(instruction) || is_strong(instruction)) return Touch::strong;
  return ptx::may_write(instruction, ptx::StateSpace::shared) ? Touch::write : Touch::read;
}

bool is_copy(const ptx::Instruction& instruction) {
  return ptx::effect_of(instruction) == ptx::Effect::copy;
}

}  // namespace

const char* access_in_words(const ptx::Instruction& instruction) {
  if (is_copy(instruction)) return "asynchronous copy";
  if (ptx::is_bulk_copy(instruction)) return "bulk copy";
  if (ptx::effect_of(instruction) == ptx::Effect::warpgroup_product) return "wgmma";
  const Touch touch = touch_of(instruction);
  return touch == Touch::read ? "load" : touch == Touch::write ? "store" : "atomic";
}

/// What the warps have accessed in this interval.
void BlockRunner::forget_others() {
  const std::uint64_t words = std::uint64_t{1} << (machine_.shadow.dirty_shift - 6);
  for (std::uint64_t dirty = machine_.shadow.others_dirty; dirty != 0; dirty &= dirty - 1) {
    const std::uint64_t from = static_cast<std::uint64_t>(std::countr_zero(dirty)) * words;
    for (std::uint64_t* others : {others_read_, others_written_, others_strong_})
      std::fill_n(others + from, words, 0);
  }
  machine_.shadow.others_dirty = machine_.shadow.others_dirty_written = 0;
}

void BlockRunner::start_interval_for_all() {
  forget_others();
  std::fill(log_start_.begin(), log_start_.end(), nullptr);
  std::fill(log_stop_.begin(), log_stop_.end(), nullptr);
  machine_.log.next = log_.data();
  races_unknown_ = interval_is_cut_ = false;
}

void BlockRunner::end_interval(std::uint32_t w) {
  check_shared_accesses();
  if (machine_.shadow.dirty == 0) return;
  find_lane_races(w);
  merge_copies();
  if (!races_unknown_ && code_.core->conflicts(machine_, others_read_, others_written_, others_strong_)) {
    if (interval_is_cut_) {
      may_have_findings_ = true;
    } else {
      find_racers(w);
    }
  }
  if (unfenced_ != nullptr) unfenced_->end_turn(w, machine_.shadow.written);
  code_.core->merge_shadow(machine_, others_read_, others_written_, others_strong_);
  // Nothing is compared any more: neither do values stored twice decide on anything.
  if (races_unknown_) forget_others();
}

/// A warp stops in the middle of an interval. What it does behind that is compared with all that anybody has
/// done before, itself included: so where nothing conflicts there is no race, of warps or of lanes; where
/// something does there may be one.
void BlockRunner::cut_interval(std::uint32_t w) {
  if (machine_.shadow.dirty == 0) return;
  interval_is_cut_ = true;
  end_interval(w);
}

/// Of shared memory, in this interval.
void BlockRunner::suppose_all_read() {
  std::fill_n(others_read_, shadow_words_, ~std::uint64_t{0});
  machine_.shadow.others_dirty = ~std::uint64_t{0};
  interval_is_cut_ = true;
}

FoundAccess BlockRunner::found_access(const Logged& logged, std::uint32_t lanes, std::uint32_t bytes) const {
  FoundAccess access =
      found_access(logged.instruction, Space::shared, static_cast<std::uint8_t>(bytes), logged.mask);
  for_each_lane(lanes, [&](std::uint32_t l) {
    access.addresses.push_back(as_recorded(Space::shared, logged.first_byte[l]));
  });
  return access;
}

// For each byte of shared memory that matters, the last access of another warp by kind; then this warp's
// accesses against them.
void BlockRunner::find_racers(std::uint32_t w) {
  struct Last {
    std::uint32_t instruction = 0, warp = 0, lane = 0;
  };
  std::array<std::vector<std::optional<Last>>, 3> last;
  for (auto& kind : last) kind.resize(job_.shared_end);
  for (std::uint32_t other = 0; other < job_.warps; ++other) {
    if (other == w) continue;
    for_each_access(log_start_[other], log_stop_[other], patterns_, code_.load_groups,
                    [&](const Logged& logged) {
                      const ptx::Instruction& instruction = code_.function.instructions[logged.instruction];
                      auto& kind = last[static_cast<std::size_t>(touch_of(instruction))];
                      const auto bytes = accessed_bytes(instruction);
                      for (std::uint32_t l = 0; l < kWarpSize; ++l) {
                        for (std::uint32_t b = 0; (logged.mask >> l & 1) != 0 && b < bytes; ++b)
                          kind[logged.first_byte[l] + b] = Last{logged.instruction, other, l};
                      }
                    });
  }
  for_each_access(log_start_[w], log_stop_[w], patterns_, code_.load_groups, [&](const Logged& logged) {
    const ptx::Instruction& instruction = code_.function.instructions[logged.instruction];
    const Touch touch = touch_of(instruction);
    const auto bytes = accessed_bytes(instruction);
    for (const Touch other_touch : {Touch::write, Touch::read, Touch::strong}) {
      if (!conflict(touch, other_touch)) continue;
      std::uint32_t lanes = 0;
      std::optional<Last> racer;
      std::uint32_t place = 0, both = 0;
      for (std::uint32_t l = 0; l < kWarpSize; ++l) {
        for (std::uint32_t b = 0; (logged.mask >> l & 1) != 0 && b < bytes; ++b) {
          const auto& other = last[static_cast<std::size_t>(other_touch)][logged.first_byte[l] + b];
          if (!other) continue;
          lanes |= 1u << l;
          if (!racer) place = logged.first_byte[l], both = logged.first_byte[l] + b;
          if (!racer) racer = other;
        }
      }
      if (!racer) continue;
      const ptx::Instruction& earlier = code_.function.instructions[racer->instruction];
      Finding finding = make_race(FindingKind::race, w, lanes, found_access(logged, lanes, bytes),
                                  {.instruction = racer->instruction,
                                   .block = block_,
                                   .warp = racer->warp,
                                   .lane = racer->lane,
                                   .address = as_recorded(Space::shared, both)});
      const bool of_copy = is_copy(instruction) || is_copy(earlier);
      finding.text =
          fmt::format(fmt::runtime(of_copy ? finding_texts::kCopyRace : finding_texts::kRace),
                      "op"_a = access_in_words(instruction), "bytes"_a = bytes,
                      "address"_a = fmt::format("0x{:x}", as_recorded(Space::shared, place)), "warp"_a = w,
                      "other_op"_a = access_in_words(earlier), "line"_a = finding.other_line,
                      "other_warp"_a = racer->warp, "lane"_a = racer->lane);
      findings.add(linear_, std::move(finding));
    }
  });
}

}  // namespace warplens::replay
