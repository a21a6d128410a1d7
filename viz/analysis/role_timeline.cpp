#include "viz/analysis/role_timeline.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace warplens::analysis {
namespace {

StepKind kind_of(const Site& site) {
  const bool is_write = writes(site.op, site.space);
  if (site.space == Space::shared) return is_write ? StepKind::write_shared : StepKind::read_shared;
  return is_write ? StepKind::store : StepKind::load;
}

bool is_bulk_copy(AccessOp op) {
  return is_of_pieces(op) && op != AccessOp::wgmma;
}

/// A warp's clock, and what it has done so far.
class WarpClock {
 public:
  WarpClock(const Recording& recording, std::uint32_t event_block, std::uint32_t warp)
      : recording_(recording), events_(events_of_warp(recording, event_block, warp)) {
    line_.warp = warp;
  }

  [[nodiscard]] std::uint32_t now() const { return now_; }
  [[nodiscard]] WarpLine& line() { return line_; }
  [[nodiscard]] const std::set<std::uint32_t>& instructions() const { return instructions_; }

  /// Makes the accesses before that order. What a copy or wgmma accesses belongs to its own step.
  void advance(std::uint32_t order) {
    for (; next_ < order && events_.begin + next_ < events_.end; ++next_) {
      const Site& site = recording_.sites[recording_.events.site[events_.begin + next_]];
      instructions_.insert(site.instruction);
      const bool is_of_step = is_of_pieces(site.op) && in_step_ == site.instruction;
      if (!is_of_step)
        add(is_bulk_copy(site.op)        ? StepKind::copy
            : site.op == AccessOp::wgmma ? StepKind::multiply
                                         : kind_of(site));
      in_step_ = is_of_pieces(site.op) ? std::optional(site.instruction) : std::nullopt;
      line_.step_of_order.push_back(now_ - 1);
      ++line_.spans.back().orders;
    }
  }
  void advance_to_end() { advance(static_cast<std::uint32_t>(events_.size())); }
  /// A step of an instruction whose accesses, if there are any, follow.
  void begin_step(StepKind kind, std::uint32_t instruction) {
    instructions_.insert(instruction);
    add(kind);
    in_step_ = instruction;
  }
  /// The same where its accesses have been made already.
  void end_step(StepKind kind, std::uint32_t instruction) {
    if (in_step_ != instruction) begin_step(kind, instruction);
    in_step_.reset();
  }
  void wait_until(std::uint32_t step, std::uint32_t instruction, std::optional<std::uint32_t> mbarrier,
                  std::uint32_t phase) {
    if (mbarrier) instructions_.insert(instruction);
    in_step_.reset();
    if (step <= now_) return;
    line_.spans.push_back({StepKind::wait, now_, step, next_, 0, mbarrier, phase});
    now_ = step;
  }
  void note_instruction(std::uint32_t instruction) { instructions_.insert(instruction); }

 private:
  void add(StepKind kind) {
    if (line_.spans.empty() || line_.spans.back().kind != kind || line_.spans.back().end != now_)
      line_.spans.push_back({.kind = kind, .begin = now_, .end = now_, .first_order = next_});
    line_.spans.back().end = ++now_;
  }

  const Recording& recording_;
  EventRange events_;
  WarpLine line_;
  std::set<std::uint32_t> instructions_;  ///< Those that tell its role
  std::uint32_t now_ = 0, next_ = 0;
  std::optional<std::uint32_t> in_step_;  ///< The instruction of copies or wgmma whose accesses follow
};

/// An mbarrier while the block is followed.
struct MbarrierClock {
  std::uint32_t now = 0;  ///< Latest of what was done for the phase
  std::uint64_t arrivals = 0, bytes = 0, from_others = 0;
  MbarrierLine line;
  std::vector<std::size_t> open;  ///< Flights that nobody has waited for yet
};

std::vector<BytesFrom> bytes_of(const std::vector<Flight>& flights) {
  std::map<std::uint32_t, std::int64_t> changes;
  for (const Flight& flight : flights) {
    changes[flight.begin] += static_cast<std::int64_t>(flight.bytes);
    changes[flight.end] -= static_cast<std::int64_t>(flight.bytes);
  }
  std::vector<BytesFrom> bytes;
  std::int64_t now = 0;
  for (const auto& [step, change] : changes)
    bytes.push_back({step, static_cast<std::uint64_t>(now += change)});
  return bytes;
}

class Follower {
 public:
  Follower(const Recording& recording, std::uint32_t event_block) {
    for (std::uint32_t w = 0; w < recording.warps_per_block(); ++w)
      warps_.emplace_back(recording, event_block, w);
  }

  void follow(const Sync& sync) {
    WarpClock* warp = nullptr;
    if (sync.kind != SyncKind::phase_end && sync.kind != SyncKind::complete && sync.warp < warps_.size()) {
      warp = &warps_[sync.warp];
      warp->advance(sync.order);
    }
    switch (sync.kind) {
      case SyncKind::barrier_arrive:
        if (warp != nullptr) barriers_[sync.object] = std::max(barriers_[sync.object], warp->now());
        break;
      case SyncKind::barrier_wait:
        if (warp != nullptr) warp->wait_until(barriers_[sync.object], sync.instruction, {}, 0);
        break;
      case SyncKind::multiply:
        if (warp != nullptr) warp->begin_step(StepKind::multiply, sync.instruction);
        break;
      case SyncKind::issue: issue(sync, warp); break;
      case SyncKind::arrive:
      case SyncKind::expect: contribute(sync, warp); break;
      case SyncKind::phase_end: end_phase(sync); break;
      case SyncKind::wait: wait(sync, warp); break;
      case SyncKind::complete: break;  // With what issued it
    }
  }

  RoleTimeline take() {
    RoleTimeline timeline;
    for (WarpClock& warp : warps_) {
      warp.advance_to_end();
      timeline.steps = std::max(timeline.steps, warp.now());
    }
    for (Flight& flight : flights_) {
      if (flight.end == 0) flight.end = timeline.steps;  // Nobody has waited for it
    }
    timeline.flights = std::move(flights_);
    timeline.in_flight = bytes_of(timeline.flights);
    for (const BytesFrom& from : timeline.in_flight)
      timeline.most_in_flight = std::max(timeline.most_in_flight, from.bytes);
    for (auto& [address, mbarrier] : mbarriers_) timeline.mbarriers.push_back(std::move(mbarrier.line));
    timeline.roles = roles();
    return timeline;
  }

 private:
  MbarrierClock& mbarrier(const Sync& sync) {
    MbarrierClock& clock = mbarriers_[sync.object];
    clock.line.address = sync.object;
    return clock;
  }
  /// Another block's part has no step on this block's clock.
  void contribute(const Sync& sync, WarpClock* warp) {
    MbarrierClock& clock = mbarrier(sync);
    (sync.kind == SyncKind::arrive ? clock.arrivals : clock.bytes) += sync.count;
    if (warp == nullptr) {
      if (sync.kind == SyncKind::arrive) clock.from_others += sync.count;
      return;
    }
    warp->note_instruction(sync.instruction);
    clock.now = std::max(clock.now, warp->now());
  }
  void issue(const Sync& sync, WarpClock* warp) {
    MbarrierClock& clock = mbarrier(sync);
    std::uint32_t begin = clock.now;
    if (warp != nullptr) {
      warp->end_step(StepKind::copy, sync.instruction);
      clock.now = std::max(clock.now, warp->now());
      begin = warp->now() - 1;
    }
    clock.open.push_back(flights_.size());
    flights_.push_back({.begin = begin, .bytes = sync.count, .mbarrier = sync.object, .phase = sync.phase});
  }
  void end_phase(const Sync& sync) {
    MbarrierClock& clock = mbarrier(sync);
    const std::uint32_t begin = clock.line.phases.empty() ? 0 : clock.line.phases.back().end;
    clock.line.phases.push_back(
        {sync.phase, begin, std::max(begin, clock.now), clock.arrivals, clock.bytes, clock.from_others});
    clock.arrivals = clock.bytes = clock.from_others = 0;
  }
  void wait(const Sync& sync, WarpClock* warp) {
    if (warp == nullptr) return;
    MbarrierClock& clock = mbarrier(sync);
    const auto& phases = clock.line.phases;
    const std::uint32_t end = sync.phase < phases.size() ? phases[sync.phase].end : 0;
    warp->wait_until(end, sync.instruction, sync.object, sync.phase);
    std::erase_if(clock.open, [&](std::size_t index) {
      Flight& flight = flights_[index];
      if (flight.phase > sync.phase) return false;
      flight.end = std::max(warp->now(), 1u);
      // That of another block's copy is not known.
      flight.begin = std::min(flight.begin, flight.end - 1);
      return true;
    });
  }

  /// Warps whose instructions are among those of another one have its role.
  std::vector<Role> roles() {
    std::vector<WarpClock*> by_size;
    for (WarpClock& warp : warps_) by_size.push_back(&warp);
    std::ranges::stable_sort(by_size, std::ranges::greater{},
                             [](const WarpClock* warp) { return warp->instructions().size(); });
    std::vector<std::pair<const std::set<std::uint32_t>*, std::vector<WarpClock*>>> groups;
    for (WarpClock* const warp : by_size) {
      const auto group = std::ranges::find_if(groups, [&](const auto& one) {
        const bool both_idle = one.first->empty() && warp->instructions().empty();
        return both_idle ||
               (!warp->instructions().empty() && std::ranges::includes(*one.first, warp->instructions()));
      });
      if (group != groups.end()) {
        group->second.push_back(warp);
      } else {
        groups.push_back({&warp->instructions(), {warp}});
      }
    }
    std::vector<Role> roles;
    for (auto& [instructions, warps] : groups) {
      std::ranges::sort(warps, {}, [](WarpClock* warp) { return warp->line().warp; });
      Role& role = roles.emplace_back();
      for (WarpClock* const warp : warps) {
        for (const StepSpan& span : warp->line().spans)
          role.steps.at(static_cast<std::size_t>(span.kind)) += span.end - span.begin;
        role.warps.push_back(std::move(warp->line()));
      }
    }
    std::ranges::sort(roles, {}, [](const Role& role) { return role.warps.front().warp; });
    return roles;
  }

  std::vector<WarpClock> warps_;
  std::map<std::uint32_t, MbarrierClock> mbarriers_;
  std::map<std::uint32_t, std::uint32_t> barriers_;
  std::vector<Flight> flights_;
};

}  // namespace

const WarpLine* RoleTimeline::line_of(std::uint32_t warp) const {
  for (const Role& role : roles) {
    for (const WarpLine& line : role.warps) {
      if (line.warp == warp) return &line;
    }
  }
  return nullptr;
}

std::uint32_t RoleTimeline::step_of(const Recording& recording, std::size_t event) const {
  const WarpLine* const line = line_of(recording.events.warp[event]);
  if (line == nullptr || line->step_of_order.empty()) return 0;
  const std::size_t order = recording.events.order[event];
  return line->step_of_order[std::min(order, line->step_of_order.size() - 1)];
}

std::uint64_t RoleTimeline::bytes_in_flight(std::uint32_t step) const {
  const auto after = std::ranges::upper_bound(in_flight, step, {}, &BytesFrom::step);
  return after == in_flight.begin() ? 0 : std::prev(after)->bytes;
}

std::shared_ptr<const RoleTimeline> TimelineKeeper::at(const Recording& recording, std::uint32_t event_block,
                                                       const std::shared_ptr<const BlockDetails>& details) {
  const std::lock_guard lock(mutex_);
  if (!timeline_ || details_ != details)
    timeline_ = std::make_shared<const RoleTimeline>(role_timeline(recording, event_block, *details));
  details_ = details;
  return timeline_;
}

RoleTimeline role_timeline(const Recording& recording, std::uint32_t event_block,
                           const BlockDetails& details) {
  Follower follower(recording, event_block);
  for (const Sync& sync : details.syncs) follower.follow(sync);
  return follower.take();
}

}  // namespace warplens::analysis
