// Asynchronous copies from global to shared memory (cp.async). A copy is issued, is in flight, and lands when
// its thread waits for its group; only then does its destination change. What was read at issue is kept, as
// hardware may read the source at any time until the copy lands.
//
// A copy in flight conflicts with all other accesses of its destination, of its own thread too; after it has
// landed it is an ordinary store of its thread. So it counts as a store of its warp in each barrier interval
// from its issue to its landing, and the walk through the warp's log (lane_races.cpp) tells the two apart.
// PTX ISA, "Asynchronous copy operations".
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/races/access_log.h"

namespace warplens::replay {
namespace {

void land(const PendingCopy& copy, std::uint32_t lanes, Machine& machine) {
  const CopyRequest& request = copy.request;
  for_each_lane(lanes, [&](std::uint32_t l) {
    const std::uint32_t to = request.to[l];
    const std::uint64_t run = shadow_bits(to, request.bytes);
    std::memcpy(machine.shared.data + to, copy.data[l].data(), request.bytes);
    machine.shadow.initialised[to >> 6] |= run;
    machine.shadow.in_flight[to >> 6] &= ~run;
  });
}

/// The lanes whose source has changed since the copy was issued.
std::uint32_t changed_sources(const PendingCopy& copy, std::uint32_t lanes) {
  std::uint32_t changed = 0;
  for_each_lane(lanes, [&](std::uint32_t l) {
    const std::uint32_t bytes = copy.request.read_bytes[l];
    const bool differs = bytes != 0 && std::memcmp(copy.request.from[l], copy.data[l].data(), bytes) != 0;
    changed |= static_cast<std::uint32_t>(differs) << l;
  });
  return changed;
}

}  // namespace

void begin_copy(Machine& m, const Instr* i, const CopyRequest& request) {
  m.runner->begin_copy(i, request);
}
const Instr* commit_copies(Machine& m, const Instr* i) {
  m.runner->commit_copies();
  return i + 1;
}
const Instr* wait_for_copies(Machine& m, const Instr* i) {
  m.runner->wait_for_copies(i);
  return i + 1;
}

void BlockRunner::begin_copy(const Instr* i, const CopyRequest& request) {
  report_second_copy(i, request);
  WarpCopies& copies = warps_[machine_.warp].copies;
  PendingCopy& copy = copies.pending.emplace_back();
  copy.serial = ++copies_;
  copy.instruction = i->index;
  copy.request = request;
  copy.group = copies.committed;
  if (machine_.recording_events) copy.order = event_log.events_of(machine_.warp) - 1;
  for_each_lane(request.mask, [&](std::uint32_t l) {
    if (request.read_bytes[l] != 0) std::memcpy(copy.data[l].data(), request.from[l], request.read_bytes[l]);
    machine_.shadow.in_flight[request.to[l] >> 6] |= shadow_bits(request.to[l], request.bytes);
  });
  log_copy(copy);
}

void BlockRunner::log_copy(const PendingCopy& copy) {
  const CopyRequest& request = copy.request;
  std::uint64_t parts = 0;
  for_each_lane(request.mask, [&](std::uint32_t l) {
    machine_.shadow.copied[request.to[l] >> 6] |= shadow_bits(request.to[l], request.bytes);
    parts |= std::uint64_t{1} << (request.to[l] >> machine_.shadow.dirty_shift);
  });
  machine_.shadow.dirty |= parts;
  machine_.shadow.dirty_written |= parts;
  has_copies_ = true;
  if (machine_.log.next >= machine_.log.end) make_room_in_log();
  *machine_.log.next = {copy.instruction, copy.serial, kIrregularLog, request.mask};
  std::memcpy(machine_.log.next + 1, request.to, sizeof request.to);
  machine_.log.next += kIrregularLogEntries;
}

void BlockRunner::log_copies_in_flight() {
  for (const PendingCopy& copy : warps_[machine_.warp].copies.pending) log_copy(copy);
}

void BlockRunner::commit_copies() {
  for_each_lane(machine_.active, [&](std::uint32_t l) { ++warps_[machine_.warp].copies.committed[l]; });
}

void BlockRunner::wait_for_copies(const Instr* i) {
  const WarpCopies& copies = warps_[machine_.warp].copies;
  const bool waits_for_all = i->imm < 0;
  const auto left = static_cast<std::uint64_t>(i->imm);
  land_copies(machine_.warp, &code_.function.instructions[i->index], [&](const PendingCopy& copy) {
    std::uint32_t lanes = 0;
    for_each_lane(copy.request.mask & machine_.active, [&](std::uint32_t l) {
      const bool lands = waits_for_all || copy.group[l] + left < copies.committed[l];
      lanes |= static_cast<std::uint32_t>(lands) << l;
    });
    return lanes;
  });
}

/// Lands the copies of warp `w` for those of their lanes that `lands` returns. `waits`: the instruction that
/// waits for them; null where the warp has exited.
template <class Lands>
void BlockRunner::land_copies(std::uint32_t w, const ptx::Instruction* waits, Lands lands) {
  std::vector<PendingCopy>& pending = warps_[w].copies.pending;
  for (PendingCopy& copy : pending) {
    const std::uint32_t lanes = lands(copy);
    if (lanes == 0) continue;
    land(copy, lanes, machine_);
    copy.request.mask &= ~lanes;
    if (machine_.recording_events && copy.request.mask == 0) {
      event_log.add_landing({.block = 0,
                             .warp = w,
                             .order = copy.order,
                             .landed_phase = w == machine_.warp ? machine_.phase.number : warps_[w].phase,
                             .landed_order = event_log.events_of(w)});
    }
    if (waits == nullptr) continue;
    if (const std::uint32_t changed = changed_sources(copy, lanes); changed != 0)
      report_changed_source(w, copy, changed, *waits);
    if (w != machine_.warp) continue;  // The turn that it takes next begins without it
    if (machine_.log.next >= machine_.log.end) make_room_in_log();
    *machine_.log.next++ = {copy.instruction, copy.serial, kLandedLog, lanes};
  }
  std::erase_if(pending, [](const PendingCopy& copy) { return copy.request.mask == 0; });
  if (!warps_[w].copies.arrivals.empty()) make_arrivals(w);
}

void BlockRunner::land_all_copies(std::uint32_t w) {
  land_copies(w, nullptr, [](const PendingCopy& copy) { return copy.request.mask; });
}

void BlockRunner::land_copies_before(std::uint32_t address, const ptx::Instruction& waits) {
  if (warps_with_arrivals_ == 0) return;
  for (std::uint32_t w = 0; w < job_.warps; ++w) {
    std::array<std::uint32_t, kWarpSize> last{};  // By lane: the serial
    bool any = false;
    for (const PendingArrival& arrival : warps_[w].copies.arrivals) {
      if (arrival.address != address) continue;
      last.at(arrival.lane) = arrival.serial;
      any = true;
    }
    if (!any) continue;
    land_copies(w, &waits, [&](const PendingCopy& copy) {
      std::uint32_t lanes = 0;
      for_each_lane(copy.request.mask, [&](std::uint32_t l) {
        lanes |= static_cast<std::uint32_t>(copy.serial <= last[l]) << l;
      });
      return lanes;
    });
  }
}

void BlockRunner::merge_copies() {
  if (!has_copies_) return;
  has_copies_ = false;
  SharedShadow& s = machine_.shadow;
  const std::uint64_t words = std::uint64_t{1} << (s.dirty_shift - 6);
  for (std::uint64_t parts = s.dirty_written; parts != 0; parts &= parts - 1) {
    const std::uint64_t from = static_cast<std::uint64_t>(std::countr_zero(parts)) * words;
    for (std::uint64_t w = from; w < from + words; ++w) {
      s.written[w] |= s.copied[w];
      s.copied[w] = 0;
    }
  }
}

void BlockRunner::report_second_copy(const Instr* i, const CopyRequest& request) {
  std::uint32_t lanes = 0;
  for_each_lane(request.mask, [&](std::uint32_t l) {
    const bool meets =
        (machine_.shadow.in_flight[request.to[l] >> 6] & shadow_bits(request.to[l], request.bytes)) != 0;
    lanes |= static_cast<std::uint32_t>(meets) << l;
  });
  if (lanes == 0) return;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  Finding finding =
      make_finding(FindingKind::async_copy, code_.function.instructions[i->index], machine_.warp, lanes);
  finding.access = found_access(i->index, Space::shared, i->bytes, request.mask);
  for_each_lane(lanes, [&](std::uint32_t l) {
    finding.access->addresses.push_back(as_recorded(Space::shared, request.to[l]));
  });
  const auto holds = [&](const PendingCopy& copy) {
    std::optional<std::uint32_t> found;
    for_each_lane(copy.request.mask, [&](std::uint32_t other) {
      const std::uint32_t at = copy.request.to[other];
      if (at < request.to[lane] + request.bytes && request.to[lane] < at + copy.request.bytes) found = other;
    });
    return found;
  };
  finding.other_line = finding.line;
  std::uint32_t other_warp = machine_.warp;
  for (std::uint32_t w = 0; w < job_.warps && !finding.other; ++w) {
    for (const PendingCopy& copy : warps_[w].copies.pending) {
      const std::optional<std::uint32_t> other = holds(copy);
      if (!other) continue;
      const ptx::Instruction& earlier = code_.function.instructions[copy.instruction];
      finding.other_line = earlier.location.own_line;
      other_warp = w;
      finding.other = {
          .instruction = copy.instruction,
          .op = AccessOp::cp_async,
          .block = block_,
          .warp = w,
          .lane = *other,
          .address = as_recorded(Space::shared, std::max(copy.request.to[*other], request.to[lane]))};
      break;
    }
  }
  finding.text = fmt::format(
      finding_texts::kSecondCopy, "bytes"_a = request.bytes,
      "address"_a = fmt::format("0x{:x}", as_recorded(Space::shared, request.to[lane])), "lane"_a = lane,
      "warp"_a = machine_.warp, "line"_a = finding.other_line, "other_warp"_a = other_warp);
  findings.add(linear_, std::move(finding));
}

void BlockRunner::report_changed_source(std::uint32_t w, const PendingCopy& copy, std::uint32_t lanes,
                                        const ptx::Instruction& waits) {
  const ptx::Instruction& instruction = code_.function.instructions[copy.instruction];
  Finding finding = make_finding(FindingKind::async_copy, instruction, w, lanes);
  finding.other_line = waits.location.own_line;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  finding.text = fmt::format(finding_texts::kChangedSource, "bytes"_a = copy.request.bytes, "lane"_a = lane,
                             "warp"_a = w, "line"_a = finding.other_line);
  findings.add(linear_, std::move(finding));
}

void BlockRunner::report_access_in_flight(std::uint32_t w, const Logged& logged, std::uint32_t lanes,
                                          const LaneWord::Touch& copy, std::uint32_t both) {
  const ptx::Instruction &here = code_.function.instructions[logged.instruction],
                         &there = code_.function.instructions[copy.instruction];
  const std::uint32_t bytes = shared_access_traits_[logged.instruction].bytes;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  Finding finding = make_finding(FindingKind::async_copy, here, w, lanes);
  finding.other_line = there.location.own_line;
  finding.access = found_access(logged, lanes, bytes);
  finding.other = {.instruction = copy.instruction,
                   .op = AccessOp::cp_async,
                   .block = block_,
                   .warp = w,
                   .lane = static_cast<std::uint32_t>(std::countr_zero(copy.lanes)),
                   .address = as_recorded(Space::shared, both)};
  finding.text =
      fmt::format(finding_texts::kInFlight, "op"_a = name_of(*access_op(here)), "bytes"_a = bytes,
                  "address"_a = fmt::format("0x{:x}", as_recorded(Space::shared, logged.first_byte[lane])),
                  "lane"_a = lane, "warp"_a = w, "line"_a = finding.other_line);
  findings.add(linear_, std::move(finding));
}

}  // namespace warplens::replay
