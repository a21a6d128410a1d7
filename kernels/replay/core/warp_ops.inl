// Part of a core: what lanes of a warp do together (shuffles, votes, matches, reductions), and comparisons
// into predicates.

template <class K>
WARPLENS_INLINE void write_uniform(Machine& m, std::uint32_t d, K value) {
  Head& h = head(m, d);
  if (can_overwrite_all_lanes(m, d)) return set_uniform<K>(h, value);
  alignas(64) K values[kWarpSize];
  WARPLENS_LANES values[l] = value;
  blend(m, h, values);
}

// Lanes that the mask they give leaves out: what the instruction does then is undefined (PTX ISA, of each of
// them).
WARPLENS_INLINE void check_members(Machine& m, const Instr* i, std::uint32_t register_offset) {
  const Head& h = head(m, register_offset);
  std::uint32_t outside = 0;
  if (h.form == Form::uniform) {
    outside = m.active & ~static_cast<std::uint32_t>(h.base);
  } else {
    for (int l = 0; l < kWarpSize; ++l) outside |= m.active & ~lane_value<std::uint32_t>(h, l) & 1u << l;
  }
  if (outside != 0)
    report_undefined_lanes(m, i, outside, lane_value<std::uint32_t>(h, __builtin_ctz(outside)));
  if ((i->flags & kWithoutSync) != 0 || (m.active == m.alive && !m.awaits_lanes)) return;
  for (std::uint32_t left = m.active; left != 0;) {
    const std::uint32_t mask = lane_value<std::uint32_t>(h, __builtin_ctz(left));
    std::uint32_t alike = left;
    if (h.form != Form::uniform) {
      for (int l = 0; l < kWarpSize; ++l)
        alike &= ~(static_cast<std::uint32_t>(lane_value<std::uint32_t>(h, l) != mask) << l);
    }
    if ((mask & m.alive & ~alike) != 0 || m.awaits_lanes) check_presence(m, i, alike, mask);
    left &= ~alike;
  }
}

// bar.warp.sync: in lockstep lanes have waited for each other already.
const Instr* warp_barrier(Machine& m, const Instr* i) {
  if (m.active != m.alive || m.awaits_lanes) check_members(m, i, i->a);
  return i + 1;
}

// Of a shuffle: lanes that read from one that is not there, or that their mask does not name (PTX ISA,
// "shfl.sync": the result is undefined).
WARPLENS_INLINE std::uint32_t readers_of_absent_lanes(Machine& m, const Instr* i,
                                                      const std::uint32_t* source) {
  const Head& h = head(m, i->more[1]);
  if (m.active == 0xffffffffu && h.form == Form::uniform && static_cast<std::uint32_t>(h.base) == 0xffffffffu)
    return 0;
  std::uint32_t readers = 0;
  for (int l = 0; l < kWarpSize; ++l) {
    const std::uint32_t present = m.active & lane_value<std::uint32_t>(h, l);
    readers |= (~present >> source[l] & 1u) << l;
  }
  return readers & m.active;
}

// The lane that one reads from, and all ones if it is in range. PTX ISA, "shfl.sync".
template <ptx::ShuffleMode kMode>
WARPLENS_INLINE std::uint32_t source_of_lane(std::uint32_t lane, std::uint32_t offset, std::uint32_t limits,
                                             std::uint32_t& inside) {
  offset &= 31u;
  const std::uint32_t segment = limits >> 8 & 31u, clamp = limits & 31u, low = lane & segment,
                      high = low | (clamp & ~segment);
  std::uint32_t source = 0;
  if constexpr (kMode == ptx::ShuffleMode::up) {
    source = lane - offset;
    inside = static_cast<std::int32_t>(source) >= static_cast<std::int32_t>(high) ? ~0u : 0u;
  } else {
    source = kMode == ptx::ShuffleMode::down   ? lane + offset
             : kMode == ptx::ShuffleMode::bfly ? lane ^ offset
                                               : low | (offset & ~segment);
    inside = source <= high ? ~0u : 0u;
  }
  return inside != 0 ? source & 31u : lane;
}

// Lanes by number; `to` may be `from`. Whether all are the same.
#if defined(__AVX512F__)
WARPLENS_INLINE bool gather_lanes(const std::uint32_t* from, const std::uint32_t* source, std::uint32_t* to) {
  const __m512i low = _mm512_load_si512(from), high = _mm512_load_si512(from + 16);
  const __m512i first = _mm512_permutex2var_epi32(low, _mm512_load_si512(source), high);
  const __m512i second = _mm512_permutex2var_epi32(low, _mm512_load_si512(source + 16), high);
  _mm512_store_si512(to, first);
  _mm512_store_si512(to + 16, second);
  const __m512i one = _mm512_permutex2var_epi32(first, _mm512_setzero_si512(), first);
  return (_mm512_cmpneq_epi32_mask(first, one) | _mm512_cmpneq_epi32_mask(second, one)) == 0;
}
#else
WARPLENS_INLINE bool gather_lanes(const std::uint32_t* from, const std::uint32_t* source, std::uint32_t* to) {
  alignas(64) std::uint32_t values[kWarpSize];
  WARPLENS_LANES values[l] = from[source[l]];
  std::uint32_t different = 0;
  WARPLENS_LANES different |= values[l] ^ values[0];
  __builtin_memcpy(to, values, sizeof values);
  return different == 0;
}
#endif

// shfl.sync d|p, a, b, c, membermask; `more`: c, membermask, p.
template <ptx::ShuffleMode kMode>
const Instr* shuffle(Machine& m, const Instr* i) {
  check_members(m, i, i->more[1]);
  alignas(64) std::uint32_t scratch[kWarpSize];
  alignas(64) std::uint32_t beside[kWarpSize];
  alignas(64) std::uint32_t source[kWarpSize];
  alignas(64) std::uint32_t inside[kWarpSize];
  const Head &b = head(m, i->b), &c = head(m, i->more[0]);
  const std::uint32_t* from = lanes<std::uint32_t>(head(m, i->a), scratch);
  if (b.form == Form::uniform && c.form == Form::uniform) {
    const auto offset = static_cast<std::uint32_t>(b.base), limits = static_cast<std::uint32_t>(c.base);
    WARPLENS_LANES source[l] =
        source_of_lane<kMode>(static_cast<std::uint32_t>(l), offset, limits, inside[l]);
  } else {
    for (int l = 0; l < kWarpSize; ++l) {
      source[l] = source_of_lane<kMode>(static_cast<std::uint32_t>(l), lane_value<std::uint32_t>(b, l),
                                        lane_value<std::uint32_t>(c, l), inside[l]);
    }
  }
  if (i->d != kNoRegister) {
    Head& d = head(m, i->d);
    const std::uint32_t readers = readers_of_absent_lanes(m, i, source);
    const std::uint32_t mask =
        readers == 0 ? 0u : lane_value<std::uint32_t>(head(m, i->more[1]), __builtin_ctz(readers));
    const std::uint32_t other = readers == 0 ? 0u : read_absent_lanes(m, i, readers, mask, source);
    const bool replace = can_overwrite_all_lanes(m, i->d);
    std::uint32_t* const to = place_of_lanes<std::uint32_t>(d, replace, beside);
    bool same = gather_lanes(from, source, to);
    if (other != 0) {
      constexpr std::uint32_t kOther = 0x7e967699u;  // As a float 1e38
      for (int l = 0; l < kWarpSize; ++l) to[l] = (other >> l & 1) != 0 ? kOther : to[l];
      same = false;
    }
    finish_lanes<std::uint32_t>(m, i, d, replace, to);
    if (replace && same) set_uniform<std::uint32_t>(d, to[0]);
  }
  if (i->more[2] != kNoRegister) set_predicate(m, i->more[2], signs_of(inside));
  return i + 1;
}

WARPLENS_INLINE std::uint32_t members(Machine& m, std::uint32_t register_offset) {
  return lane_value<std::uint32_t>(head(m, register_offset), __builtin_ctz(m.active)) & m.active;
}
// Tiles of a warp name their own members in one instruction: each group of lanes with one mask executes it by
// itself.
bool members_differ(Machine& m, std::uint32_t register_offset) {
  const Head& h = head(m, register_offset);
  if (h.form == Form::uniform) return false;
  const std::uint32_t first = lane_value<std::uint32_t>(h, __builtin_ctz(m.active));
  for (std::uint32_t left = m.active; left != 0; left &= left - 1) {
    if (lane_value<std::uint32_t>(h, __builtin_ctz(left)) != first) return true;
  }
  return false;
}
const Instr* each_group(Machine& m, const Instr* i, Handler operation) {
  alignas(64) std::uint32_t masks[kWarpSize];
  for (int l = 0; l < kWarpSize; ++l)
    masks[l] = lane_value<std::uint32_t>(head(m, i->b), l);  // The result may go to the same register
  const std::uint32_t active = m.active;
  const std::uint64_t* const suspended = m.suspended;
  m.suspended = nullptr;
  for (std::uint32_t left = active; left != 0; left &= ~m.active) {
    const std::uint32_t mask = masks[__builtin_ctz(left)];
    m.active = 0;
    for (int l = 0; l < kWarpSize; ++l)
      m.active |= static_cast<std::uint32_t>((left >> l & 1) != 0 && masks[l] == mask) << l;
    operation(m, i);
  }
  m.active = active;
  m.suspended = suspended;
  return i + 1;
}
// vote.sync d, a, membermask: `a` and `b`.
template <ptx::VoteMode kMode>
const Instr* vote(Machine& m, const Instr* i) {
  if (members_differ(m, i->b)) return each_group(m, i, vote<kMode>);
  check_members(m, i, i->b);
  const std::uint32_t who = members(m, i->b);
  const std::uint32_t yes = (mask_of(m, i->a) ^ ((i->flags & kSecondNegated) != 0 ? 0xffffffffu : 0u)) & who;
  if constexpr (kMode == ptx::VoteMode::ballot) {
    write_uniform<std::uint32_t>(m, i->d, yes);
  } else {
    const bool result = kMode == ptx::VoteMode::all   ? yes == who
                        : kMode == ptx::VoteMode::any ? yes != 0
                                                      : yes == who || yes == 0;
    set_predicate(m, i->d, result ? 0xffffffffu : 0u);
  }
  return i + 1;
}
const Instr* active_mask(Machine& m, const Instr* i) {
  write_uniform<std::uint32_t>(m, i->d, m.active);
  return i + 1;
}
// match.any: the lanes with my value. match.all: everyone, if all have one value, else 0; the predicate
// (`more`) says which.
template <class K, bool kAll>
const Instr* match(Machine& m, const Instr* i) {
  if (members_differ(m, i->b)) return each_group(m, i, match<K, kAll>);
  check_members(m, i, i->b);
  const Head& a = head(m, i->a);
  const std::uint32_t who = members(m, i->b);
  std::uint32_t same[kWarpSize];
  for (int l = 0; l < kWarpSize; ++l) {
    same[l] = 0;
    for (int k = 0; k < kWarpSize; ++k)
      same[l] |= static_cast<std::uint32_t>((who >> k & 1) != 0 && lane_value<K>(a, k) == lane_value<K>(a, l))
                 << k;
  }
  if constexpr (kAll) {
    const bool all = who != 0 && same[__builtin_ctz(who)] == who;
    if (i->d != kNoRegister) write_uniform<std::uint32_t>(m, i->d, all ? who : 0u);
    if (i->more[0] != kNoRegister) set_predicate(m, i->more[0], all ? 0xffffffffu : 0u);
    return i + 1;
  }
  return write_values<std::uint32_t>(m, i, i->d, same);
}
template <ptx::AtomicOp kOp, class S>
const Instr* reduce(Machine& m, const Instr* i) {
  if (members_differ(m, i->b)) return each_group(m, i, reduce<kOp, S>);
  check_members(m, i, i->b);
  const Head& a = head(m, i->a);
  const std::uint32_t who = members(m, i->b);
  if (who == 0) return i + 1;
  std::uint32_t result = lane_value<std::uint32_t>(a, __builtin_ctz(who));
  for (std::uint32_t left = who & (who - 1); left != 0; left &= left - 1) {
    result =
        updated_integer<S, std::uint32_t>(kOp, result, lane_value<std::uint32_t>(a, __builtin_ctz(left)), 0u);
  }
  write_uniform<std::uint32_t>(m, i->d, result);
  return i + 1;
}
// redux of f32: NaNs are left out, or win with .NaN; .abs takes magnitudes.
template <bool kMax, bool kNan, bool kAbsolute>
const Instr* reduce_floats(Machine& m, const Instr* i) {
  if (members_differ(m, i->b)) return each_group(m, i, reduce_floats<kMax, kNan, kAbsolute>);
  check_members(m, i, i->b);
  const Head& a = head(m, i->a);
  const std::uint32_t who = members(m, i->b);
  if (who == 0) return i + 1;
  const auto value = [&](int l) WARPLENS_LAMBDA {
    const std::uint32_t bits = lane_value<std::uint32_t>(a, l);
    return from_bits<float>(kAbsolute ? bits & 0x7fffffffu : bits);
  };
  float result = value(__builtin_ctz(who));
  for (std::uint32_t left = who & (who - 1); left != 0; left &= left - 1) {
    result = MinMaxFloat<float, false, kNan, kMax>::of(result, value(__builtin_ctz(left)));
  }
  write_uniform<std::uint32_t>(m, i->d, result != result ? 0x7fffffffu : to_bits(result));
  return i + 1;
}
// elect.sync d|p, membermask: the lowest member is chosen.
const Instr* elect(Machine& m, const Instr* i) {
  if (members_differ(m, i->b)) return each_group(m, i, elect);
  check_members(m, i, i->b);
  const std::uint32_t who = members(m, i->b);
  const std::uint32_t leader = who != 0 ? static_cast<std::uint32_t>(__builtin_ctz(who)) : 0u;
  if (i->d != kNoRegister) write_uniform<std::uint32_t>(m, i->d, leader);
  if (i->more[0] != kNoRegister) set_predicate(m, i->more[0], who & (0u - who));
  return i + 1;
}

template <bool kWide>
const Instr* read_clock(Machine& m, const Instr* i) {
  const std::uint64_t now = m.turn.earlier + m.turn.executed + (i->index - m.turn.segment);
  if (kWide) {
    write_uniform<std::uint64_t>(m, i->d, now);
  } else {
    write_uniform<std::uint32_t>(m, i->d, static_cast<std::uint32_t>(i->imm != 0 ? now >> 32 : now));
  }
  return i + 1;
}

// Predicates.
WARPLENS_INLINE std::uint32_t combine(ptx::BoolOp op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case ptx::BoolOp::and_: return a & b;
    case ptx::BoolOp::or_: return a | b;
    case ptx::BoolOp::xor_: return a ^ b;
    case ptx::BoolOp::none: break;
  }
  return a;
}
// lop3.and d|p, a, b, c, table, q: `more`: p, q; `detail`: how to combine with q.
const Instr* lop3_test(Machine& m, const Instr* i) {
  const Head &a = head(m, i->a), &b = head(m, i->b), &c = head(m, i->c);
  const auto table = static_cast<std::uint32_t>(i->imm);
  const std::uint32_t q = mask_of(m, i->more[1]) ^ ((i->flags & kSecondNegated) != 0 ? 0xffffffffu : 0u);
  alignas(64) std::uint32_t values[kWarpSize];
  std::uint32_t is_set = 0;
  for (int l = 0; l < kWarpSize; ++l) {
    values[l] = lop3_bits(lane_value<std::uint32_t>(a, l), lane_value<std::uint32_t>(b, l),
                          lane_value<std::uint32_t>(c, l), table);
    is_set |= static_cast<std::uint32_t>(values[l] != 0) << l;
  }
  if (i->d != kNoRegister) write_values<std::uint32_t>(m, i, i->d, values);
  if (i->more[0] != kNoRegister)
    set_predicate(m, i->more[0], combine(static_cast<ptx::BoolOp>(i->detail), is_set, q));
  return i + 1;
}
// setp p|q, a, b, c: `more` (if any): q, c; `detail`: how to combine with c.
WARPLENS_SHARED const Instr* combine_setp(Machine& m, const Instr* i, std::uint32_t holds) {
  const auto op = static_cast<ptx::BoolOp>(i->detail);
  const std::uint32_t c =
      i->more[1] == kNoRegister
          ? 0u
          : mask_of(m, i->more[1]) ^ ((i->flags & kSecondNegated) != 0 ? 0xffffffffu : 0u);
  if (i->d != kNoRegister) set_predicate(m, i->d, combine(op, holds, c));
  if (i->more[0] != kNoRegister) set_predicate(m, i->more[0], combine(op, ~holds, c));
  return i + 1;
}

WARPLENS_INLINE const Instr* finish_setp(Machine& m, const Instr* i, std::uint32_t holds) {
  if (i->more != nullptr) return combine_setp(m, i, holds);
  set_predicate(m, i->d, holds);
  return go_on(m, i + 1);
}

template <class A, class Test>
const Instr* setp(Machine& m, const Instr* i) {
  return finish_setp(m, i, compare<A, Test>(head(m, i->a), head(m, i->b)));
}
// set: all ones (or 1.0) where the comparison holds.
[[maybe_unused]] WARPLENS_SHARED const Instr* finish_set(Machine& m, const Instr* i, std::uint32_t holds) {
  if (i->more != nullptr)
    holds = combine(static_cast<ptx::BoolOp>(i->detail), holds,
                    mask_of(m, i->more[1]) ^ ((i->flags & kSecondNegated) != 0 ? ~0u : 0u));
  const auto yes = static_cast<std::uint32_t>(i->imm);
  return write_lanes<std::uint32_t>(m, i, i->d,
                                    [&](int l) WARPLENS_LAMBDA { return (holds >> l & 1) != 0 ? yes : 0u; });
}
template <class A, class Test>
const Instr* set_value(Machine& m, const Instr* i) {
  return finish_set(m, i, compare<A, Test>(head(m, i->a), head(m, i->b)));
}

template <ptx::Compare kCompare, bool kFtz>
struct Test {
  static constexpr ptx::Compare kTest = kCompare;
  static constexpr bool kFlushes = kFtz;
  template <class T>
  static bool of(T a, T b) {
    if constexpr (kFtz) {
      a = flush(a);
      b = flush(b);
    }
    const bool unordered = a != a || b != b;
    switch (kCompare) {
      case ptx::Compare::eq: return a == b;
      case ptx::Compare::ne: return !unordered && a != b;
      case ptx::Compare::lt: return a < b;
      case ptx::Compare::le: return a <= b;
      case ptx::Compare::gt: return a > b;
      case ptx::Compare::ge: return a >= b;
      case ptx::Compare::equ: return unordered || a == b;
      case ptx::Compare::neu: return unordered || a != b;
      case ptx::Compare::ltu: return unordered || a < b;
      case ptx::Compare::leu: return unordered || a <= b;
      case ptx::Compare::gtu: return unordered || a > b;
      case ptx::Compare::geu: return unordered || a >= b;
      case ptx::Compare::num: return !unordered;
      case ptx::Compare::nan: return unordered;
      default: return false;
    }
  }
};

enum class PredicateOp { and_, or_, xor_, not_, mov };
template <PredicateOp kOp>
const Instr* predicate_logic(Machine& m, const Instr* i) {
  const std::uint32_t a = mask_of(m, i->a) ^ ((i->flags & kNegateGuard) != 0 ? ~0u : 0u);
  const std::uint32_t b =
      kOp < PredicateOp::not_ ? mask_of(m, i->b) ^ ((i->flags & kSecondNegated) != 0 ? ~0u : 0u) : 0u;
  set_predicate(m, i->d,
                kOp == PredicateOp::and_   ? a & b
                : kOp == PredicateOp::or_  ? a | b
                : kOp == PredicateOp::xor_ ? a ^ b
                : kOp == PredicateOp::not_ ? ~a
                                           : a);
  return i + 1;
}

// slct: a where c >= 0, else b.
template <class K, class C, bool kFtz>
const Instr* select_by_sign(Machine& m, const Instr* i) {
  const Head &a = head(m, i->a), &b = head(m, i->b), &c = head(m, i->c);
  return write_lanes<K>(m, i, i->d, [&](int l) WARPLENS_LAMBDA {
    C sign = from_bits<C>(lane_value<std::uint32_t>(c, l));
    if constexpr (kFtz) sign = flush(sign);
    return sign >= C(0) ? lane_value<K>(a, l) : lane_value<K>(b, l);
  });
}

// mov of {x, y, ..}: several registers become one, or one becomes several; `more` are the elements, `bytes`
// the width of each.
const Instr* pack(Machine& m, const Instr* i) {
  std::uint64_t values[kWarpSize] = {}, part[kWarpSize];
  for (int k = 0; k < i->count; ++k) {
    read_register(m, i->more[k], i->bytes, part);
    for (int l = 0; l < kWarpSize; ++l) values[l] |= part[l] << (8 * i->bytes * k);
  }
  write_register(m, i->d, i->register_bytes, values);
  return i + 1;
}
// mov of `count` registers to others; `more`: where they go, then where they come from.
const Instr* move_elements(Machine& m, const Instr* i) {
  alignas(64) std::uint64_t values[4][kWarpSize];
  for (int k = 0; k < i->count; ++k) read_register(m, i->more[i->count + k], i->bytes, values[k]);
  for (int k = 0; k < i->count; ++k) {
    if (i->more[k] != kNoRegister) write_register(m, i->more[k], i->bytes, values[k]);
  }
  return i + 1;
}
const Instr* unpack(Machine& m, const Instr* i) {
  alignas(64) std::uint64_t values[kWarpSize], part[kWarpSize];
  read_register(m, i->a, i->register_bytes, values);
  const std::uint64_t low = i->bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * i->bytes)) - 1;
  for (int k = 0; k < i->count; ++k) {
    if (i->more[k] == kNoRegister) continue;
    for (int l = 0; l < kWarpSize; ++l) part[l] = values[l] >> (8 * i->bytes * k) & low;
    write_register(m, i->more[k], i->bytes, part);
  }
  return i + 1;
}

// cvt into a register wider than its type: `bytes` are the type's.
WARPLENS_INLINE std::uint64_t extend_result(const Instr* i, std::uint64_t v) {
  return i->bytes != 0 ? extend_loaded(i, v) : v;
}

// Anything that is rare: a function of one lane's values, in `imm`. `detail` has two bits for the width of
// each source.
const Instr* by_lane(Machine& m, const Instr* i) {
  std::uint64_t a[kWarpSize] = {}, b[kWarpSize] = {}, c[kWarpSize] = {};
  alignas(64) std::uint64_t values[kWarpSize] = {};
  const auto function = reinterpret_cast<LaneFunction>(i->imm);
  const auto width = [&](int k) WARPLENS_LAMBDA { return 2 << (i->detail >> (2 * k) & 3u); };
  const int n = i->count;
  read_register(m, i->a, width(0), a);
  if (n > 1) read_register(m, i->b, width(1), b);
  if (n > 2) read_register(m, i->c, width(2), c);
  const bool uniform = head(m, i->a).form == Form::uniform &&
                       (n < 2 || head(m, i->b).form == Form::uniform) &&
                       (n < 3 || head(m, i->c).form == Form::uniform);
  if (uniform && can_overwrite_all_lanes(m, i->d)) {
    head(m, i->d).form = Form::uniform;
    head(m, i->d).stride = 0;
    head(m, i->d).base = extend_result(i, function(a[0], b[0], c[0]));
    return i + 1;
  }
  for (int l = 0; l < kWarpSize; ++l) {
    if ((m.active >> l & 1) != 0) values[l] = extend_result(i, function(a[l], b[l], c[l]));
  }
  write_register(m, i->d, i->register_bytes, values);
  return i + 1;
}
const Instr* video(Machine& m, const Instr* i) {
  const VideoForm& form = *reinterpret_cast<const VideoForm*>(i->imm);
  const Head &a = head(m, i->a), &b = head(m, i->b), &c = head(m, i->c);
  return write_lanes<std::uint32_t>(m, i, i->d, [&](int l) WARPLENS_LAMBDA {
    return video_result(form, lane_value<std::uint32_t>(a, l), lane_value<std::uint32_t>(b, l),
                        lane_value<std::uint32_t>(c, l));
  });
}
// testp and others with a predicate for a result.
const Instr* test_by_lane(Machine& m, const Instr* i) {
  std::uint64_t a[kWarpSize];
  read_register(m, i->a, 2 << (i->detail & 3u), a);
  const auto function = reinterpret_cast<LaneFunction>(i->imm);
  std::uint32_t mask = 0;
  for (int l = 0; l < kWarpSize; ++l) mask |= static_cast<std::uint32_t>(function(a[l], 0, 0) != 0) << l;
  set_predicate(m, i->d, mask);
  return i + 1;
}
// setp on types that the cores do not compare: the function gives 0 or 1.
const Instr* compare_by_lane(Machine& m, const Instr* i) {
  std::uint64_t a[kWarpSize], b[kWarpSize];
  read_register(m, i->a, 4, a);
  read_register(m, i->b, 4, b);
  const auto function = reinterpret_cast<LaneFunction>(i->imm);
  std::uint32_t mask = 0;
  for (int l = 0; l < kWarpSize; ++l) mask |= static_cast<std::uint32_t>(function(a[l], b[l], 0) != 0) << l;
  return finish_setp(m, i, mask);
}
struct PairOfMasks {
  std::uint32_t low = 0, high = 0;
};
// Of halves, one or two in a register: the function gives a bit for each of the two.
PairOfMasks compare_halves(Machine& m, const Instr* i) {
  std::uint64_t a[kWarpSize], b[kWarpSize];
  read_register(m, i->a, 4, a);
  read_register(m, i->b, 4, b);
  const auto function = reinterpret_cast<LaneFunction>(i->imm);
  PairOfMasks holds;
  for (int l = 0; l < kWarpSize; ++l) {
    const auto bits = static_cast<std::uint32_t>(function(a[l], b[l], 0));
    holds.low |= (bits & 1) << l;
    holds.high |= (bits >> 1 & 1) << l;
  }
  if (i->more == nullptr || i->more[1] == kNoRegister) return holds;
  const std::uint32_t c = mask_of(m, i->more[1]) ^ ((i->flags & kSecondNegated) != 0 ? ~0u : 0u);
  const auto op = static_cast<ptx::BoolOp>(i->detail);
  return {combine(op, holds.low, c), combine(op, holds.high, c)};
}
// setp.f16x2 p|q: one predicate for each half.
const Instr* compare_pairs_by_lane(Machine& m, const Instr* i) {
  const PairOfMasks holds = compare_halves(m, i);
  if (i->d != kNoRegister) set_predicate(m, i->d, holds.low);
  if (i->more != nullptr && i->more[0] != kNoRegister) set_predicate(m, i->more[0], holds.high);
  return i + 1;
}
// set of halves: `c` holds what a register is where both comparisons hold.
const Instr* set_by_lane(Machine& m, const Instr* i) {
  const PairOfMasks holds = compare_halves(m, i);
  const std::uint32_t yes = i->c;
  return write_lanes<std::uint32_t>(m, i, i->d, [&](int l) WARPLENS_LAMBDA {
    return ((holds.low >> l & 1) != 0 ? yes & 0xffffu : 0u) |
           ((holds.high >> l & 1) != 0 ? yes & 0xffff0000u : 0u);
  });
}
