#include "kernels/replay/extrapolate/watcher.h"

#include <algorithm>
#include <bit>

#include "kernels/replay/extrapolate/exposed.h"

namespace warplens::replay {
namespace {

/// Values beyond this are not compared: their differences could overflow.
constexpr std::int64_t kUnbounded = std::int64_t{1} << 61;

const Head& head_at(const Machine& m, std::uint32_t offset) {
  return *reinterpret_cast<const Head*>(m.registers + offset);
}

/// The 32 values of a register, as numbers. False: one of the active lanes' lies too far out.
bool values_of(const Head& head, std::uint32_t active, int bytes, bool is_signed,
               std::int64_t (&values)[kWarpSize]) {
  bool near = true;
  for (int l = 0; l < kWarpSize; ++l) {
    std::uint64_t bits = head.base + static_cast<std::uint64_t>(l) * static_cast<std::uint64_t>(head.stride);
    if (head.form == Form::vector) {
      bits = bytes == 8 ? static_cast<const std::uint64_t*>(head.lanes)[l]
                        : static_cast<const std::uint32_t*>(head.lanes)[l];
    }
    const std::int64_t word = is_signed ? std::int64_t{static_cast<std::int32_t>(bits)}
                                        : std::int64_t{static_cast<std::uint32_t>(bits)};
    values[l] = bytes == 8 ? static_cast<std::int64_t>(bits) : word;
    near &= (active >> l & 1) == 0 || (values[l] < kUnbounded && values[l] >= (is_signed ? -kUnbounded : 0));
  }
  return near;
}

template <class Each>
void for_lanes(std::uint32_t mask, Each each) {
  for (; mask != 0; mask &= mask - 1) each(std::countr_zero(mask));
}

/// Whether two active lanes access one byte.
bool meet(const std::int64_t (&address)[kWarpSize], std::uint32_t mask, std::int64_t bytes) {
  std::int64_t sorted[kWarpSize];
  int n = 0;
  bool ascending = true;
  for_lanes(mask, [&](int l) {
    sorted[n] = address[l];
    if (n > 0 && sorted[n] < sorted[n - 1] + bytes) ascending = false;
    ++n;
  });
  if (ascending) return false;
  std::sort(sorted, sorted + n);
  for (int k = 1; k < n; ++k) {
    if (sorted[k] - sorted[k - 1] < bytes) return true;
  }
  return false;
}

/// What a type holds, as far as `values_of` takes it.
std::int64_t lowest(const Watch& watch) {
  return !watch.is_signed ? 0 : watch.bytes == 4 ? INT32_MIN : -kUnbounded;
}
std::int64_t highest(const Watch& watch) {
  return watch.bytes == 8 ? kUnbounded : watch.is_signed ? INT32_MAX : std::int64_t{UINT32_MAX};
}

Zero zero_of(const Watch& watch) {
  using C = ptx::Compare;
  if (watch.kind == Watch::Kind::extreme)
    return (watch.operand == 0) == watch.is_max ? Zero::with_above : Zero::with_below;
  const C compare = watch.compare;
  if (compare == C::lt || compare == C::ge || compare == C::lo || compare == C::hs) return Zero::with_above;
  if (compare == C::le || compare == C::gt || compare == C::ls || compare == C::hi) return Zero::with_below;
  return Zero::apart;
}

}  // namespace

Watcher::Watcher(std::span<const Watch> watches, std::vector<Handler> handlers)
    : watches_(watches),
      handlers_(std::move(handlers)),
      watch_of_(handlers_.size(), kNone),
      seen_(watches.size()) {
  for (std::uint32_t w = 0; w < watches.size(); ++w) watch_of_[watches[w].instruction] = w;
}

void Watcher::begin_block() {
  std::ranges::fill(seen_, Seen{});
  stands_alone_ = needs_values_ = false;
}

void Watcher::see(Machine& m, const Instr& instr) {
  const std::uint32_t which = watch_of_[instr.index];
  if (which == kNone) return;
  const Watch& watch = watches_[which];
  switch (watch.kind) {
    case Watch::Kind::comparison: return see_comparison(m, instr, watch, seen_[which]);
    case Watch::Kind::extreme: return see_extreme(m, instr, watch, seen_[which]);
    case Watch::Kind::selection: return see_selection(m, instr, watch, seen_[which]);
    case Watch::Kind::range: return see_range(m, instr, watch, seen_[which]);
    case Watch::Kind::access: return see_access(m, instr, watch, seen_[which]);
  }
}

void Watcher::see_comparison(Machine& m, const Instr& instr, const Watch& watch, Seen& seen) {
  std::int64_t a[kWarpSize], b[kWarpSize];
  const bool near = values_of(head_at(m, instr.a), m.active, watch.bytes, watch.is_signed, a) &&
                    values_of(head_at(m, instr.b), m.active, watch.bytes, watch.is_signed, b);
  if (!near) {
    stands_alone_ = true;
    return;
  }
  for_lanes(m.active, [&](int l) {
    seen.a.add(a[l]);
    seen.b.add(b[l]);
    seen.differences.add(a[l] - b[l]);
  });
}

void Watcher::see_extreme(Machine& m, const Instr& instr, const Watch& watch, Seen& seen) {
  see_comparison(m, instr, watch, seen);
  // Where both are equal, either is taken.
  seen.took[0] = !(watch.is_max ? seen.differences.above : seen.differences.below).empty();
  seen.took[1] = !(watch.is_max ? seen.differences.below : seen.differences.above).empty();
  if (seen.took[1 - watch.operand]) stands_alone_ = true;
}

void Watcher::see_selection(Machine& m, const Instr& instr, const Watch& watch, Seen& seen) {
  const auto holds = static_cast<std::uint32_t>(head_at(m, instr.c).base) ^
                     ((instr.flags & kSecondNegated) != 0 ? 0xffffffffu : 0u);
  seen.took[0] = seen.took[0] || (holds & m.active) != 0;
  seen.took[1] = seen.took[1] || (~holds & m.active) != 0;
  if (seen.took[1 - watch.operand]) stands_alone_ = true;
}

void Watcher::see_range(Machine& m, const Instr& instr, const Watch& watch, Seen& seen) {
  std::int64_t values[kWarpSize];
  if (!values_of(head_at(m, watch.operand == 0 ? instr.a : instr.b), m.active, watch.bytes, watch.is_signed,
                 values))
    stands_alone_ = true;
  if (stands_alone_) return;
  for_lanes(m.active, [&](int l) { seen.a.add(values[l]); });
}

void Watcher::see_access(Machine& m, const Instr& instr, const Watch& watch, Seen& seen) {
  for (int which = 0; m.active != 0 && which < count_accesses(instr); ++which)
    see_piece(m, instr, watch, seen, which);
}

void Watcher::see_piece(Machine& m, const Instr& instr, const Watch& watch, Seen& seen, int which) {
  std::int64_t address[kWarpSize];
  const bool wide = (instr.flags & kWideAddress) != 0;
  if (!values_of(head_at(m, instr.a), m.active, wide ? 8 : 4, false, address)) {
    stands_alone_ = true;
    return;
  }
  Span span;
  const auto offsets = piece_offsets(m, instr, which);
  for_lanes(m.active, [&](int l) {
    address[l] += instr.imm + static_cast<std::int64_t>(offsets[static_cast<std::size_t>(l)]);
    span.add(address[l]);
  });
  if (watch.stores && meet(address, m.active, watch.bytes)) needs_values_ = true;
  if (!watch.a.any()) return;
  for (InRegion& known : seen.regions) {
    const auto base = static_cast<std::int64_t>(known.region->base),
               end = base + static_cast<std::int64_t>(known.region->bytes);
    if (span.low < base || span.high + watch.bytes > end) continue;
    known.first.add(span.low);
    known.first.add(span.high);
    return;
  }
  if (watch.in_shared) shared_ = {.base = m.shared.begin, .bytes = m.shared.end - m.shared.begin};
  const Region* region =
      watch.in_shared ? &shared_ : find_region(m, static_cast<std::uint64_t>(span.low), watch.bytes);
  if (region == nullptr || static_cast<std::uint64_t>(span.low) < region->base ||
      static_cast<std::uint64_t>(span.high) + watch.bytes > region->base + region->bytes) {
    stands_alone_ = true;  // It reaches over the end of a buffer, or lies in another space
    return;
  }
  seen.regions.push_back({.region = region, .first = span});
}

std::vector<std::uint32_t> Watcher::mispredicted_instructions() const {
  std::vector<std::uint32_t> wrong;
  for (std::size_t w = 0; w < watches_.size(); ++w) {
    const bool chooses =
        watches_[w].kind == Watch::Kind::extreme || watches_[w].kind == Watch::Kind::selection;
    if (chooses && seen_[w].took[1 - watches_[w].operand] && !seen_[w].took[watches_[w].operand])
      wrong.push_back(watches_[w].instruction);
  }
  return wrong;
}

std::vector<Bound> Watcher::bounds() const {
  Bounds bounds;
  for (std::size_t w = 0; w < watches_.size(); ++w) {
    const Watch& watch = watches_[w];
    const Seen& seen = seen_[w];
    bounds.keep_within(watch.a, seen.a, lowest(watch), highest(watch));
    bounds.keep_within(watch.b, seen.b, lowest(watch), highest(watch));
    for (const InRegion& in : seen.regions) {
      const auto base = static_cast<std::int64_t>(in.region->base);
      bounds.keep_within(watch.a, in.first, base,
                         base + static_cast<std::int64_t>(in.region->bytes) - watch.bytes);
    }
    if (watch.kind != Watch::Kind::comparison && watch.kind != Watch::Kind::extreme) continue;
    bounds.keep_outcomes({watch.a.x - watch.b.x, watch.a.y - watch.b.y, watch.a.z - watch.b.z},
                         seen.differences, zero_of(watch));
  }
  return bounds.all();
}

}  // namespace warplens::replay
