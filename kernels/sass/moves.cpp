#include "kernels/sass/moves.h"

#include <algorithm>
#include <bit>

namespace warplens::sass {
namespace {

const Move kLost{.shift = {}, .lanes = 0};

std::int64_t wrapped(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}
Shift wrapped(const Shift& shift) {
  return {wrapped(shift.x), wrapped(shift.y), wrapped(shift.z)};
}
/// Neither a factor nor a shift of 32 bits overflows.
Shift times(const Shift& shift, std::int64_t factor) {
  return {shift.x * factor, shift.y * factor, shift.z * factor};
}
Shift plus(const Shift& a, const Shift& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
bool fits(const Shift& shift) {
  return wrapped(shift) == shift;
}
bool is_multiple(const Shift& shift, std::int64_t of) {
  return shift.x % of == 0 && shift.y % of == 0 && shift.z % of == 0;
}

/// The value that all lanes have, if they have one.
std::optional<std::uint32_t> one_value(std::span<const std::uint32_t> lanes, std::uint32_t mask) {
  const std::uint32_t value = lanes[static_cast<std::size_t>(std::countr_zero(mask))];
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    if (lanes[static_cast<std::size_t>(std::countr_zero(left))] != value) return std::nullopt;
  }
  return value;
}

std::int64_t number(std::uint32_t bits, bool is_signed) {
  return is_signed ? std::int64_t{static_cast<std::int32_t>(bits)} : std::int64_t{bits};
}

Span span_of(std::span<const std::uint32_t> lanes, bool is_signed, std::uint32_t mask) {
  Span span;
  for (; mask != 0; mask &= mask - 1)
    span.add(number(lanes[static_cast<std::size_t>(std::countr_zero(mask))], is_signed));
  return span;
}

}  // namespace

void Moves::begin_block(const Axes& axes) {
  axes_ = axes;
  bounds_.clear();
  site_.assign(site_.size(), std::nullopt);
  stands_alone_ = false;
}

void Moves::begin_warp() {
  registers_.assign(registers_.size(), Move{});
  predicates_.fill(0);
}

void Moves::write(std::uint32_t reg, const Move& move, std::uint32_t mask) {
  if (reg == kNoRegister || reg >= kRegisters) return;
  Move& to = registers_[reg];
  if (to.shift == move.shift) {
    to.lanes = (to.lanes & ~mask) | (move.lanes & mask);
  } else {
    to = {move.shift, move.lanes & mask};
  }
}

void Moves::write_predicate(std::uint32_t p, std::uint32_t lost, std::uint32_t mask) {
  if (p != kTruePredicate) predicates_[p] = (predicates_[p] & ~mask) | (lost & mask);
}

Move Moves::negated(const Move& move) {
  return {wrapped(times(move.shift, -1)), move.lanes};
}

Move Moves::sum(const Move& a, const Move& b) {
  return {wrapped(plus(a.shift, b.shift)), a.lanes & b.lanes};
}

Move Moves::product(const Operand32& a, const Operand32& b, std::uint32_t mask) const {
  const std::uint32_t lanes = a.move.lanes & b.move.lanes;
  if (!a.move.shift.any() && !b.move.shift.any()) return {{}, lanes};
  const Operand32 &moving = a.move.shift.any() ? a : b, &fixed = a.move.shift.any() ? b : a;
  const auto factor = one_value(fixed.lanes, mask);
  if (fixed.move.shift.any() || !factor) return kLost;
  return {wrapped(times(moving.move.shift, number(*factor, true))), lanes};
}

void Moves::keep_within_word(const Operand32& operand, bool is_signed, std::uint32_t mask) {
  if (!operand.move.shift.any()) return;
  bounds_.keep_within(operand.move.shift, span_of(operand.lanes, is_signed, mask & operand.move.lanes),
                      is_signed ? INT32_MIN : 0, is_signed ? INT32_MAX : std::int64_t{UINT32_MAX});
}

Move Moves::wide_product(const Operand32& a, const Operand32& b, const Operand32& low, const Move& high,
                         bool is_signed, std::span<const std::uint32_t> result, std::uint32_t mask) {
  const std::uint32_t lanes = a.move.lanes & b.move.lanes & low.move.lanes & high.lanes;
  Shift shift;
  if (a.move.shift.any() || b.move.shift.any()) {
    const Operand32 &moving = a.move.shift.any() ? a : b, &fixed = a.move.shift.any() ? b : a;
    const auto factor = one_value(fixed.lanes, mask);
    if (fixed.move.shift.any() || !factor) return kLost;
    keep_within_word(moving, is_signed, mask);
    shift = times(moving.move.shift, number(*factor, is_signed));
  }
  if (high.shift.any() || !fits(shift)) return kLost;
  keep_within_word(low, false, mask);
  shift = plus(shift, low.move.shift);
  if (!fits(shift)) return kLost;
  keep_within_word({result, {shift, lanes}}, false, mask);
  return {shift, lanes};
}

void Moves::keep_carry(std::span<const Operand32> terms, std::span<const std::uint32_t> result,
                       std::uint32_t mask) {
  Shift shift;
  std::uint32_t lanes = mask;
  for (const Operand32& term : terms) {
    keep_within_word(term, false, mask);
    shift = plus(shift, term.move.shift);
    lanes &= term.move.lanes;
  }
  if (shift.any()) bounds_.keep_within(shift, span_of(result, false, lanes), 0, std::int64_t{UINT32_MAX});
}

Move Moves::shifted_left(const Operand32& a, std::uint32_t by) const {
  if (by >= 32) return {{}, a.move.lanes};
  return {wrapped(times(a.move.shift, std::int64_t{1} << by)), a.move.lanes};
}

Move Moves::shifted_right(const Operand32& a, std::uint32_t by, bool is_signed, std::uint32_t mask) {
  if (!a.move.shift.any()) return a.move;
  if (by >= 31 || !is_multiple(a.move.shift, std::int64_t{1} << by)) return kLost;
  keep_within_word(a, is_signed, mask);
  return {{a.move.shift.x >> by, a.move.shift.y >> by, a.move.shift.z >> by}, a.move.lanes};
}

Move Moves::carried_up(const Operand32& a, std::uint32_t by, std::uint32_t mask) {
  if (!a.move.shift.any() || by == 0) return {{}, a.move.lanes};
  if (by >= 32) return kLost;
  // The bits that stay below, and how they move: as long as they keep within a word, those above are the
  // same.
  std::array<std::uint32_t, kWarpSize> below{};
  for (std::size_t lane = 0; lane < below.size(); ++lane) below[lane] = a.lanes[lane] << by;
  keep_within_word(a, false, mask);
  bounds_.keep_within(times(a.move.shift, std::int64_t{1} << by), span_of(below, false, mask & a.move.lanes),
                      0, std::int64_t{UINT32_MAX});
  return {{}, a.move.lanes};
}

Move Moves::looked_up(std::uint32_t table, std::span<const Operand32> operands, std::uint32_t mask) const {
  std::uint32_t lanes = 0xffffffffu;
  std::optional<std::size_t> moving;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    lanes &= operands[k].move.lanes;
    if (!operands[k].move.shift.any()) continue;
    if (moving) return kLost;
    moving = k;
  }
  if (!moving) return {{}, lanes};
  // Which bits of the result are that of the moving word, given what the others hold.
  std::array<std::uint32_t, 2> result{};
  for (std::uint32_t one = 0; one < 2; ++one) {
    std::array<std::uint32_t, 3> words{};
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (k == *moving) {
        words[k] = one != 0 ? ~0u : 0u;
        continue;
      }
      const auto value = one_value(operands[k].lanes, mask);
      if (!value) return kLost;
      words[k] = *value;
    }
    for (std::uint32_t row = 0; row < 8; ++row) {
      if ((table >> row & 1) == 0) continue;
      result[one] |= ((row & 4) != 0 ? words[0] : ~words[0]) & ((row & 2) != 0 ? words[1] : ~words[1]) &
                     ((row & 1) != 0 ? words[2] : ~words[2]);
    }
  }
  const std::uint32_t passed = result[1] & ~result[0], turned = result[0] & ~result[1];
  const Shift& shift = operands[*moving].move.shift;
  // Bits below the lowest that moves stay, whatever becomes of them.
  const std::uint64_t all = static_cast<std::uint64_t>(shift.x) | static_cast<std::uint64_t>(shift.y) |
                            static_cast<std::uint64_t>(shift.z);
  const std::uint32_t upper = ~0u << std::min(std::countr_zero(all), 31);
  if (((passed | turned) & upper) == 0) return {{}, lanes};
  if ((passed & upper) == upper) return {shift, lanes};
  if ((turned & upper) == upper) return {wrapped(times(shift, -1)), lanes};
  return kLost;
}

std::uint32_t Moves::compare(const Operand32& a, const Operand32& b, Comparison comparison, bool is_signed,
                             std::uint32_t mask) {
  const std::uint32_t lost = ~(a.move.lanes & b.move.lanes);
  if (!a.move.shift.any() && !b.move.shift.any()) return lost;
  keep_within_word(a, is_signed, mask);
  keep_within_word(b, is_signed, mask);
  Differences differences;
  for (std::uint32_t left = mask & ~lost; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    differences.add(number(a.lanes[lane], is_signed) - number(b.lanes[lane], is_signed));
  }
  const bool with_above = comparison == Comparison::less || comparison == Comparison::greater_equal;
  const bool with_below = comparison == Comparison::less_equal || comparison == Comparison::greater;
  bounds_.keep_outcomes(plus(a.move.shift, times(b.move.shift, -1)), differences,
                        with_above   ? Zero::with_above
                        : with_below ? Zero::with_below
                                     : Zero::apart);
  return lost;
}

Move Moves::chosen(const Move& a, const Move& b, std::uint32_t first, std::uint32_t mask) {
  if (a.shift == b.shift) return {a.shift, (a.lanes & first) | (b.lanes & ~first)};
  if ((first & mask) == mask) return a;
  if ((first & mask) == 0) return b;
  return {a.shift, a.lanes & first};
}

void Moves::access(std::uint32_t site, const Operand32& low, const Move& high, const Operand32& uniform,
                   const Move& uniform_high, bool may_move, std::uint32_t mask) {
  const std::uint32_t lanes = low.move.lanes & high.lanes & uniform.move.lanes & uniform_high.lanes;
  const Shift shift = plus(low.move.shift, uniform.move.shift);
  if ((mask & ~lanes) != 0 || high.shift.any() || uniform_high.shift.any() || (shift.any() && !may_move))
    return stand_alone();
  keep_within_word(low, false, mask);
  keep_within_word(uniform, false, mask);
  if (!site_[site]) site_[site] = shift;
  if (*site_[site] != shift) stand_alone();
}

}  // namespace warplens::sass
