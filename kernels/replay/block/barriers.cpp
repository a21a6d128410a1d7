// Barriers of a block. PTX ISA, "bar, barrier": a warp arrives as a whole, and arrivals at one number count,
// wherever in the code they are made: warps that wait at different instructions meet. Where no number of
// threads is given, or the whole block's, it waits for all that have not exited.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "kernels/ptx/opcodes.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/block/cluster.h"

namespace warplens::replay {
namespace {

Head& head_at(const WarpState& warp, std::uint32_t offset) {
  return *reinterpret_cast<Head*>(warp.registers + offset);
}

std::uint32_t first_lane_value(const WarpState& warp, std::uint32_t offset) {
  const Head& head = head_at(warp, offset);
  const int lane = std::countr_zero(warp.active);
  if (head.form == Form::vector) return static_cast<const std::uint32_t*>(head.lanes)[lane];
  return static_cast<std::uint32_t>(head.base + static_cast<std::uint64_t>(lane * head.stride));
}

}  // namespace

void BlockRunner::arrive(std::uint32_t w) {
  WarpState& warp = warps_[w];
  const Instr& i = *machine_.ended.at;
  if (ptx::effect_of(code_.function.instructions[i.index]) == ptx::Effect::cluster_barrier)
    return arrive_in_cluster(w);
  const auto mode = static_cast<ptx::BarrierMode>(i.detail);
  const std::uint32_t missing = warp.alive & ~machine_.ended.mask;
  if (missing != 0 && run_others_first(w)) return;
  end_interval(w);
  if (missing != 0) return report_partial_barrier(w, missing);

  const std::uint32_t id = first_lane_value(warp, i.a) % kBarriers;
  const std::uint32_t threads = i.b == 0xffffffffu ? 0 : first_lane_value(warp, i.b);
  Barrier& barrier = barriers_[id];
  barrier.expected = threads / kWarpSize + (threads % kWarpSize != 0 ? 1 : 0);
  barrier.block_wide = threads == 0 || barrier.expected >= job_.warps;
  ++barrier.arrivals;
  note(SyncKind::barrier_arrive, i.index, w, id, 0);
  barrier.here |= 1u << w;
  if (Order* const order = order_of_warps()) order->release(w, as_raced_.met.at(id));
  if (mode >= ptx::BarrierMode::red_popc) {
    const auto flip = (i.flags & kSecondNegated) != 0 ? 0xffffffffu : 0u;
    const std::uint32_t holds = (static_cast<std::uint32_t>(head_at(warp, i.c).base) ^ flip) & warp.active;
    barrier.count += static_cast<unsigned>(std::popcount(holds));
    barrier.threads += static_cast<unsigned>(std::popcount(warp.active));
  }
  if (mode != ptx::BarrierMode::arrive) {
    warp.status = WarpStatus::waiting;
    warp.waits_at = &i;
    warp.waits_on = id;
    warp.phase = phase_after(warp.phase);
    barrier.waiting.push_back(w);
  }
  if (mode == ptx::BarrierMode::arrive || !barrier.block_wide) races_unknown_ = true;
  try_release(id);
}

// Lanes of the other side of a branch may be about to exit, and then nobody is missing at the barrier: they
// run first, once.
bool BlockRunner::run_others_first(std::uint32_t w) {
  WarpState& warp = warps_[w];
  if (warp.depth == 0 || warp.alive_at_barrier == warp.alive || warp.active != machine_.ended.mask)
    return false;
  Suspended& other = warp.stack[warp.depth - 1];
  const std::uint32_t mask = other.mask & warp.alive;
  if (other.join != warp.join || mask == 0 || (mask & warp.active) != 0) return false;
  warp.alive_at_barrier = warp.alive;
  // The barrier will be executed again.
  --warp.executed;
  --warp_instructions;
  --block_instructions_;
  thread_instructions -= static_cast<unsigned>(std::popcount(warp.active));
  const Instr* resume = other.pc;
  other = {machine_.ended.at, warp.join, warp.active};
  warp.active = mask;
  warp.resume = resume;
  return true;
}

void BlockRunner::try_release(std::uint32_t id) {
  Barrier& barrier = barriers_[id];
  const bool as_many_as_told = barrier.expected != 0 && barrier.arrivals >= barrier.expected;
  const bool all_that_can = barrier.block_wide && barrier.arrivals != 0 && (live_warps_ & ~barrier.here) == 0;
  if (!as_many_as_told && !all_that_can) return;
  for (const std::uint32_t w : barrier.waiting) {
    deliver(w, barrier);
    note(SyncKind::barrier_wait, warps_[w].waits_at->index, w, id, 0);
    warps_[w].status = WarpStatus::ready;
  }
  const bool everyone = barrier.waiting.size() == static_cast<std::size_t>(std::popcount(live_warps_));
  order_warps_at(id, everyone);
  barrier = {};
  if (everyone) {
    refresh_initialised();
    start_interval_for_all();
  }
}

/// barrier.cluster.arrive, barrier.cluster.wait. A warp has arrived when all its lanes have; it waits as a
/// whole.
void BlockRunner::arrive_in_cluster(std::uint32_t w) {
  WarpState& warp = warps_[w];
  const Instr& i = *machine_.ended.at;
  end_interval(w);
  races_unknown_ = true;
  if (static_cast<ptx::BarrierMode>(i.detail) == ptx::BarrierMode::arrive) {
    warp.arrived_in_cluster |= machine_.ended.mask;
    if ((warp.alive & ~warp.arrived_in_cluster) == 0) cluster_barrier_.here |= 1u << w;
    return try_release_cluster();
  }
  warp.phase = phase_after(warp.phase);
  if (warp.cluster_phases++ < cluster_barrier_.phases) return;
  warp.status = WarpStatus::waiting;
  warp.waits_at = &i;
  warp.waits_on = kBarriers;
  cluster_barrier_.waiting.push_back(w);
}

/// Those that have exited have arrived.
bool BlockRunner::has_arrived_in_cluster() const {
  return (live_warps_ & ~cluster_barrier_.here) == 0;
}

void BlockRunner::try_release_cluster() {
  if (cluster_ == nullptr) {
    if (cluster_barrier_.here != 0 && has_arrived_in_cluster()) release_in_cluster();
    return;
  }
  const auto arrived = [](const BlockRunner* block) { return block->has_arrived_in_cluster(); };
  const auto came = [](const BlockRunner* block) { return block->cluster_barrier_.here != 0; };
  if (!std::ranges::all_of(cluster_->blocks(), arrived) || std::ranges::none_of(cluster_->blocks(), came))
    return;
  for (BlockRunner* const block : cluster_->blocks()) block->release_in_cluster();
  cluster_->note_change();
}

void BlockRunner::release_in_cluster() {
  ++cluster_barrier_.phases;
  cluster_barrier_.here = 0;
  for (WarpState& warp : warps_) warp.arrived_in_cluster = 0;
  for (const std::uint32_t w : cluster_barrier_.waiting) warps_[w].status = WarpStatus::ready;
  const bool everyone =
      cluster_barrier_.waiting.size() == static_cast<std::size_t>(std::popcount(live_warps_));
  cluster_barrier_.waiting.clear();
  if (Order* const order = order_of_warps()) order->order_all();
  if (!everyone) return;
  refresh_initialised();
  start_interval_for_all();
}

/// Warps that have exited count as if they had arrived at barriers of the whole block.
void BlockRunner::order_warps_at(std::uint32_t id, bool everyone) {
  Order* const order = order_of_warps();
  if (order == nullptr) return;
  const Order::Clock met = std::exchange(as_raced_.met.at(id), {});
  if (everyone) return order->order_all();
  const Barrier& barrier = barriers_[id];
  for (const std::uint32_t w : barrier.waiting) {
    order->acquire(w, met);
    for (std::uint32_t other = 0; barrier.block_wide && other < job_.warps; ++other) {
      if ((live_warps_ >> other & 1) == 0) order->acquire(w, other, order->now());
    }
  }
}

void BlockRunner::deliver(std::uint32_t w, const Barrier& barrier) {
  WarpState& warp = warps_[w];
  const Instr& i = *warp.waits_at;
  const auto mode = static_cast<ptx::BarrierMode>(i.detail);
  if (mode < ptx::BarrierMode::red_popc) return;
  Head& head = head_at(warp, i.d);
  const bool holds =
      mode == ptx::BarrierMode::red_and ? barrier.count == barrier.threads : barrier.count != 0;
  head.form = Form::uniform;
  head.stride = 0;
  head.base = mode == ptx::BarrierMode::red_popc ? barrier.count
              : i.register_bytes == 1            ? (holds ? 0xffffffffu : 0u)
                                                 : static_cast<unsigned>(holds);
}

void BlockRunner::on_exit() {
  for (std::uint32_t id = 0; id < kBarriers; ++id) {
    if (live_warps_ != 0) try_release(id);
  }
  if (live_warps_ != 0 || cluster_ != nullptr) try_release_cluster();
}

Finding BlockRunner::make_finding(FindingKind kind, const ptx::Instruction& instruction, std::uint32_t w,
                                  std::uint32_t lanes) const {
  Finding finding;
  finding.kind = kind;
  finding.file = instruction.location.outer_file;
  finding.line = instruction.location.own_line;
  finding.block = block_;
  finding.warp = w;
  finding.lanes = lanes;
  return finding;
}

FoundAccess BlockRunner::found_access(std::uint32_t instruction, Space space, std::uint8_t bytes,
                                      std::uint32_t tried) const {
  return {.instruction = instruction,
          .space = space,
          .op = *access_op(code_.function.instructions[instruction]),
          .bytes = bytes,
          .phase = machine_.phase.number,
          .tried = tried,
          .addresses = {}};
}

Finding BlockRunner::make_race(FindingKind kind, std::uint32_t w, std::uint32_t lanes, FoundAccess access,
                               OtherAccess other) const {
  const ptx::Instruction& there = code_.function.instructions[other.instruction];
  Finding finding = make_finding(kind, code_.function.instructions[access.instruction], w, lanes);
  finding.other_line = there.location.own_line;
  finding.access = std::move(access);
  other.op = *access_op(there);
  finding.other = other;
  return finding;
}

void BlockRunner::report_partial_barrier(std::uint32_t w, std::uint32_t missing) {
  const ptx::Instruction& instruction = code_.function.instructions[machine_.ended.at->index];
  Finding finding = make_finding(FindingKind::barrier_divergence, instruction, w, missing);
  finding.text = fmt::format(finding_texts::kPartOfWarp, "lanes"_a = name_lanes(machine_.ended.mask),
                             "warp"_a = w, "missing"_a = name_lanes(missing));
  findings.add(linear_, std::move(finding));
  ended_ = true;
}

void BlockRunner::report_deadlock() {
  ended_ = true;
  const WarpState* first = nullptr;
  for (std::uint32_t w = 0; w < job_.warps; ++w) {
    const WarpState& warp = warps_[w];
    if (warp.status != WarpStatus::waiting) continue;
    if (first == nullptr) first = &warp;
    const bool last = w + 1 == job_.warps;
    if (warp.waits_on == first->waits_on && !last) continue;
    const ptx::Instruction& here = code_.function.instructions[warp.waits_at->index];
    Finding finding = make_finding(FindingKind::barrier_divergence, here, w, warp.alive);
    const ptx::Instruction& there = code_.function.instructions[first->waits_at->index];
    if (there.location.own_line != here.location.own_line) finding.other_line = there.location.own_line;
    finding.text = fmt::format(finding_texts::kWaitsForOthers, "warp"_a = w, "barrier"_a = warp.waits_on);
    return findings.add(linear_, std::move(finding));
  }
  if (first == nullptr) return;
  const ptx::Instruction& here = code_.function.instructions[first->waits_at->index];
  Finding finding = make_finding(FindingKind::barrier_divergence, here,
                                 static_cast<std::uint32_t>(first - warps_.data()), first->alive);
  finding.text = fmt::format(finding_texts::kWaitForMore, "barrier"_a = first->waits_on);
  findings.add(linear_, std::move(finding));
}

}  // namespace warplens::replay
