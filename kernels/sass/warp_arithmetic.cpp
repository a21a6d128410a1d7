#include <algorithm>
#include <array>
#include <bit>

#include "kernels/sass/warp.h"

namespace warplens::sass {
namespace {

std::int32_t as_signed(std::uint32_t value) {
  return static_cast<std::int32_t>(value);
}

template <class Number>
bool compares(Comparison comparison, Number a, Number b) {
  switch (comparison) {
    case Comparison::less: return a < b;
    case Comparison::equal: return a == b;
    case Comparison::less_equal: return a <= b;
    case Comparison::greater: return a > b;
    case Comparison::not_equal: return a != b;
    case Comparison::greater_equal: break;
  }
  return a >= b;
}

std::uint32_t shifted_by(std::uint32_t word, std::uint32_t by, bool left, bool is_signed) {
  const std::uint32_t amount =
      std::min(by, 63u);  // further than a word is wide: nothing, or the sign, is left
  const std::uint64_t wide = word;
  const auto sign_extended = static_cast<std::uint64_t>(std::int64_t{as_signed(word)} >> amount);
  return static_cast<std::uint32_t>(left ? wide << amount : is_signed ? sign_extended : wide >> amount);
}

/// Bit by bit: bit (a << 2 | b << 1 | c) of the table.
std::uint32_t looked_up(std::uint32_t table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result = 0;
  for (std::uint32_t row = 0; row < 8; ++row) {
    if ((table >> row & 1) == 0) continue;
    result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  }
  return result;
}

/// Bits of the result that come out alike whatever the bits are that are not known.
std::uint32_t known_of_looked_up(std::uint32_t table, const std::array<std::uint32_t, 3>& words,
                                 const std::array<std::uint32_t, 3>& known) {
  std::uint32_t may_be_one = 0, may_be_zero = 0;
  for (std::uint32_t row = 0; row < 8; ++row) {
    std::uint32_t possible = ~0u;
    for (std::size_t k = 0; k < words.size(); ++k)
      possible &= (((row << k) & 4) != 0 ? words[k] : ~words[k]) | ~known[k];
    ((table >> row & 1) != 0 ? may_be_one : may_be_zero) |= possible;
  }
  return ~(may_be_one & may_be_zero);
}

}  // namespace

std::uint32_t combined(Combination combination, std::uint32_t a, std::uint32_t b) {
  switch (combination) {
    case Combination::both: return a & b;
    case Combination::either: return a | b;
    case Combination::exclusive: break;
  }
  return a ^ b;
}

void Warp::compute(const Op& op, std::uint32_t mask) {
  // A uniform instruction is executed once for the warp.
  const std::uint32_t all = op.uniform ? kAllLanes : mask;
  if ((unknown(op.guard) & all) != 0) return clobber(op, all);
  if ((lost(op.guard) & all) != 0) moves_->stand_alone();
  mask = all & lanes_where(op.guard);
  if (mask == 0) return;
  switch (op.action) {
    case Action::multiply_add: return multiply_add(op, mask);
    case Action::multiply_add_wide: return multiply_add_wide(op, mask);
    case Action::add: return add(op, mask);
    case Action::shift_add:
    case Action::shift_add_high: return shift_add(op, mask);
    case Action::compare: return compare(op, mask);
    case Action::logic: return logic(op, mask);
    case Action::logic_predicates: return logic_predicates(op, mask);
    case Action::shift_left:
    case Action::shift_right: return shift(op, mask);
    case Action::select:
    case Action::extreme: return choose(op, mask);
    case Action::copy: return copy(op.d, op.a, mask);
    case Action::copy_pair: copy(op.d, op.a, mask); return copy(op.d + 1, op.b, mask);
    case Action::special: return special(op, mask);
    case Action::spread_bits: return spread_bits(op, mask);
    case Action::clobber: return clobber(op, mask);
    default: return compute_values(op, mask);
  }
}

void Warp::copy(std::uint32_t d, const Source& from, std::uint32_t mask) {
  Lanes room;
  const Lanes& lanes = value(from, room);
  const Operand32 operand = moves_ != nullptr ? moving(from, lanes) : Operand32{};
  if ((partly_known_[from.index] & mask) == 0) {
    write(d, lanes, mask, unknown(from));
  } else {
    Lanes known;
    for (std::size_t lane = 0; lane < known.size(); ++lane) known[lane] = known_bits(from, lane);
    write_partly(d, lanes, known, mask);
  }
  if (moves_ != nullptr) moves_->write(d, operand.move, mask);
}

void Warp::clobber(const Op& op, std::uint32_t mask) {
  for (std::uint32_t i = 0; i < op.d_count && op.d != kNoRegister; ++i) {
    forget(op.d + i, mask);
    if (moves_ != nullptr) moves_->write(op.d + i, {}, mask);
  }
  write_predicate(op.p, 0, mask, kAllLanes);
  write_predicate(op.q, 0, mask, kAllLanes);
  for (std::uint32_t p = 0; op.action == Action::spread_bits && p < kTruePredicate; ++p) {
    if ((op.amount >> p & 1) == 0) continue;
    write_predicate(p, 0, mask, kAllLanes);
    if (moves_ != nullptr) moves_->write_predicate(p, 0, mask);
  }
  if (moves_ == nullptr) return;
  moves_->write_predicate(op.p, 0, mask);
  moves_->write_predicate(op.q, 0, mask);
}

void Warp::multiply_add(const Op& op, std::uint32_t mask) {
  Lanes room_a, room_b, room_c, result;
  const Lanes &a = value(op.a, room_a), &b = value(op.b, room_b), &c = value(op.c, room_c);
  for (std::size_t lane = 0; lane < result.size(); ++lane) result[lane] = a[lane] * b[lane] + c[lane];
  if (const std::uint32_t carry = lanes_where(op.in[0]); carry != 0) {
    for (std::size_t lane = 0; lane < result.size(); ++lane) result[lane] += carry >> lane & 1;
  }
  Move move;
  if (moves_ != nullptr) {
    move = Moves::sum(moves_->product(moving(op.a, a), moving(op.b, b), mask), moving(op.c, c).move);
    move.lanes &= ~lost(op.in[0]);
  }
  write_sum(op, result, mask, unknown(op.in[0]));
  if (moves_ != nullptr) moves_->write(op.d, move, mask);
}

void Warp::multiply_add_wide(const Op& op, std::uint32_t mask) {
  Lanes room_a, room_b, room_c, room_high, low, high;
  // A minus before the third operand is of the pair.
  const Lanes &a = value(op.a, room_a), &b = value(op.b, room_b), &c = value(op.c, room_c, false),
              &c_high = value(op.c_high, room_high, false);
  for (std::size_t lane = 0; lane < low.size(); ++lane) {
    const std::uint64_t product =
        op.is_signed ? static_cast<std::uint64_t>(std::int64_t{as_signed(a[lane])} * as_signed(b[lane]))
                     : std::uint64_t{a[lane]} * b[lane];
    const std::uint64_t term = std::uint64_t{c_high[lane]} << 32 | c[lane];
    const std::uint64_t sum = op.c.negated ? product - term : product + term;
    low[lane] = static_cast<std::uint32_t>(sum);
    high[lane] = static_cast<std::uint32_t>(sum >> 32);
  }
  Move move;
  if (moves_ != nullptr) {
    const Operand32 term = moving(op.c, c), term_high = moving(op.c_high, c_high);
    const bool moves_down = op.c.negated && (term.move.shift.any() || term_high.move.shift.any());
    move = moves_down ? Move{.shift = {}, .lanes = 0}
                      : moves_->wide_product(moving(op.a, a), moving(op.b, b), term, term_high.move,
                                             op.is_signed, low, mask);
  }
  const std::uint32_t missing = unknown(op.a) | unknown(op.b) | unknown(op.c);
  write(op.d, low, mask, missing);
  write(op.d + 1, high, mask, missing | unknown(op.c_high));
  if (moves_ == nullptr) return;
  moves_->write(op.d, move, mask);
  moves_->write(op.d + 1, {{}, move.lanes}, mask);
}

/// A subtracted term is its complement plus 1, so that the carry comes out as the hardware's. An immediate's
/// sign is in its bits.
void Warp::add(const Op& op, std::uint32_t mask) {
  Lanes rooms[3], result;
  std::array<std::uint64_t, kWarpSize> sum{};
  std::uint32_t missing = 0, missing_carry = 0;
  for (std::size_t term = 0; term < 3; ++term) {
    const Source& source = *std::array{&op.a, &op.b, &op.c}[term];
    missing |= unknown(source);
    if (source.index == kZeroRegister && !source.negated && !source.inverted) continue;
    const Lanes& lanes = value(source, rooms[term], false);
    const std::uint32_t flip = source.negated ? kAllLanes : 0, one = source.negated ? 1 : 0;
    for (std::size_t lane = 0; lane < sum.size(); ++lane)
      sum[lane] += std::uint64_t{lanes[lane] ^ flip} + one;
  }
  const std::uint32_t both_known = lanes_of_one_sum(op.in[0], op.in[1]);
  for (const PredicateSource* const in : {&op.in[0], &op.in[1]}) {
    missing_carry |= unknown(*in) & ~both_known;
    const std::uint32_t carry = lanes_where(*in);
    for (std::size_t lane = 0; carry != 0 && lane < sum.size(); ++lane) sum[lane] += carry >> lane & 1;
  }
  for (std::size_t lane = 0; lane < sum.size(); ++lane) result[lane] = static_cast<std::uint32_t>(sum[lane]);
  if (moves_ != nullptr) tell_sum(op, result, mask);
  write_sum(op, result, mask, missing_carry);
  missing |= missing_carry;
  if (op.q != kTruePredicate) return write_carries(op, sum, mask, missing);
  if (op.p != kTruePredicate)
    write_predicate(op.p, lanes_that([&](std::size_t lane) { return (sum[lane] >> 32 & 1) != 0; }), mask,
                    missing);
}

/// Writes the carries. Which of the two predicates holds where a sum of three carries once is documented
/// nowhere: only both together are known.
void Warp::write_carries(const Op& op, const std::array<std::uint64_t, kWarpSize>& sum, std::uint32_t mask,
                         std::uint32_t missing) {
  write_predicate(op.p, lanes_that([&](std::size_t lane) { return sum[lane] >> 32 >= 1; }), mask, kAllLanes);
  write_predicate(op.q, lanes_that([&](std::size_t lane) { return sum[lane] >> 32 >= 2; }), mask, kAllLanes);
  auto found = std::ranges::find_if(
      carries_, [&](const Carries& carries) { return carries.p == op.p && carries.q == op.q; });
  if (found == carries_.end()) found = carries_.insert(found, {.p = op.p, .q = op.q, .lanes = 0});
  found->lanes |= mask & ~missing;
}

void Warp::tell_sum(const Op& op, const Lanes& result, std::uint32_t mask) {
  Lanes rooms[3];
  std::array<Operand32, 3> terms;
  Move move{{}, ~(lost(op.in[0]) | lost(op.in[1]))};
  bool subtracts_moving = false;
  for (std::size_t term = 0; term < terms.size(); ++term) {
    const Source& source = *std::array{&op.a, &op.b, &op.c}[term];
    terms[term] = moving(source, value(source, rooms[term]));
    subtracts_moving = subtracts_moving || (source.negated && terms[term].move.shift.any());
    move = Moves::sum(move, terms[term].move);
  }
  moves_->write(op.d, move, mask);
  if (op.p == kTruePredicate) return;
  // The complement of 0 and 1 is 2^32: the carry of what is subtracted comes otherwise there.
  if (!subtracts_moving) moves_->keep_carry(terms, result, mask);
  for (const std::uint32_t p : {op.p, op.q})
    moves_->write_predicate(p, subtracts_moving ? kAllLanes : ~move.lanes, mask);
}

void Warp::shift_add(const Op& op, std::uint32_t mask) {
  Lanes room_a, room_b, room_c, result;
  const Lanes &a = value(op.a, room_a), &b = value(op.b, room_b), &c = value(op.c, room_c);
  const bool high = op.action == Action::shift_add_high;
  std::uint32_t carries = 0;
  const std::uint32_t carried = lanes_where(op.in[0]);
  for (std::size_t lane = 0; lane < result.size(); ++lane) {
    const std::uint64_t upper = op.extends_sign ? (as_signed(a[lane]) < 0 ? kAllLanes : 0) : c[lane];
    const std::uint32_t shifted =
        high ? static_cast<std::uint32_t>((upper << 32 | a[lane]) << op.amount >> 32) : a[lane] << op.amount;
    const std::uint64_t sum = std::uint64_t{shifted} + b[lane] + (carried >> lane & 1);
    result[lane] = static_cast<std::uint32_t>(sum);
    carries |= static_cast<std::uint32_t>(sum >> 32) << lane;
  }
  if (moves_ != nullptr)
    tell_shift_add(op, {moving(op.a, a), moving(op.b, b), moving(op.c, c)}, result, mask);
  const std::uint32_t missing =
      unknown(op.a) | unknown(op.b) | (high ? unknown(op.c) : 0) | unknown(op.in[0]);
  write(op.d, result, mask, missing);
  write_predicate(op.p, carries, mask, missing);
}

/// `operands`: a, b, c.
void Warp::tell_shift_add(const Op& op, const std::array<Operand32, 3>& operands, const Lanes& result,
                          std::uint32_t mask) {
  const auto& [a, b, c] = operands;
  if (op.action == Action::shift_add_high) {
    const Move upper = !op.extends_sign ? moves_->shifted_left(c, op.amount)
                                        : Move{{}, a.move.shift.any() ? 0 : a.move.lanes};
    Move move = Moves::sum(Moves::sum(moves_->carried_up(a, op.amount, mask), upper), b.move);
    move.lanes &= ~lost(op.in[0]);
    moves_->write(op.d, move, mask);
    return moves_->write_predicate(op.p, move.shift.any() ? kAllLanes : ~move.lanes, mask);
  }
  Lanes shifted;
  for (std::size_t lane = 0; lane < shifted.size(); ++lane) shifted[lane] = a.lanes[lane] << op.amount;
  const std::array<Operand32, 2> terms{Operand32{shifted, moves_->shifted_left(a, op.amount)}, b};
  const Move move = Moves::sum(terms[0].move, b.move);
  moves_->write(op.d, move, mask);
  if (op.p == kTruePredicate) return;
  moves_->keep_carry(terms, result, mask);
  moves_->write_predicate(op.p, ~move.lanes, mask);
}

void Warp::compare(const Op& op, std::uint32_t mask) {
  Lanes room_a, room_b;
  const Lanes &a = value(op.a, room_a), &b = value(op.b, room_b);
  std::uint32_t holds =
      op.is_signed ? lanes_that([&](std::size_t lane) {
        return compares(op.comparison, as_signed(a[lane]), as_signed(b[lane]));
      })
                   : lanes_that([&](std::size_t lane) { return compares(op.comparison, a[lane], b[lane]); });
  std::uint32_t missing = unknown(op.a) | unknown(op.b) | unknown(op.in[0]);
  if (op.extended) {  // Where the upper words are equal, the lower ones decide
    const std::uint32_t equal = lanes_that([&](std::size_t lane) { return a[lane] == b[lane]; });
    holds = (holds & ~equal) | (lanes_where(op.in[1]) & equal);
    missing |= unknown(op.in[1]);
  }
  const std::uint32_t other = lanes_where(op.in[0]);
  if (moves_ != nullptr) {
    std::uint32_t uncertain =
        moves_->compare(moving(op.a, a), moving(op.b, b), op.comparison, op.is_signed, mask) | lost(op.in[0]);
    if (op.extended)
      uncertain |= moves_->of(op.a.index).shift.any() || moves_->of(op.b.index).shift.any() ? kAllLanes
                                                                                            : lost(op.in[1]);
    moves_->write_predicate(op.p, uncertain, mask);
    moves_->write_predicate(op.q, uncertain, mask);
  }
  write_predicate(op.p, combined(op.combination, holds, other), mask, missing);
  write_predicate(op.q, combined(op.combination, ~holds, other), mask, missing);
}

void Warp::logic(const Op& op, std::uint32_t mask) {
  Lanes room_a, room_b, room_c, result;
  const Lanes &a = value(op.a, room_a), &b = value(op.b, room_b), &c = value(op.c, room_c);
  for (std::size_t lane = 0; lane < result.size(); ++lane)
    result[lane] = looked_up(op.amount, a[lane], b[lane], c[lane]);
  const std::uint32_t missing = unknown(op.a) | unknown(op.b) | unknown(op.c);
  if (moves_ != nullptr) {
    const std::array<Operand32, 3> operands{moving(op.a, a), moving(op.b, b), moving(op.c, c)};
    Move move = moves_->looked_up(op.amount, operands, mask);
    // A bit that masks an unknown one out may not do so where it moves.
    if (std::ranges::any_of(operands, [](const Operand32& operand) { return operand.move.shift.any(); }))
      move.lanes &= ~missing;
    moves_->write(op.d, move, mask);
    moves_->write_predicate(op.p, move.shift.any() ? kAllLanes : ~move.lanes, mask);
  }
  if (op.p == kTruePredicate && (missing & mask) == 0) return write(op.d, result, mask, 0);
  Lanes known;
  known.fill(kAllLanes);
  for (std::uint32_t lanes = missing & mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    known[lane] =
        known_of_looked_up(op.amount, {a[lane], b[lane], c[lane]},
                           {known_bits(op.a, lane), known_bits(op.b, lane), known_bits(op.c, lane)});
  }
  if (op.p != kTruePredicate) {
    const std::uint32_t uncertain = lanes_that([&](std::size_t lane) { return known[lane] != kAllLanes; });
    write_predicate(op.p, lanes_that([&](std::size_t lane) { return result[lane] != 0; }), mask, uncertain);
  }
  write_partly(op.d, result, known, mask);
}

void Warp::logic_predicates(const Op& op, std::uint32_t mask) {
  const std::uint32_t a = lanes_where(op.in[0]), b = lanes_where(op.in[1]), c = lanes_where(op.in[2]);
  const std::uint32_t missing = unknown(op.in[0]) | unknown(op.in[1]) | unknown(op.in[2]);
  if (moves_ != nullptr) {
    const std::uint32_t uncertain = lost(op.in[0]) | lost(op.in[1]) | lost(op.in[2]);
    moves_->write_predicate(op.p, uncertain, mask);
    moves_->write_predicate(op.q, uncertain, mask);
  }
  write_predicate(op.p, looked_up(op.amount, a, b, c), mask, missing);
  write_predicate(op.q, looked_up(op.amount_2, a, b, c), mask, missing);
}

void Warp::shift(const Op& op, std::uint32_t mask) {
  Lanes room_a, room_b, result;
  const bool left = op.action == Action::shift_left;
  const Source& shifted = left ? op.a : op.c;
  const Lanes &from = value(shifted, room_a), &by = value(op.b, room_b);
  for (std::size_t lane = 0; lane < result.size(); ++lane)
    result[lane] = shifted_by(from[lane], by[lane], left, op.is_signed);
  if (moves_ != nullptr) {
    const Operand32 moved = moving(shifted, from), amount = moving(op.b, by);
    const std::uint32_t one = by[static_cast<std::size_t>(std::countr_zero(mask))];
    const bool all_alike =
        !lanes_that([&](std::size_t lane) { return (mask >> lane & 1) != 0 && by[lane] != one; });
    Move move{{}, moved.move.lanes};
    if (moved.move.shift.any())
      move = left ? moves_->shifted_left(moved, one) : moves_->shifted_right(moved, one, op.is_signed, mask);
    if ((moved.move.shift.any() && !all_alike) || amount.move.shift.any()) move = {{}, 0};
    move.lanes &= amount.move.lanes;
    moves_->write(op.d, move, mask);
  }
  if ((partly_known_[shifted.index] & mask) == 0)
    return write(op.d, result, mask, unknown(shifted) | unknown(op.b));
  Lanes known{};
  for (std::uint32_t lanes = mask & ~unknown(op.b); lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    known[lane] = ~shifted_by(~known_bits(shifted, lane), by[lane], left, op.is_signed);
  }
  write_partly(op.d, result, known, mask);
}

void Warp::choose(const Op& op, std::uint32_t mask) {
  Lanes room_a, room_b, room_c, result;
  const Lanes &a = value(op.a, room_a), &b = value(op.b, room_b), &c = value(op.c, room_c);
  const std::uint32_t chosen = lanes_where(op.in[0]);
  std::uint32_t takes_first = 0;
  Lanes sums;
  for (std::size_t lane = 0; lane < result.size(); ++lane) {
    bool first = (chosen >> lane & 1) != 0;
    const std::uint32_t sum = sums[lane] = a[lane] + c[lane];
    if (op.action == Action::extreme) {
      const bool smaller = op.is_signed ? as_signed(sum) < as_signed(b[lane]) : sum < b[lane];
      first = first == smaller;
    }
    result[lane] = first ? sum : b[lane];
    takes_first |= static_cast<std::uint32_t>(first) << lane;
  }
  if (moves_ != nullptr) {
    const Operand32 one{sums, Moves::sum(moving(op.a, a).move, moving(op.c, c).move)},
        other = moving(op.b, b);
    std::uint32_t uncertain = lost(op.in[0]);
    if (op.action == Action::extreme)
      uncertain |= moves_->compare(one, other, Comparison::less, op.is_signed, mask);
    Move move = Moves::chosen(one.move, other.move, takes_first, mask);
    move.lanes &= ~uncertain;
    moves_->write(op.d, move, mask);
  }
  const std::uint32_t missing = unknown(op.a) | unknown(op.b) | unknown(op.c) | unknown(op.in[0]);
  if (op.action == Action::extreme || (missing & mask) == 0) return write(op.d, result, mask, missing);
  Lanes known{};
  for (std::uint32_t lanes = mask & ~unknown(op.in[0]); lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    known[lane] = known_bits((takes_first >> lane & 1) != 0 ? op.a : op.b, lane);
  }
  write_partly(op.d, result, known, mask);
}

void Warp::spread_bits(const Op& op, std::uint32_t mask) {
  for (std::uint32_t p = 0; p < kTruePredicate; ++p) {
    if ((op.amount >> p & 1) == 0) continue;
    const Lanes& a = registers_[op.a.index];
    write_predicate(p, lanes_that([&](std::size_t lane) { return (a[lane] >> p & 1) != 0; }), mask,
                    unknown(op.a));
    if (moves_ != nullptr) moves_->write_predicate(p, kAllLanes, mask);
  }
}

void Warp::special(const Op& op, std::uint32_t mask) {
  Lanes result;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const Dim3 thread = index_from_linear(launch_.block, std::uint64_t{warp_} * kWarpSize + lane);
    switch (op.special) {
      case SpecialValue::tid_x: result[lane] = thread.x; break;
      case SpecialValue::tid_y: result[lane] = thread.y; break;
      case SpecialValue::tid_z: result[lane] = thread.z; break;
      case SpecialValue::ctaid_x: result[lane] = block_.x; break;
      case SpecialValue::ctaid_y: result[lane] = block_.y; break;
      case SpecialValue::ctaid_z: result[lane] = block_.z; break;
      case SpecialValue::lane: result[lane] = lane; break;
      case SpecialValue::lanes_below: result[lane] = (1u << lane) - 1; break;
      case SpecialValue::cluster_rank: result[lane] = rank_in_cluster(); break;
      case SpecialValue::lanes_above: result[lane] = lane == 31 ? 0 : kAllLanes << (lane + 1); break;
    }
  }
  write(op.d, result, mask, 0);
  if (moves_ == nullptr) return;
  const Axes& axes = moves_->axes();
  const auto is = [&](SpecialValue which, bool along) { return std::int64_t{along && op.special == which}; };
  const bool is_lost = op.special == SpecialValue::cluster_rank && launch_.cluster.count() > 1;
  moves_->write(op.d,
                {{is(SpecialValue::ctaid_x, axes.x), is(SpecialValue::ctaid_y, axes.y),
                  is(SpecialValue::ctaid_z, axes.z)},
                 is_lost ? 0 : kAllLanes},
                mask);
}

std::uint32_t Warp::rank_in_cluster() const {
  const Dim3 size = launch_.cluster;
  return block_.x % size.x + size.x * (block_.y % size.y + size.y * (block_.z % size.z));
}

}  // namespace warplens::sass
