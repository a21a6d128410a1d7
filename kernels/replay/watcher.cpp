#include "kernels/replay/watcher.h"

#include <algorithm>
#include <bit>
#include <map>

namespace warplens::replay {
namespace {

/// Values beyond this are not compared: their differences could overflow.
constexpr std::int64_t kFar = std::int64_t{1} << 61;

const Head& head_at(const Machine& m, std::uint32_t offset) {
  return *reinterpret_cast<const Head*>(m.registers + offset);
}

/// The 32 values of a register, as numbers. False: one of the active lanes' lies too far out.
bool values_of(const Head& head, std::uint32_t active, int bytes, bool is_signed, std::int64_t (&values)[kWarpSize]) {
  bool near = true;
  for (int l = 0; l < kWarpSize; ++l) {
    std::uint64_t bits = head.base + static_cast<std::uint64_t>(l) * static_cast<std::uint64_t>(head.stride);
    if (head.form == Form::vector) {
      bits = bytes == 8 ? static_cast<const std::uint64_t*>(head.lanes)[l] : static_cast<const std::uint32_t*>(head.lanes)[l];
    }
    values[l] = bytes == 8 ? static_cast<std::int64_t>(bits) : is_signed ? static_cast<std::int32_t>(bits) : static_cast<std::uint32_t>(bits);
    near &= (active >> l & 1) == 0 || (values[l] < kFar && values[l] >= (is_signed ? -kFar : 0));
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

class Bounds {
 public:
  void add(const Shift& shift, std::int64_t low, std::int64_t high) {
    if (!shift.any()) return;
    Bound& bound = by_shift_.try_emplace(shift, Bound{.shift = shift}).first->second;
    bound.low = std::max(bound.low, low);
    bound.high = std::min(bound.high, high);
  }
  [[nodiscard]] std::vector<Bound> take() const {
    std::vector<Bound> all;
    for (const auto& [shift, bound] : by_shift_) all.push_back(bound);
    return all;
  }

 private:
  std::map<Shift, Bound> by_shift_;
};

/// What a type holds, as far as `values_of` takes it.
std::int64_t lowest(const Watch& watch) {
  return !watch.is_signed ? 0 : watch.bytes == 4 ? INT32_MIN : -kFar;
}
std::int64_t highest(const Watch& watch) {
  return watch.bytes == 8 ? kFar : watch.is_signed ? INT32_MAX : std::int64_t{UINT32_MAX};
}

}  // namespace

void Watcher::Span::add(std::int64_t value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

Watcher::Watcher(std::span<const Watch> watches, std::vector<Handler> handlers)
    : watches_(watches), handlers_(std::move(handlers)), watch_of_(handlers_.size()), seen_(watches.size()) {
  for (std::uint32_t w = 0; w < watches.size(); ++w) watch_of_[watches[w].instruction] = w;
}

void Watcher::begin_block() {
  std::ranges::fill(seen_, Seen{});
  stands_alone_ = needs_values_ = false;
}

void Watcher::see(Machine& m, const Instr& instr) {
  const std::uint32_t which = watch_of_[instr.index];
  const Watch& watch = watches_[which];
  switch (watch.kind) {
    case Watch::Kind::comparison: return see_comparison(m, instr, watch, seen_[which]);
    case Watch::Kind::range: return see_range(m, instr, watch, seen_[which]);
    case Watch::Kind::access: return see_access(m, instr, watch, seen_[which]);
  }
}

void Watcher::see_comparison(Machine& m, const Instr& instr, const Watch& watch, Seen& seen) {
  std::int64_t a[kWarpSize], b[kWarpSize];
  const bool near = values_of(head_at(m, instr.a), m.active, watch.bytes, watch.is_signed, a) &&
                    values_of(head_at(m, instr.b), m.active, watch.bytes, watch.is_signed, b);
  if (!near) stands_alone_ = true;
  if (stands_alone_) return;
  for_lanes(m.active, [&](int l) {
    seen.a.add(a[l]);
    seen.b.add(b[l]);
    const std::int64_t difference = a[l] - b[l];
    if (difference == 0) {
      seen.equal = true;
    } else {
      (difference < 0 ? seen.below : seen.above).add(difference);
    }
  });
}

void Watcher::see_range(Machine& m, const Instr& instr, const Watch& watch, Seen& seen) {
  std::int64_t values[kWarpSize];
  if (!values_of(head_at(m, watch.operand == 0 ? instr.a : instr.b), m.active, watch.bytes, watch.is_signed, values)) stands_alone_ = true;
  if (stands_alone_) return;
  for_lanes(m.active, [&](int l) { seen.a.add(values[l]); });
}

void Watcher::see_access(Machine& m, const Instr& instr, const Watch& watch, Seen& seen) {
  if (m.active == 0) return;
  std::int64_t address[kWarpSize];
  const bool wide = (instr.flags & kWideAddress) != 0;
  if (!values_of(head_at(m, instr.a), m.active, wide ? 8 : 4, false, address)) {
    stands_alone_ = true;
    return;
  }
  Span span;
  for_lanes(m.active, [&](int l) {
    address[l] += instr.imm;
    span.add(address[l]);
  });
  if (watch.stores && meet(address, m.active, watch.bytes)) needs_values_ = true;
  if (!watch.a.any()) return;
  for (InRegion& known : seen.regions) {
    const auto base = static_cast<std::int64_t>(known.region->base), end = base + static_cast<std::int64_t>(known.region->bytes);
    if (span.low < base || span.high + watch.bytes > end) continue;
    known.first.add(span.low);
    known.first.add(span.high);
    return;
  }
  const Region* region = find_region(m, static_cast<std::uint64_t>(span.low), watch.bytes);
  if (region == nullptr || static_cast<std::uint64_t>(span.high) + watch.bytes > region->base + region->bytes) {
    stands_alone_ = true;  // It reaches over the end of a buffer, or lies in another space
    return;
  }
  seen.regions.push_back({.region = region, .first = span});
}

std::vector<Bound> Watcher::bounds() const {
  Bounds bounds;
  for (std::size_t w = 0; w < watches_.size(); ++w) {
    const Watch& watch = watches_[w];
    const Seen& seen = seen_[w];
    const auto stay_within = [&](const Shift& shift, const Span& values, std::int64_t low, std::int64_t high) {
      if (!values.empty()) bounds.add(shift, low - values.low, high - values.high);
    };
    stay_within(watch.a, seen.a, lowest(watch), highest(watch));
    stay_within(watch.b, seen.b, lowest(watch), highest(watch));
    if (watch.kind == Watch::Kind::access) {
      for (const InRegion& in : seen.regions) {
        const auto base = static_cast<std::int64_t>(in.region->base);
        stay_within(watch.a, in.first, base, base + static_cast<std::int64_t>(in.region->bytes) - watch.bytes);
      }
    }
    if (watch.kind != Watch::Kind::comparison) continue;
    // The difference grows by the difference of the shifts. Equality counts as above for some comparisons, as below for others.
    const Shift difference{watch.a.x - watch.b.x, watch.a.y - watch.b.y, watch.a.z - watch.b.z};
    using C = ptx::Compare;
    const C compare = watch.compare;
    const bool with_above = compare == C::lt || compare == C::ge || compare == C::lo || compare == C::hs;
    const bool with_below = compare == C::le || compare == C::gt || compare == C::ls || compare == C::hi;
    if (!seen.below.empty()) bounds.add(difference, INT64_MIN, (with_below ? 0 : -1) - seen.below.high);
    if (!seen.above.empty()) bounds.add(difference, (with_above ? 0 : 1) - seen.above.low, INT64_MAX);
    if (seen.equal) bounds.add(difference, with_below ? INT64_MIN : 0, with_above ? INT64_MAX : 0);
  }
  return bounds.take();
}

}  // namespace warplens::replay
