// What the cores call for what is rare (declared in machine.h), and the findings about single accesses.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "kernels/base/figures.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/core/core.h"

namespace warplens::replay {
namespace {

/// Events that a runner records before it adds them to those of all.
constexpr std::uint64_t kEventsAtOnce = 4096;

}  // namespace

void count_affine(Machine& m, std::uint32_t site, std::uint64_t first, std::int64_t stride) {
  m.runner->count_affine(site, first, stride);
}
void count_irregular(Machine& m, std::uint32_t site, std::uint32_t mask, const std::uint64_t* addresses) {
  m.runner->count_irregular(site, mask, addresses);
}
ShapeCounter* find_shape(Machine& m, std::uint32_t site, std::uint32_t mask, const std::uint32_t* offsets) {
  return m.runner->find_shape(site, mask, offsets);
}
void count_divergent(Machine& m, std::uint32_t site) {
  m.runner->count_divergent(site);
}
const Instr* nop(Machine& /*m*/, const Instr* i) {
  return i + 1;
}
GroupShape* find_group_shape(Machine& m, std::uint32_t group, std::int64_t stride, std::uint32_t mask,
                             const std::uint32_t* offsets) {
  return m.runner->find_group_shape(group, stride, mask, offsets);
}
void record_affine_event(Machine& m, std::uint32_t site, std::uint64_t first, std::int64_t stride) {
  m.runner->event_log.add_line(m.warp, site, m.phase.number, first, stride);
  if (m.runner->event_log.count() >= kEventsAtOnce) m.runner->limit_events();
}
void record_event(Machine& m, std::uint32_t site, std::uint32_t mask, const std::uint64_t* addresses) {
  m.runner->event_log.add(m.warp, site, m.phase.number, mask, addresses);
  if (m.runner->event_log.count() >= kEventsAtOnce) m.runner->limit_events();
}
void make_room_in_log(Machine& m) {
  m.runner->make_room_in_log();
}
void grow_stack(Machine& m) {
  m.runner->grow_stack();
}
void next_phase(Machine& m) {
  m.runner->next_phase();
}
void update_suspended(Machine& m) {
  m.runner->update_suspended();
}
const Region* find_region(Machine& m, std::uint64_t address, std::uint64_t bytes) {
  return m.runner->find_region(address, bytes);
}
void report_undefined_lanes(Machine& m, const Instr* i, std::uint32_t lanes, std::uint32_t mask) {
  m.runner->report_undefined_lanes(i, lanes, mask);
}
void report_fault(Machine& m, const Instr* i, std::uint32_t site, Fault fault, std::uint32_t lanes,
                  std::uint32_t tried, const std::uint64_t* addresses) {
  m.runner->report_fault(i, site, fault, lanes, tried, addresses);
}

// A turn that records too much ends soon, and its end reports it.
void BlockRunner::limit_events() {
  const std::uint64_t added = event_log.take_count();
  const std::uint64_t events = job_.events.fetch_add(added, std::memory_order_relaxed) + added;
  if (events > job_.options.max_events || event_log.shapes() > kMaxEventShapes) machine_.turn.yield_at = 0;
}

// The log is bounded: when it is full, what other warps did is forgotten, and races with that can no longer
// be told by line.
void BlockRunner::make_room_in_log() {
  check_shared_accesses();
  std::fill(log_start_.begin(), log_start_.end(), nullptr);
  std::fill(log_stop_.begin(), log_stop_.end(), nullptr);
  machine_.log.next = log_of_turn_ = compared_until_ = log_.data();
  log_start_[machine_.warp] = machine_.log.next;
}

void BlockRunner::grow_stack() {
  WarpState& warp = warps_[machine_.warp];
  warp.stack.resize(warp.stack.size() * 2);
  machine_.stack = warp.stack.data();
  machine_.capacity = static_cast<std::uint32_t>(warp.stack.size());
}

void BlockRunner::next_phase() {
  machine_.phase.number = phase_after(machine_.phase.number);
  machine_.phase.row = phases[machine_.phase.number].data();
}

void BlockRunner::update_suspended() {
  std::vector<std::uint64_t>& needed = warps_[machine_.warp].suspended;
  if (machine_.calls != 0) {  // Lanes wait in several functions, and behind calls
    std::fill(needed.begin(), needed.end(), ~std::uint64_t{0});
    return;
  }
  const Suspended* const bottom = machine_.stack;
  for (std::size_t word = 0; word < needed.size(); ++word) {
    std::uint64_t live = 0;
    // Of lanes that wait in several places the uppermost counts: from there they come to the others.
    std::uint32_t left = word < code_.live_words ? machine_.alive & ~machine_.active : 0;
    for (const Suspended* s = bottom + machine_.depth; left != 0 && s-- != bottom;) {
      if ((s->mask & left) != 0)
        live |= code_.live_heads[code_.flow.block_of[s->pc->index] * code_.live_words + word];
      left &= ~s->mask;
    }
    needed[word] = live;
  }
}

const Region* BlockRunner::find_region(std::uint64_t address, std::uint64_t bytes) const {
  const auto& regions = job_.regions;
  auto after = std::upper_bound(regions.begin(), regions.end(), address,
                                [](std::uint64_t a, const Region& r) { return a < r.base; });
  if (job_.heap != nullptr && Heap::holds(address)) return job_.heap->find(address, bytes);
  if (after == regions.begin()) return nullptr;
  const Region& region = *--after;
  const std::uint64_t offset = address - region.base;
  return offset <= region.bytes && bytes <= region.bytes - offset ? &region : nullptr;
}

namespace {

std::string access_in_words(AccessOp op, std::uint64_t bytes, std::optional<Space> space,
                            std::uint64_t address) {
  const auto words = [&](const char* text) {
    return fmt::format(fmt::runtime(text), "op"_a = name_of(op), "bytes"_a = bytes,
                       "address"_a = fmt::format("0x{:x}", address));
  };
  const bool to = op == AccessOp::store;
  if (!space) return to ? words(finding_texts::kToConstant) : words(finding_texts::kAtConstant);
  if (*space == Space::shared) return to ? words(finding_texts::kToShared) : words(finding_texts::kAtShared);
  if (*space == Space::local) return to ? words(finding_texts::kToLocal) : words(finding_texts::kAtLocal);
  return to ? words(finding_texts::kToGlobal) : words(finding_texts::kAtGlobal);
}

}  // namespace

/// Offsets from where the block's memory begins, 32 bits wide, in shared memory.
std::uint64_t BlockRunner::as_recorded(Space space, std::uint64_t address) const {
  return space == Space::shared ? static_cast<std::uint32_t>(address - job_.shared_begin) : address;
}

/// Returns an address as in Finding::access, but for shared addresses below where the block's memory begins.
std::uint64_t BlockRunner::address_in_words(Space space, std::uint64_t address) const {
  return space == Space::shared && address < job_.shared_begin ? address : as_recorded(space, address);
}

void BlockRunner::report_fault(const Instr* i, std::uint32_t site, Fault fault, std::uint32_t lanes,
                               std::uint32_t tried, const std::uint64_t* addresses) {
  const ptx::Instruction& instruction = code_.function.instructions[i->index];
  const std::uint64_t address = addresses[std::countr_zero(lanes)];
  const std::uint64_t bytes = static_cast<std::uint64_t>(i->bytes) * i->count;
  const bool recorded = site < code_.sites.size();
  const Space space = recorded ? code_.sites[site].space : Space::local;
  const FindingKind kinds[] = {FindingKind::out_of_bounds, FindingKind::misaligned,
                               FindingKind::uninitialised, FindingKind::race, FindingKind::async_copy};
  Finding finding = make_finding(kinds[static_cast<int>(fault)], instruction, machine_.warp, lanes);
  const AccessOp op = *access_op(instruction);
  if (recorded) {
    finding.access = found_access(i->index, space, static_cast<std::uint8_t>(bytes), tried);
    for_each_lane(lanes, [&](std::uint32_t l) {
      finding.access->addresses.push_back(as_recorded(space, addresses[l]));
    });
  }
  const std::string what = access_in_words(op, bytes, recorded ? std::optional(space) : std::nullopt,
                                           address_in_words(space, address));
  switch (fault) {
    case Fault::misaligned:
      finding.text = fmt::format(finding_texts::kMisaligned, "access"_a = what, "bytes"_a = bytes);
      break;
    case Fault::uninitialised:
      finding.text = fmt::format(finding_texts::kUnwritten, "access"_a = what);
      break;
    case Fault::in_flight: finding.text = fmt::format(finding_texts::kBulkInFlight, "access"_a = what); break;
    case Fault::write_write:
      finding.other_line = finding.line;
      finding.text = fmt::format(finding_texts::kOverwritten, "access"_a = what);
      break;
    case Fault::out_of_bounds:
      if (recorded && space == Space::shared) {
        finding.text = outside_shared(what, address);
      } else if (recorded && space == Space::local) {
        const std::uint64_t size = code_.lane_local_bytes;
        finding.text = fmt::format(finding_texts::kPastLocal, "access"_a = what,
                                   "distance"_a = with_commas(std::max<std::uint64_t>(address, size) - size),
                                   "bytes"_a = with_commas(size));
      } else {
        finding.text = recorded ? outside_buffers(what, address)
                                : fmt::format(finding_texts::kOutside, "access"_a = what);
      }
      break;
  }
  findings.add(linear_, std::move(finding));
}

void BlockRunner::report_undefined_lanes(const Instr* i, std::uint32_t lanes, std::uint32_t mask) {
  const ptx::Instruction& instruction = code_.function.instructions[i->index];
  Finding finding = make_finding(FindingKind::undefined_lanes, instruction, machine_.warp, lanes);
  finding.text = fmt::format(finding_texts::kOutsideMask,
                             "op"_a = instruction.text.substr(0, instruction.text.find(' ')),
                             "lanes"_a = name_lanes(lanes), "mask"_a = fmt::format("0x{:x}", mask));
  findings.add(linear_, std::move(finding));
}

std::string BlockRunner::outside_shared(const std::string& what, std::uint64_t address) const {
  if (address < job_.shared_begin)
    return fmt::format(finding_texts::kReserved, "access"_a = what,
                       "bytes"_a = with_commas(job_.shared_begin));
  const std::uint64_t bytes = job_.shared_bytes(),
                      distance = std::max(address - job_.shared_begin, bytes) - bytes;
  return fmt::format(finding_texts::kPastShared, "access"_a = what, "distance"_a = with_commas(distance),
                     "bytes"_a = with_commas(bytes));
}

// Where an address lies that is in no buffer: relative to the nearest below, or above.
std::string BlockRunner::outside_buffers(const std::string& what, std::uint64_t address) const {
  const auto& regions = job_.regions;
  if (job_.heap != nullptr && Heap::holds(address))
    return fmt::format(finding_texts::kInHeap, "access"_a = what);
  const auto after = std::upper_bound(regions.begin(), regions.end(), address,
                                      [](std::uint64_t a, const Region& r) { return a < r.base; });
  constexpr std::uint64_t kNear = std::uint64_t{1} << 32;
  std::uint64_t past = kNear, before = kNear;
  if (after != regions.begin()) {
    const Region& below = *(after - 1);
    const std::uint64_t offset = address - below.base;
    if (offset < below.bytes) {
      return fmt::format(finding_texts::kAcrossEnd, "access"_a = what,
                         "buffer"_a = job_.region_names[below.id], "bytes"_a = with_commas(below.bytes));
    }
    past = offset - below.bytes;
  }
  if (after != regions.end()) before = after->base - address;
  if (past < kNear && past <= before) {
    const Region& below = *(after - 1);
    return fmt::format(finding_texts::kPast, "access"_a = what, "distance"_a = with_commas(past),
                       "buffer"_a = job_.region_names[below.id], "bytes"_a = with_commas(below.bytes));
  }
  if (before < kNear) {
    return fmt::format(finding_texts::kBefore, "access"_a = what, "distance"_a = with_commas(before),
                       "buffer"_a = job_.region_names[after->id], "bytes"_a = with_commas(after->bytes));
  }
  return fmt::format(finding_texts::kNowhere, "access"_a = what);
}

}  // namespace warplens::replay
