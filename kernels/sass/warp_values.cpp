// What lanes compute, tell each other, and keep in memory.
#include <algorithm>
#include <array>
#include <bit>

#include "kernels/sass/warp.h"

namespace warplens::sass {
namespace {

template <class F>
void for_each_of(std::uint32_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<std::size_t>(std::countr_zero(mask)));
}

/// The lane that one reads from, and whether it is one of its group. PTX ISA, "shfl.sync".
std::pair<std::uint32_t, bool> source_lane(ShuffleMode mode, std::uint32_t lane, std::uint32_t by,
                                           std::uint32_t bounds) {
  const std::uint32_t group = bounds >> 8 & 31, clamp = bounds & 31, distance = by & 31;
  const std::uint32_t first = lane & group, last = first | (clamp & ~group);
  const auto from = static_cast<std::int32_t>(lane), to = static_cast<std::int32_t>(distance),
             end = static_cast<std::int32_t>(last);
  std::int32_t source = 0;
  bool within = false;
  switch (mode) {
    case ShuffleMode::up:
      source = from - to;
      within = source >= end;
      break;
    case ShuffleMode::down:
      source = from + to;
      within = source <= end;
      break;
    case ShuffleMode::butterfly:
      source = from ^ to;
      within = source <= end;
      break;
    case ShuffleMode::index:
      source = static_cast<std::int32_t>(first | (distance & ~group));
      within = source <= end;
      break;
  }
  return {static_cast<std::uint32_t>(within ? source : from) & 31, within};
}

/// Lane l has columns 2 (l % 4) and the next of row l / 4; of a transposed matrix rows and columns the other
/// way round. PTX ISA, "ldmatrix". `visit(lane, half, row, column)`.
template <class Visit>
void for_each_half(bool is_transposed, Visit visit) {
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t a = lane / 4, b = 2 * (lane % 4) + half;
      visit(lane, half, is_transposed ? b : a, is_transposed ? a : b);
    }
  }
}

}  // namespace

/// Whether none of its results is known, for what they come of is not: without memory, most of what is
/// computed of numbers.
bool Warp::comes_of_unknown(const Op& op, std::uint32_t mask) const {
  if (memories_ != nullptr || op.joins_bytes || (op.action != Action::lanewise && op.action != Action::test))
    return false;
  const std::uint32_t missing = unknown(op.a) | unknown(op.b) | unknown(op.c) | unknown(op.a_high) |
                                unknown(op.b_high) | unknown(op.c_high) | unknown(op.in[0]);
  return (mask & ~missing) == 0;
}

void Warp::compute_values(const Op& op, std::uint32_t mask) {
  if (comes_of_unknown(op, mask)) return clobber(op, mask);
  if (moves_ != nullptr) tell_values(op, mask);
  switch (op.action) {
    case Action::lanewise: return lanewise(op, mask);
    case Action::test: return test(op, mask);
    case Action::shuffle: return shuffle(op, mask);
    case Action::vote: return vote(op, mask);
    case Action::match: return match(op, mask);
    case Action::reduce: return reduce(op, mask);
    case Action::first_lane: return first_lane(op, mask);
    case Action::elect: return elect(op, mask);
    case Action::look_up: return look_up(op, mask);
    case Action::pack_predicates: return pack_predicates(op, mask);
    case Action::reduced: return reduced(op, mask);
    default: return clobber(op, mask);
  }
}

/// Results are the same in other blocks where all that they come of is; else it is lost how they move.
void Warp::tell_values(const Op& op, std::uint32_t mask) {
  std::uint32_t same = kAllLanes;
  for (const Source* const source : {&op.a, &op.b, &op.c, &op.a_high, &op.b_high, &op.c_high}) {
    const Move move = moves_->of(source->index);
    same &= move.shift.any() ? 0 : move.lanes;
  }
  for (const PredicateSource& in : op.in) same &= ~lost(in);
  for (std::uint32_t p = 0; op.action == Action::pack_predicates && p < kTruePredicate; ++p) {
    if ((op.amount >> p & 1) != 0) same &= ~lost(PredicateSource{.index = p});
  }
  const bool is_of_each_lane =
      op.action == Action::lanewise || op.action == Action::test || op.action == Action::pack_predicates;
  if (!is_of_each_lane && (mask & ~same) != 0) same = 0;
  for (std::uint32_t i = 0; i < op.d_count && op.d != kNoRegister && op.d + i < kRegisters; ++i) {
    moves_->write(op.d + i, {{}, same}, op.d >= kUniformRegisters ? kAllLanes : mask);
  }
  for (const std::uint32_t p : {op.p, op.q})
    moves_->write_predicate(p, ~same, p >= kUniformPredicates ? kAllLanes : mask);
}

std::uint64_t Warp::bits(const Source& low, const Source& high, Sign sign, std::size_t lane) const {
  const auto word = [&](const Source& source) {
    std::uint32_t value = registers_[source.index][lane];
    if (sign == Sign::integer) {
      if (source.inverted) value = ~value;
      return source.negated ? 0 - value : value;
    }
    if (source.half == Half::lower) value = (value & 0xffffu) * 0x10001u;
    if (source.half == Half::upper) value = (value >> 16) * 0x10001u;
    const std::uint32_t signs = sign == Sign::halves ? 0x80008000u : 0x80000000u;
    if (source.absolute) value &= ~signs;
    return source.negated ? value ^ signs : value;
  };
  return std::uint64_t{word(high)} << 32 | word(low);
}

std::uint32_t Warp::missing_in(const Source& source, Sign sign, std::uint32_t mask) const {
  std::uint32_t missing = unknown(source);
  if (sign != Sign::halves || source.half == Half::both || (missing & mask) == 0) return missing;
  const std::uint32_t read = source.half == Half::lower ? 0xffffu : 0xffff0000u;
  for_each_of(missing & mask, [&](std::size_t lane) {
    if ((known_bits(source, lane) & read) == read) missing &= ~(1u << lane);
  });
  return missing;
}

void Warp::lanewise(const Op& op, std::uint32_t mask) {
  const std::uint32_t missing = missing_in(op.a, op.sign, mask) | missing_in(op.b, op.sign, mask) |
                                missing_in(op.c, op.sign, mask) | unknown(op.a_high) | unknown(op.b_high) |
                                unknown(op.c_high) | unknown(op.in[0]);
  if (op.joins_bytes && (missing & mask) != 0) return join_bytes(op, mask);
  Lanes low{}, high{};
  const std::uint32_t first = lanes_where(op.in[0]);
  for_each_of(mask & ~missing, [&](std::size_t lane) {
    const Lanewise function =
        op.other_function == nullptr || (first >> lane & 1) != 0 ? op.function : op.other_function;
    const std::uint64_t result =
        function(bits(op.a, op.a_high, op.sign, lane), bits(op.b, op.b_high, op.sign, lane),
                 bits(op.c, op.c_high, op.sign, lane));
    low[lane] = static_cast<std::uint32_t>(result);
    if (op.truth != 0) low[lane] = op.truth * ((low[lane] & 1) | (low[lane] & 2) << 15);
    high[lane] = static_cast<std::uint32_t>(result >> 32);
  });
  write(op.d, low, mask, missing);
  if (op.d_count == 2 && op.d != kNoRegister) write(op.d + 1, high, mask, missing);
}

/// What picks bytes of words picks those that are known of what is known of the words.
void Warp::join_bytes(const Op& op, std::uint32_t mask) {
  Lanes result{}, known{};
  for_each_of(mask & ~unknown(op.b), [&](std::size_t lane) {
    const std::uint64_t which = bits(op.b, {}, op.sign, lane);
    result[lane] = static_cast<std::uint32_t>(
        op.function(bits(op.a, {}, op.sign, lane), which, bits(op.c, {}, op.sign, lane)));
    known[lane] =
        static_cast<std::uint32_t>(op.function(known_bits(op.a, lane), which, known_bits(op.c, lane)));
  });
  write_partly(op.d, result, known, mask);
}

void Warp::test(const Op& op, std::uint32_t mask) {
  const std::uint32_t missing = missing_in(op.a, op.sign, mask) | missing_in(op.b, op.sign, mask) |
                                unknown(op.a_high) | unknown(op.b_high) | unknown(op.in[0]);
  std::uint32_t holds = 0, holds_above = 0;
  for_each_of(mask & ~missing, [&](std::size_t lane) {
    const std::uint64_t result =
        op.function(bits(op.a, op.a_high, op.sign, lane), bits(op.b, op.b_high, op.sign, lane), 0);
    holds |= static_cast<std::uint32_t>(result & 1) << lane;
    holds_above |= static_cast<std::uint32_t>(result >> 1 & 1) << lane;
  });
  const std::uint32_t other = lanes_where(op.in[0]);
  write_predicate(op.p, combined(op.combination, holds, other), mask, missing);
  write_predicate(op.q, combined(op.combination, op.tests_halves ? holds_above : ~holds, other), mask,
                  missing);
}

void Warp::write_of_warp(std::uint32_t d, std::uint32_t value, std::uint32_t mask, bool known) {
  Lanes lanes;
  lanes.fill(value);
  write(d, lanes, d >= kUniformRegisters ? kAllLanes : mask, known ? 0 : kAllLanes);
}

/// Shuffles. Results of lanes that do not take part are unknown.
void Warp::shuffle(const Op& op, std::uint32_t mask) {
  Lanes room_a, room_b, room_c, result{};
  const Lanes &a = value(op.a, room_a), &by = value(op.b, room_b), &bounds = value(op.c, room_c);
  std::uint32_t missing = unknown(op.b) | unknown(op.c), within = 0;
  for_each_of(mask, [&](std::size_t lane) {
    const auto [from, is_within] =
        source_lane(op.shuffle, static_cast<std::uint32_t>(lane), by[lane], bounds[lane]);
    result[lane] = a[from];
    if (((unknown(op.a) | ~mask) >> from & 1) != 0) missing |= 1u << lane;
    within |= static_cast<std::uint32_t>(is_within) << lane;
  });
  write(op.d, result, mask, missing);
  write_predicate(op.p, within, mask, unknown(op.b) | unknown(op.c));
}

void Warp::vote(const Op& op, std::uint32_t mask) {
  const std::uint32_t holds = lanes_where(op.in[0]) & mask;
  const bool known = (unknown(op.in[0]) & mask) == 0;
  write_of_warp(op.d, holds, mask, known);
  const bool agreed = op.of_all ? holds == mask : holds != 0;
  write_predicate(op.p, agreed ? kAllLanes : 0, op.p >= kUniformPredicates ? kAllLanes : mask,
                  known ? 0 : kAllLanes);
}

void Warp::match(const Op& op, std::uint32_t mask) {
  Lanes room, room_high, result{};
  const Lanes &a = value(op.a, room), &high = value(op.a_high, room_high);
  bool all_alike = true;
  for_each_of(mask, [&](std::size_t lane) {
    for_each_of(mask, [&](std::size_t other) {
      result[lane] |= static_cast<std::uint32_t>(a[other] == a[lane] && high[other] == high[lane]) << other;
    });
    all_alike = all_alike && result[lane] == mask;
  });
  if (op.of_all && !all_alike) result.fill(0);
  const std::uint32_t missing = ((unknown(op.a) | unknown(op.a_high)) & mask) != 0 ? kAllLanes : 0;
  write(op.d, result, mask, missing);
  write_predicate(op.p, all_alike ? kAllLanes : 0, mask, missing);
}

void Warp::reduce(const Op& op, std::uint32_t mask) {
  Lanes room;
  const Lanes& a = value(op.a, room);
  std::uint64_t result = a[static_cast<std::size_t>(std::countr_zero(mask))];
  for_each_of(mask & (mask - 1), [&](std::size_t lane) { result = op.function(result, a[lane], 0); });
  write_of_warp(op.d, static_cast<std::uint32_t>(result), mask, (unknown(op.a) & mask) == 0);
}

void Warp::look_up(const Op& op, std::uint32_t mask) {
  Lanes low{}, high{};
  std::uint32_t missing = unknown(op.a);
  const std::uint32_t unused = op.target < 4 ? 32 - 8 * op.target : 0;
  for_each_of(mask, [&](std::size_t lane) {
    const auto found =
        constant_bytes(program_.words, op.amount_2, registers_[op.a.index][lane] + op.amount, op.target);
    if (!found) missing |= 1u << lane;
    const auto word = static_cast<std::uint32_t>(found.value_or(0));
    low[lane] = op.extends_sign
                    ? static_cast<std::uint32_t>(static_cast<std::int32_t>(word << unused) >> unused)
                    : word;
    high[lane] = static_cast<std::uint32_t>(found.value_or(0) >> 32);
  });
  write(op.d, low, mask, missing);
  if (op.d_count == 2) write(op.d + 1, high, mask, missing);
}

/// Bits of a register for predicates, one each.
void Warp::pack_predicates(const Op& op, std::uint32_t mask) {
  Lanes result{};
  std::uint32_t missing = 0;
  for (std::uint32_t p = 0; p < kTruePredicate; ++p) {
    if ((op.amount >> p & 1) == 0) continue;
    missing |= unknown_predicates_[p];
    for (std::size_t lane = 0; lane < result.size(); ++lane)
      result[lane] |= (predicates_[p] >> lane & 1) << p;
  }
  write(op.d, result, mask, missing);
}

void Warp::reduced(const Op& op, std::uint32_t mask) {
  const bool holds = asks_for_all_ ? result_.holds == result_.lanes : result_.holds != 0;
  write_of_warp(op.d, result_.holds, mask, true);
  write_predicate(op.p, holds ? kAllLanes : 0, mask, 0);
}

void Warp::first_lane(const Op& op, std::uint32_t mask) {
  Lanes room;
  const int lane = std::countr_zero(mask);
  const Lanes& lanes = value(op.a, room);
  const std::uint32_t first = lanes[static_cast<std::size_t>(lane)];
  const bool is_known = (unknown(op.a) >> lane & 1) == 0;
  const std::uint32_t others = lanes_that([&](std::size_t other) { return lanes[other] != first; });
  write_of_warp(op.d, first, mask, is_known);
  write_predicate(op.p, others | lanes_where(op.in[0]), mask,
                  (is_known ? unknown(op.a) : kAllLanes & ~(1u << lane)) | unknown(op.in[0]));
}

/// The lowest lane, as the replay has it: PTX leaves open which.
void Warp::elect(const Op& op, std::uint32_t mask) {
  const int lane = std::countr_zero(mask);
  write_of_warp(op.d, static_cast<std::uint32_t>(lane), mask, true);
  write_predicate(op.p, 1u << lane, op.p >= kUniformPredicates ? kAllLanes : mask, 0);
}

bool Warp::all_in_global_memory(const Op& op, std::uint32_t mask) const {
  const AccessCounts::Addresses addresses = addresses_of(op);
  bool all = true;
  for_each_of(mask, [&](std::size_t lane) {
    all = all && memories_->global->holds(addresses[lane], program_.sites[op.site].bytes);
  });
  return all;
}

void Warp::move_values(const Op& op, std::uint32_t mask) {
  if (op.matrices != 0) return op.d == kNoRegister ? store_matrices(op, mask) : load_matrices(op, mask);
  const Site& site = program_.sites[op.site];
  if (site.space == Space::shared)
    return move_values(op, memories_->shared, addresses_in_block(op.address), mask);
  move_values(op, *memories_->global, addresses_of(op), mask);
}

void Warp::move_values(const Op& op, Memory& memory, const AccessCounts::Addresses& addresses,
                       std::uint32_t mask) {
  const Site& site = program_.sites[op.site];
  if (site.op == AccessOp::load) return load_values(op, memory, addresses, mask);
  if (site.op == AccessOp::store) return store_values(op, memory, addresses, mask);
  change_values(op, memory, addresses, mask);
}

void Warp::load_values(const Op& op, Memory& memory, const AccessCounts::Addresses& addresses,
                       std::uint32_t mask) {
  const std::uint32_t bytes = std::min<std::uint32_t>(program_.sites[op.site].bytes, 4),
                      unused = 32 - 8 * bytes;
  for (std::uint32_t word = 0; op.d != kNoRegister && word < op.d_count; ++word) {
    Lanes result{};
    std::uint32_t missing = 0;
    for_each_of(mask, [&](std::size_t lane) {
      std::uint64_t loaded = 0;
      if (!memory.load(addresses[lane] + 4 * word, bytes, loaded)) missing |= 1u << lane;
      const auto raised = static_cast<std::uint32_t>(loaded) << unused;
      result[lane] = op.extends_sign ? static_cast<std::uint32_t>(static_cast<std::int32_t>(raised) >> unused)
                                     : raised >> unused;
    });
    write(op.d + word, result, mask, missing);
  }
}

void Warp::store_values(const Op& op, Memory& memory, const AccessCounts::Addresses& addresses,
                        std::uint32_t mask) const {
  const std::uint32_t bytes = std::min<std::uint32_t>(program_.sites[op.site].bytes, 4);
  for (std::uint32_t word = 0; word < op.d_count; ++word) {
    const std::uint32_t reg = op.a.kind == Source::Kind::reg ? op.a.index + word : op.a.index,
                        stored = kAllLanes >> (32 - 8 * bytes);
    for_each_of(mask, [&](std::size_t lane) {
      const bool known = (stored & ~known_bits({.kind = Source::Kind::reg, .index = reg}, lane)) == 0;
      memory.store(addresses[lane] + 4 * word, bytes, registers_[reg][lane], known);
    });
  }
}

void Warp::copy_values(const Op& op, std::uint32_t mask) {
  const std::uint32_t bytes = program_.sites[op.site].bytes, reading = lanes_where(op.in[1]);
  const AccessCounts::Addresses from = addresses_of(op.address, Space::global),
                                to = addresses_in_block(op.to);
  for_each_of(mask, [&](std::size_t lane) {
    for (std::uint32_t at = 0; at < bytes; at += 4) {
      std::uint64_t word = 0;
      const bool known = (reading >> lane & 1) == 0 || memories_->global->load(from[lane] + at, 4, word);
      memories_->shared.store(to[lane] + at, 4, word, known);
    }
  });
}

void Warp::load_matrices(const Op& op, std::uint32_t mask) {
  const AccessCounts::Addresses addresses = addresses_in_block(op.address);
  for (std::uint32_t matrix = 0; matrix < op.matrices; ++matrix) {
    Lanes result{};
    std::uint32_t missing = 0;
    for_each_half(op.is_transposed,
                  [&](std::size_t lane, std::size_t half, std::size_t row, std::size_t column) {
                    std::uint64_t element = 0;
                    if (!memories_->shared.load(addresses[8 * matrix + row] + 2 * column, 2, element))
                      missing |= 1u << lane;
                    result[lane] |= static_cast<std::uint32_t>(element) << (16 * half);
                  });
    write(op.d + matrix, result, mask, missing);
  }
}

void Warp::store_matrices(const Op& op, std::uint32_t mask) {
  const AccessCounts::Addresses addresses = addresses_in_block(op.address);
  for (std::uint32_t matrix = 0; matrix < op.matrices; ++matrix) {
    const std::uint32_t reg = op.a.kind == Source::Kind::reg ? op.a.index + matrix : op.a.index;
    for_each_half(op.is_transposed, [&](std::size_t lane, std::size_t half, std::size_t row,
                                        std::size_t column) {
      if ((mask >> (8 * matrix + row) & 1) == 0) return;
      const std::uint32_t known = known_bits({.kind = Source::Kind::reg, .index = reg}, lane) >> (16 * half);
      memories_->shared.store(addresses[8 * matrix + row] + 2 * column, 2,
                              registers_[reg][lane] >> (16 * half) & 0xffff, (known & 0xffff) == 0xffff);
    });
  }
}

/// One lane after the other.
void Warp::change_values(const Op& op, Memory& memory, const AccessCounts::Addresses& addresses,
                         std::uint32_t mask) {
  const std::uint32_t bytes = program_.sites[op.site].bytes;
  const std::uint32_t unknown_operands =
      unknown(op.a) | unknown(op.b) | (bytes == 8 ? unknown(op.a_high) | unknown(op.b_high) : 0);
  Lanes low{}, high{};
  std::uint32_t missing = 0, changed = 0;
  for_each_of(mask, [&](std::size_t lane) {
    std::uint64_t before = 0;
    const bool is_known = memory.load(addresses[lane], bytes, before);
    const auto operand = [&](const Source& word, const Source& upper) {
      return bytes == 8 ? bits(word, upper, Sign::integer, lane) : bits(word, Source{}, Sign::integer, lane);
    };
    const std::uint64_t a = operand(op.a, op.a_high), b = operand(op.b, op.b_high);
    const bool known = is_known && op.function != nullptr && (unknown_operands >> lane & 1) == 0;
    const std::uint64_t after = op.function == nullptr ? before : op.function(before, a, b);
    memory.store(addresses[lane], bytes, after, known);
    low[lane] = static_cast<std::uint32_t>(before);
    high[lane] = static_cast<std::uint32_t>(before >> 32);
    if (!is_known) missing |= 1u << lane;
    if (before == a) changed |= 1u << lane;
  });
  if (op.gives_success) {
    for (std::size_t lane = 0; lane < low.size(); ++lane) low[lane] = changed >> lane & 1;
    write(op.d, low, mask, missing | unknown_operands);
  } else if (op.d != kNoRegister) {
    write(op.d, low, mask, missing);
    if (bytes == 8) write(op.d + 1, high, mask, missing);
  }
  if (op.is_generic) return write_predicate(op.p, kAllLanes, mask, 0);
  write_predicate(op.p, changed, mask, missing | unknown_operands | (op.compares_first ? 0 : kAllLanes));
}

}  // namespace warplens::sass
