// Blocks that come to a standstill: all that such a block holds, and all of memory, is as it was before.
// Whatever it does from there on it has done already, so only another block can end that. Nothing less is
// taken for it: a loop that counts, or reads a clock, goes on.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "kernels/base/texts.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/core/mbarrier_object.h"

namespace warplens::replay {
namespace {

/// Reading more than that takes longer than anybody waits; then nothing is proved.
constexpr std::uint64_t kMaxMemory = std::uint64_t{1} << 33;
/// Backward branches of a warp in which a standstill comes round again, or its loops are known well enough.
constexpr int kMaxSteps = 4096;

/// Two hashes at once: by 128 bits, no two states are taken for one.
class Mixer {
 public:
  void add(std::uint64_t value) {
    hash_.a = (std::rotl(hash_.a, 23) ^ value) * 0x9e3779b97f4a7c15u;
    hash_.b = (std::rotl(hash_.b, 31) + value) * 0xc2b2ae3d27d4eb4fu;
  }
  /// Mixes in whole words, in four lanes that do not wait for each other.
  void add(const std::byte* data, std::uint64_t bytes) {
    Mixer lanes[4];
    std::uint64_t at = 0;
    for (; at + 32 <= bytes; at += 32) {
      for (std::uint64_t k = 0; k < 4; ++k) {
        std::uint64_t word = 0;
        std::memcpy(&word, data + at + 8 * k, sizeof word);
        lanes[k].add(word);
      }
    }
    std::uint64_t rest[4] = {};
    if (at < bytes) std::memcpy(rest, data + at, bytes - at);
    for (const std::uint64_t word : rest) add(word);
    for (const Mixer& lane : lanes) {
      add(lane.hash_.a);
      add(lane.hash_.b);
    }
  }
  [[nodiscard]] StateHash hash() const { return hash_; }

 private:
  StateHash hash_;
};

}  // namespace

StateHash BlockRunner::hash_warp(const WarpState& warp) const {
  Mixer mixer;
  const auto add_code = [&](const Instr* at) { mixer.add(reinterpret_cast<std::uintptr_t>(at)); };
  add_code(warp.resume);
  add_code(warp.join);
  mixer.add(std::uint64_t{warp.active} << 32 | warp.alive);
  for (std::uint32_t k = 0; k < warp.depth; ++k) {
    add_code(warp.stack[k].pc);
    add_code(warp.stack[k].join);
    mixer.add(warp.stack[k].mask);
  }
  for (std::size_t h = 0; h < code_.heads.size(); ++h) {
    const Head& head = *reinterpret_cast<const Head*>(warp.registers + h * sizeof(Head));
    mixer.add(static_cast<std::uint64_t>(head.form));
    if (head.form != Form::vector) {
      mixer.add(head.base);
      mixer.add(static_cast<std::uint64_t>(head.stride));
      continue;
    }
    mixer.add(static_cast<const std::byte*>(head.lanes),
              kWarpSize * (code_.heads[h].wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t)));
  }
  for (const CallFrame& call : warp.calls) {
    mixer.add(std::uint64_t{call.base} << 32 | call.lanes);
    mixer.add(call.registers.data(), call.registers.size());
  }
  mixer.add(warp.call_params_top);
  mixer.add(warp.local_top);
  return mixer.hash();
}

StateHash BlockRunner::hash_block() const {
  Mixer mixer;
  for (const WarpState& warp : warps_) {
    if (warp.status == WarpStatus::done) continue;
    const StateHash hash = hash_warp(warp);
    mixer.add(hash.a);
    mixer.add(hash.b);
  }
  mixer.add(shared_.data(), job_.shared_end);
  mixer.add(local_.data(), code_.lane_local_bytes * kWarpSize * job_.warps);
  mixer.add(call_params_.data(), code_.lane_call_param_bytes * kWarpSize * job_.warps);
  return mixer.hash();
}

StateHash BlockRunner::hash_memory() const {
  Mixer mixer;
  for (const Region& region : job_.regions) mixer.add(region.data, region.bytes);
  if (job_.heap == nullptr) return mixer.hash();
  mixer.add(job_.heap->data(), Heap::kBytes);
  for (const auto& [address, bytes] : job_.heap->free_ranges()) {
    mixer.add(address);
    mixer.add(bytes);
  }
  return mixer.hash();
}

bool BlockRunner::memory_can_be_hashed() const {
  std::uint64_t bytes = 0;
  for (const Region& region : job_.regions) bytes += region.bytes;
  return bytes <= kMaxMemory && job_.options.max_warp_instructions == 0;
}

// R. P. Brent, "An improved Monte Carlo factorization algorithm", 1980: a state is kept until twice as many
// have passed.
bool BlockRunner::has_come_back(const StateHash& state) {
  if (state != kept_.state) {
    if (++kept_.rounds < kept_.until) return false;
    kept_ = {.state = state, .until = 2 * kept_.until};
    return false;
  }
  kept_.rounds = 0;
  if (kept_.pause > 0) {
    --kept_.pause;
    return false;
  }
  if (!memory_can_be_hashed()) return false;
  const StateHash memory = hash_memory();
  if (kept_.memory == memory) return true;
  if (kept_.memory)
    kept_.pause = kept_.next_pause *= 2;  // It works in memory: that is not looked at again and again
  kept_.memory = memory;
  return false;
}

// Nothing else can end these waits: barriers release warps when others arrive, and all others wait, too.
bool BlockRunner::waits_at_mbarriers() {
  std::vector<Standing> standing(job_.warps);
  for (std::uint32_t w = 0; w < job_.warps; ++w) {
    const WarpState& warp = warps_[w];
    if (warp.status != WarpStatus::ready) continue;
    const std::optional<std::uint32_t> wait = mbarrier_wait_of(warp);
    if (!wait) return false;
    standing[w].lanes = warp.active;
    standing[w].wait = Wait{.instruction = *wait};
  }
  standing_ = std::move(standing);
  return true;
}

std::optional<Error> BlockRunner::after_idle_round() {
  if (polls_in_vain_ && waits_at_mbarriers()) {
    report_waits(finding_texts::kWaitsInBlock);
    ended_ = true;
    return std::nullopt;
  }
  const StateHash state = hash_block();
  turn_ = state == kept_.latest ? kShortTurn : turn_of_block_;
  const bool back = has_come_back(state);
  kept_.latest = state;
  return back ? stand_still() : std::nullopt;
}

/// What the warps do while the block stands still: they go on branch by branch until it comes round again.
std::optional<Error> BlockRunner::stand_still() {
  std::vector<std::set<std::uint32_t>> headers(job_.warps);
  if (reads_clock_in_loops(code_)) return std::nullopt;
  standing_.assign(job_.warps, {});
  standing_memory_ = hash_memory();
  turn_ = 1;
  const StateHash start = hash_block();
  for (int step = 0; step == 0 || (step < kMaxSteps && hash_block() != start); ++step) {
    for (std::uint32_t w = 0; w < job_.warps; ++w) {
      WarpState& warp = warps_[w];
      if (warp.status != WarpStatus::ready) continue;
      headers[w].insert(code_.flow.block_of[warp.resume->index]);
      standing_[w].lanes |= warp.active;
      standing_[w].states.insert(hash_warp(warp));
      if (auto error = run_turn(w)) return error;
      if (warp.status != WarpStatus::ready)
        return std::nullopt;  // Another thread's block has changed something
    }
  }
  turn_ = kShortTurn;
  bool for_others = false;
  for (std::uint32_t w = 0; w < job_.warps; ++w) {
    if (headers[w].empty()) continue;
    const std::optional<Wait> wait = find_wait(code_, {headers[w].begin(), headers[w].end()});
    if (!wait) return endless_loop(w);
    standing_[w].wait = wait;
    for_others |= wait->for_others;
  }
  if (for_others) {
    waiting_ = true;
    std::vector<AccessLogEntry>().swap(
        log_);  // A megabyte, and what the interval's accesses were is not asked for any more
    return std::nullopt;
  }
  report_waits(finding_texts::kWaitsInBlock);
  ended_ = true;
  return std::nullopt;
}

Error BlockRunner::endless_loop(std::uint32_t w) const {
  const ptx::Instruction& i = code_.function.instructions[warps_[w].resume->index];
  return {
      tr("warp {warp} of block {x},{y},{z} of `{kernel}` is stuck in a loop that nothing ends", "warp"_a = w,
         "x"_a = block_.x, "y"_a = block_.y, "z"_a = block_.z, "kernel"_a = code_.function.plain_name),
      place_of(i),
      tr("Everything is as it was some iterations before, and no memory is waited for: look at what should "
         "end it.")};
}

/// Lanes that wait for this warp's active ones to come along, and would change what those wait for: where.
std::optional<Suspended> BlockRunner::own_lanes_would_end(std::uint32_t w) const {
  const WarpState& warp = warps_[w];
  for (std::uint32_t k = warp.depth; k-- > 0;) {
    const Suspended& other = warp.stack[k];
    const std::uint32_t lanes = other.mask & warp.alive & ~warp.active;
    if (lanes != 0 && may_end_wait(code_, *standing_[w].wait, other.pc->index))
      return Suspended{other.pc, other.join, lanes};
  }
  return std::nullopt;
}

/// Reports the waits. Where lanes wait for others of their own warp, the rest of the block waits in
/// consequence.
void BlockRunner::report_waits(const char* text) {
  std::vector<std::optional<Suspended>> others(job_.warps);
  for (std::uint32_t w = 0; w < job_.warps; ++w) {
    if (standing_[w].wait) others[w] = own_lanes_would_end(w);
  }
  const bool of_own_lanes = std::ranges::any_of(others, [](const auto& other) { return other.has_value(); });
  for (std::uint32_t w = 0; w < job_.warps; ++w) {
    const Standing& standing = standing_[w];
    if (!standing.wait || (of_own_lanes && !others[w])) continue;
    Finding finding = make_finding(
        FindingKind::deadlock, code_.function.instructions[standing.wait->instruction], w, standing.lanes);
    if (others[w]) {
      finding.other_line = code_.function.instructions[others[w]->pc->index].location.own_line;
      finding.text =
          fmt::format(finding_texts::kWaitsForLanes, "lanes"_a = name_lanes(standing.lanes), "warp"_a = w,
                      "others"_a = name_lanes(others[w]->mask), "line"_a = finding.other_line);
    } else if (const auto object = mbarriers_.find(warps_[w].mbarrier);
               object != mbarriers_.end() &&
               ptx::is_mbarrier_wait(code_.function.instructions[standing.wait->instruction])) {
      const MbarrierObject now = MbarrierObject::of(object->second.bits);
      finding.text =
          fmt::format(finding_texts::kWaitsAtMbarrier, "lanes"_a = name_lanes(standing.lanes), "warp"_a = w,
                      "address"_a = fmt::format("0x{:x}", as_recorded(Space::shared, warps_[w].mbarrier)),
                      "pending"_a = now.pending, "expected"_a = now.expected, "bytes"_a = now.bytes);
    } else {
      finding.text = fmt::format(fmt::runtime(text), "lanes"_a = name_lanes(standing.lanes), "warp"_a = w);
    }
    findings.add(linear_, std::move(finding));
  }
}

std::uint64_t BlockRunner::bytes_kept() const {
  const std::uint64_t a_lane = code_.lane_local_bytes + code_.lane_call_param_bytes,
                      a_warp = code_.register_file_bytes + a_lane * kWarpSize;
  return job_.warps * a_warp + job_.shared_end + shadow_words_ * 8 * kShadowBitmaps +
         (code_.sites.size() + code_.load_groups.size()) * 2 * sizeof(ShapeCounter);
}

void BlockRunner::make_log() {
  log_.resize(kLogEntries);
  machine_.log.end = log_.data() + (kLogEntries - kIrregularLogEntries);
  make_room_in_log();
}

void BlockRunner::end_waiting(bool later_ones_begin) {
  if (!job_.ended)
    report_waits(later_ones_begin ? finding_texts::kWaitsForBlocks : finding_texts::kWaitsForLaterBlocks);
  ended_ = true;
  waiting_ = false;
  make_log();
  end_block();
}

std::optional<Error> BlockRunner::resume_block(bool& progressed) {
  const std::vector<Standing> before = std::move(standing_);
  const StateHash memory = standing_memory_;
  standing_.clear();
  waiting_ = false;
  kept_ = {};
  make_log();
  if (auto error = run_rounds()) return error;
  progressed = !waiting_ || standing_memory_ != memory ||
               !std::ranges::equal(before, standing_, {}, &Standing::states, &Standing::states);
  if (!waiting_) end_block();
  return std::nullopt;
}

}  // namespace warplens::replay
