#include "kernels/replay/races/block_watch.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "kernels/ptx/opcodes.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"

namespace warplens::replay {
namespace {

constexpr std::uint64_t kMaxRaceBytes = std::uint64_t{1} << 30;
/// Of one block at a time: what it does not touch takes no memory.
constexpr std::uint64_t kMaxAddresses = std::uint64_t{1} << 40;

const Instr* note_exposed(Machine& m, const Instr* i) {
  m.runner->note_exposed(*i);
  return m.runner->handler_of_exposed(*i)(m, i);
}

const Instr* watch_races(Machine& m, const Instr* i) {
  m.runner->watch_exposed(*i);
  const Instr* const next = m.runner->handler_of_exposed(*i)(m, i);
  m.runner->finish_exposed(*i);
  return next;
}

std::string in_words(Dim3 block) {
  return fmt::format("{},{},{}", block.x, block.y, block.z);
}

}  // namespace

std::string ElementNames::at(std::uint64_t byte_offset) const {
  const std::uint64_t element = byte_offset / element_bytes;
  return pitch != 0 ? fmt::format("{}[{}][{}]", name, element / pitch, element % pitch)
                    : fmt::format("{}[{}]", name, element);
}

void Footprint::add(std::uint32_t instruction, AccessKind kind, Run run) {
  std::vector<Run>& runs = by_instruction_[{instruction, kind}];
  if (!runs.empty() && runs.back().region == run.region &&
      runs.back().address + runs.back().bytes == run.address) {
    runs.back().bytes += run.bytes;
  } else {
    runs.push_back(run);
  }
}

namespace {

void join(std::vector<Footprint::Run>& runs) {
  std::ranges::sort(runs, {}, &Footprint::Run::address);
  std::vector<Footprint::Run> joined;
  for (const Footprint::Run& run : runs) {
    if (!joined.empty() && joined.back().region == run.region &&
        run.address <= joined.back().address + joined.back().bytes) {
      joined.back().bytes = std::max(joined.back().bytes, run.address + run.bytes - joined.back().address);
    } else {
      joined.push_back(run);
    }
  }
  runs = std::move(joined);
}

}  // namespace

std::map<Shift, Footprint::Part> Footprint::parts(std::span<const Shift> shifts) const {
  std::map<Shift, Part> parts;
  for (const auto& [key, runs] : by_instruction_) {
    Part& part = parts[shifts[key.first]];
    if (key.second == AccessKind::strong_load) continue;
    std::vector<Run>& to = key.second == AccessKind::load    ? part.loaded
                           : key.second == AccessKind::store ? part.stored
                                                             : part.added;
    to.insert(to.end(), runs.begin(), runs.end());
  }
  for (auto& [shift, part] : parts) {
    for (std::vector<Run>* const runs : {&part.stored, &part.added, &part.loaded}) join(*runs);
  }
  return parts;
}

BlockWatch::BlockWatch(const Program::Code& code, const Launch& launch, For what)
    : code_(code),
      launch_(launch),
      what_(what),
      exposed_(exposed_accesses(code, launch)),
      kinds_(kinds_of_accesses(code)),
      handlers_(handlers_of(code)),
      is_exposed_(handlers_.size()),
      synchronises_(handlers_.size()) {
  for (const std::uint32_t i : exposed_) is_exposed_[i] = true;
  if (what == For::stores) {
    watched_ = with_handler(code, exposed_, replay::note_exposed);
    return;
  }
  // Where nothing reads strongly, nothing is acquired.
  bool any_shared_reads = false;
  for (std::uint32_t i = 0; i < handlers_.size(); ++i) {
    synchronises_[i] =
        is_strong(kinds_[i]) &&
        ptx::memory_effect_in(code.function.instructions[i], ptx::StateSpace::shared).has_value();
    any_shared_reads |= synchronises_[i] && reads_strongly(kinds_[i]);
    any_strong_reads_ |= is_exposed_[i] && reads_strongly(kinds_[i]);
  }
  if (!any_shared_reads) synchronises_.assign(handlers_.size(), false);
  std::vector<std::uint32_t> observed;
  for (std::uint32_t i = 0; i < handlers_.size(); ++i) {
    if (is_exposed_[i] || synchronises_[i]) observed.push_back(i);
  }
  watched_ = with_handler(code, observed, watch_races);
}

std::vector<bool> BlockWatch::written(const Job& job) const {
  const std::size_t of_barrier = job.grid_workspace.empty() ? 0 : 1;
  std::vector<bool> written =
      written_regions(code_, launch_, job.regions.size() - code_.global.variables.size() - of_barrier);
  written.resize(job.regions.size(), true);
  return written;
}

std::unique_ptr<StoredOnce> BlockWatch::stored_once(const Job& job, unsigned threads) const {
  return std::make_unique<StoredOnce>(job.regions, written(job), element_shift(code_, exposed_),
                                      threads == 1);
}

void BlockWatch::begin(Job& job, unsigned threads) {
  if (what_ == For::stores) stored_once_ = stored_once(job, threads);
  if (what_ == For::races || (what_ == For::places && job.warps > 1)) {
    races_ = std::make_unique<GlobalRaces>(
        job.regions, written(job),
        GlobalRaces::Options{.shift = element_shift(code_, exposed_),
                             .max_bytes = what_ == For::races ? kMaxRaceBytes : kMaxAddresses,
                             .values_known = what_ == For::races,
                             .any_strong_reads = any_strong_reads_,
                             .overwrites = Overwrites(code_, exposed_, kinds_)});
  }
  job.block_watch = this;
}

void BlockWatch::begin_block() {
  footprint_.clear();
  if (races_ != nullptr) races_->forget();
  warps_met_ = races_ != nullptr && !races_->watches_all();
}

void BlockWatch::note(const Instr& i, Footprint::Run run) {
  const AccessKind kind = kind_of(i);
  if (what_ == For::places) return footprint_.add(i.index, kind, run);
  kind == AccessKind::store ? stored_once_->store(*run.region, run.address, run.bytes)
                            : stored_once_->add_atomically(*run.region, run.address, run.bytes);
}

/// Lanes behind each other as one; atomics, which rarely are, one by one.
void BlockWatch::note(const Instr& i, const Region& region, const GlobalLanes& lanes) {
  if (what_ == For::stores && kind_of(i) != AccessKind::store)
    return stored_once_->add_atomically(region, lanes);
  Footprint::Run run{&region, 0, 0};
  for_each_lane(lanes.mask, [&](std::uint32_t l) {
    if (run.bytes != 0 && lanes.address[l] == run.address + run.bytes) {
      run.bytes += lanes.bytes;
      return;
    }
    if (run.bytes != 0) note(i, run);
    run = {&region, lanes.address[l], lanes.bytes};
  });
  note(i, run);
}

/// Makes the region that holds these bytes the watched one; null: none does.
const Region* BlockRunner::find_watched_region(std::uint64_t address, std::uint64_t bytes) {
  const Region* const last = watched_region_;
  if (last != nullptr && address >= last->base && address + bytes <= last->base + last->bytes) return last;
  return watched_region_ = Heap::holds(address) ? nullptr : find_region(address, bytes);
}

void BlockRunner::note_exposed(const Instr& i) {
  if (const auto first = first_of_neighbours(machine_, i)) {
    const std::uint64_t bytes = std::uint64_t{kWarpSize} * i.bytes * i.count;
    const Region* const region = find_watched_region(*first, bytes);
    if (region != nullptr) return job_.block_watch->note(i, {region, *first, bytes});
  }
  for_each_watched(
      i, [&](const Region& region, const GlobalLanes& lanes) { job_.block_watch->note(i, region, lanes); });
}

void BlockRunner::watch_exposed(const Instr& i) {
  const BlockWatch& watch = *job_.block_watch;
  if (watch.keeps_places() && watch.is_exposed(i)) note_exposed(i);
  if (watch.races() == nullptr) return;
  if (watch.synchronises(i)) acquire_in_shared(i);
  if (!watch.is_exposed(i)) return;
  for_each_watched(i,
                   [&](const Region& region, const GlobalLanes& lanes) { watch_exposed(i, region, lanes); });
}

/// Visits the lanes of each access that the instruction makes, buffer by buffer.
template <class Visit>
void BlockRunner::for_each_watched(const Instr& i, Visit visit) {
  for (int which = 0; which < count_accesses(i); ++which) {
    GlobalLanes lanes = global_lanes(machine_, i, which);
    for (std::uint32_t left = lanes.mask; left != 0; left &= ~lanes.mask) {
      const Region* const region = find_watched_region(lanes.address[std::countr_zero(left)], lanes.bytes);
      lanes.mask = 0;
      for_each_lane(left, [&](std::uint32_t l) {
        const bool inside = region != nullptr && lanes.address[l] >= region->base &&
                            lanes.address[l] + lanes.bytes <= region->base + region->bytes;
        lanes.mask |= static_cast<std::uint32_t>(inside) << l;
      });
      if (lanes.mask != 0) {
        visit(*region, lanes);
        continue;
      }
      lanes.mask = left & -left;  // That one lies in no buffer
      acquire_unwatched(i);
    }
  }
}

void BlockRunner::watch_exposed(const Instr& i, const Region& region, const GlobalLanes& lanes) {
  BlockWatch& watch = *job_.block_watch;
  GlobalRaces* const races = watch.races();
  if (!races->watches(region)) return acquire_unwatched(i);
  const GlobalRaces::Conflicts conflicts = races->access(as_raced_,
                                                         {.kind = watch.kind_of(i),
                                                          .instruction = i.index,
                                                          .warp = machine_.warp,
                                                          .region = region,
                                                          .lanes = lanes},
                                                         {machine_, i});
  report_global_races(i, region, lanes, conflicts);
}

void BlockRunner::finish_exposed(const Instr& i) {
  GlobalRaces* const races = job_.block_watch->races();
  if (races == nullptr) return;
  release_in_shared(i);
  races->finish_writes(as_raced_, [&](const Region& region, const GlobalLanes& lanes,
                                      const GlobalRaces::Conflicts& conflicts) {
    report_global_races(i, region, lanes, conflicts);
  });
}

Order* BlockRunner::order_of_warps() {
  const bool is_wanted =
      shared_races_ != nullptr || (job_.block_watch != nullptr && job_.block_watch->races() != nullptr);
  return as_raced_.has_warps && is_wanted ? &as_raced_.warps : nullptr;
}

/// A strong read of memory of which nothing is kept may synchronise with any other warp of the block.
void BlockRunner::acquire_unwatched(const Instr& i) {
  if (!reads_strongly(job_.block_watch->kind_of(i))) return;
  if (Order* const order = order_of_warps()) order->acquire_all(machine_.warp);
}

/// What a plain store has put there since may be a flag that was set at any time.
void BlockRunner::acquire_in_shared(const Instr& i) {
  strong_lanes_.mask = 0;
  Order* const order = order_of_warps();
  if (order == nullptr) return;
  strong_lanes_ = shared_lanes(machine_, i);
  if (!reads_strongly(job_.block_watch->kind_of(i))) return;
  for_each_lane(strong_lanes_.mask, [&](std::uint32_t l) {
    const GlobalRaces::SyncClock& sync = as_raced_.sync_clock_at(kSharedWindow + strong_lanes_.address[l]);
    if (sync.left == shared_value(strong_lanes_, l)) {
      order->acquire(machine_.warp, sync.clock);
    } else {
      order->acquire_all(machine_.warp);
    }
  });
}

void BlockRunner::release_in_shared(const Instr& i) {
  const std::uint32_t lanes = std::exchange(strong_lanes_.mask, 0u);
  if (!writes_strongly(job_.block_watch->kind_of(i))) return;
  for_each_lane(lanes, [&](std::uint32_t l) {
    GlobalRaces::SyncClock& sync = as_raced_.sync_clock_at(kSharedWindow + strong_lanes_.address[l]);
    as_raced_.warps.release(machine_.warp, sync.clock);
    sync.left = shared_value(strong_lanes_, l);
  });
}

/// The first bytes of a lane's place, up to 8.
std::uint64_t BlockRunner::shared_value(const GlobalLanes& lanes, std::uint32_t lane) const {
  std::uint64_t value = 0;
  std::memcpy(&value, shared_.data() + lanes.address[lane], std::min<std::size_t>(lanes.bytes, sizeof value));
  return value;
}

void BlockRunner::report_global_races(const Instr& i, const Region& region, const GlobalLanes& lanes,
                                      const GlobalRaces::Conflicts& conflicts) {
  if (conflicts.empty()) return;
  if (!job_.block_watch->reports()) return job_.block_watch->note_meeting();
  for (const GlobalRaces::Conflict& conflict : conflicts) report_global_race(i, region, lanes, conflict);
}

void BlockRunner::report_global_race(const Instr& i, const Region& region, const GlobalLanes& lanes,
                                     const GlobalRaces::Conflict& conflict) {
  using ConflictKind = GlobalRaces::Conflict::Kind;
  FoundAccess access =
      found_access(i.index, Space::global, static_cast<std::uint8_t>(lanes.bytes), lanes.mask);
  for_each_lane(conflict.lanes, [&](std::uint32_t l) { access.addresses.push_back(lanes.address[l]); });
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(conflict.lanes));
  const Dim3 other = index_from_linear(job_.launch.grid, conflict.other.block);
  Finding finding = make_race(conflict.same_block ? FindingKind::race : FindingKind::block_race,
                              machine_.warp, conflict.lanes, std::move(access),
                              {.instruction = conflict.other.instruction,
                               .block = other,
                               .warp = conflict.other.thread / kWarpSize,
                               .lane = conflict.other.thread % kWarpSize,
                               .address = conflict.first_byte});
  const char* const text = conflict.kind == ConflictKind::overwrites    ? finding_texts::kUpdateLost
                           : conflict.kind == ConflictKind::overwritten ? finding_texts::kMayBeLost
                           : conflict.same_block                        ? finding_texts::kGlobalRace
                                                                        : finding_texts::kBlockRace;
  finding.text =
      fmt::format(fmt::runtime(text), "op"_a = name_of(code_.sites[i.site].op), "bytes"_a = lanes.bytes,
                  "element"_a = job_.elements[region.id].at(lanes.address[lane] - region.base),
                  "block"_a = in_words(block_), "thread"_a = machine_.warp * kWarpSize + lane,
                  "other_op"_a = name_of(finding.other->op), "line"_a = finding.other_line,
                  "other_block"_a = in_words(other), "other_thread"_a = conflict.other.thread);
  findings.add(linear_, std::move(finding));
}

}  // namespace warplens::replay
