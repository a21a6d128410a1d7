// Registers and predicates: their values, and which of them are known.
#include <algorithm>
#include <array>
#include <bit>

#include "kernels/sass/warp.h"

namespace warplens::sass {

const Warp::Lanes& Warp::value(const Source& source, Lanes& room, bool negate) const {
  const Lanes& lanes = registers_[source.index];
  negate = negate && source.negated;
  if (!source.inverted && !negate) return lanes;
  const std::uint32_t flip = source.inverted ? kAllLanes : 0;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    room[lane] = negate ? 0 - (lanes[lane] ^ flip) : lanes[lane] ^ flip;
  return room;
}

Operand32 Warp::moving(const Source& source, const Lanes& lanes, bool negate) const {
  const Move move = moves_->of(source.index);
  return {lanes, source.inverted != (negate && source.negated) ? Moves::negated(move) : move};
}

void Warp::write(std::uint32_t d, const Lanes& lanes, std::uint32_t mask, std::uint32_t unknown) {
  if (d == kNoRegister || d >= kRegisters) return;
  Lanes& to = registers_[d];
  if (mask == kAllLanes) {
    to = lanes;
  } else {
    for (std::size_t lane = 0; lane < to.size(); ++lane)
      to[lane] = (mask >> lane & 1) != 0 ? lanes[lane] : to[lane];
  }
  unknown_registers_[d] = (unknown_registers_[d] & ~mask) | (unknown & mask);
  partly_known_[d] &= ~mask;
  versions_[d] = ++clock_;
}

void Warp::write_partly(std::uint32_t d, const Lanes& lanes, const Lanes& known, std::uint32_t mask) {
  write(d, lanes, mask, lanes_that([&](std::size_t lane) { return known[lane] != kAllLanes; }));
  if (d == kNoRegister || d >= kRegisters) return;
  const std::uint32_t partly =
      lanes_that([&](std::size_t lane) { return known[lane] != 0; }) & unknown_registers_[d] & mask;
  partly_known_[d] |= partly;
  for (std::size_t lane = 0; lane < known.size(); ++lane) {
    if ((partly >> lane & 1) != 0) known_bits_[d][lane] = known[lane];
  }
}

void Warp::write_sum(const Op& op, const Lanes& lanes, std::uint32_t mask, std::uint32_t unknown_carry) {
  const std::array<const Source*, 3> terms{&op.a, &op.b, &op.c};
  std::uint32_t missing = unknown_carry, partly = 0;
  for (const Source* const term : terms) {
    missing |= unknown(*term);
    partly |= partly_known_[term->index];
  }
  if ((partly & missing & mask) == 0) return write(op.d, lanes, mask, missing);
  Lanes known{};
  for (std::uint32_t left = mask & ~unknown_carry; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    std::uint32_t all = kAllLanes;
    for (const Source* const term : terms) all &= known_bits(*term, lane);
    const int low = std::countr_one(all);
    known[lane] = low == 32 ? kAllLanes : (1u << low) - 1;
  }
  write_partly(op.d, lanes, known, mask);
}

std::uint32_t Warp::known_bits(const Source& source, std::size_t lane) const {
  if ((unknown_registers_[source.index] >> lane & 1) == 0) return kAllLanes;
  const bool partly = !source.negated && (partly_known_[source.index] >> lane & 1) != 0;
  return partly ? known_bits_[source.index][lane] : 0;
}

void Warp::forget(std::uint32_t d, std::uint32_t mask) {
  if (d == kNoRegister || d >= kRegisters) return;
  unknown_registers_[d] |= mask;
  partly_known_[d] &= ~mask;
  versions_[d] = ++clock_;
}

std::uint32_t Warp::lanes_of_one_sum(const PredicateSource& a, const PredicateSource& b) const {
  if (a.negated || b.negated) return 0;
  const auto are_both = [&](const Carries& c) {
    return (c.p == a.index && c.q == b.index) || (c.p == b.index && c.q == a.index);
  };
  const auto found = std::ranges::find_if(carries_, are_both);
  return found != carries_.end() ? found->lanes : 0;
}

void Warp::write_predicate(std::uint32_t p, std::uint32_t lanes, std::uint32_t mask, std::uint32_t unknown) {
  if (p == kTruePredicate) return;
  tell_of_waits_ &= ~(1u << p);
  predicates_[p] = (predicates_[p] & ~mask) | (lanes & mask);
  unknown_predicates_[p] = (unknown_predicates_[p] & ~mask) | (unknown & mask);
  for (Carries& carries : carries_) {
    if (carries.p == p || carries.q == p) carries.lanes &= ~mask;
  }
}

}  // namespace warplens::sass
