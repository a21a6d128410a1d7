// Part of a core: divisions of unsigned integers by constants (QuotientPlan), before their first instruction:
// all of it.

// To `d` if anywhere goes `a` by `b` / 2^`detail`. To more[0], if anywhere, what remains of `c` times that;
// else to the predicate more[1] where that is more[2], turned round by more[3].
struct Division {
  std::uint32_t factor, shift, divisor;
  WARPLENS_INLINE explicit Division(const Instr* i) : factor(i->b), shift(i->detail - 32u), divisor(i->c) {}
  WARPLENS_INLINE std::uint32_t quotient(std::uint32_t a) const {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(a) * factor >> 32) >> shift;
  }
};

WARPLENS_INLINE void leave_lanes(Machine& m, std::uint32_t d, const std::uint32_t* values) {
  Head& h = head(m, d);
  if (!can_overwrite_all_lanes(m, d)) return blend(m, h, values);
  std::uint32_t* to = lanes_of<std::uint32_t>(h);
  WARPLENS_LANES to[l] = values[l];
  h.form = Form::vector;
}
template <bool kRemainder>
WARPLENS_INLINE const Instr* divide_any(Machine& m, const Instr* i) {
  alignas(64) std::uint32_t scratch[kWarpSize];
  alignas(64) std::uint32_t quotient[kWarpSize];
  alignas(64) std::uint32_t rest[kWarpSize];
  const Division by(i);
  const std::uint32_t* dividend = lanes<std::uint32_t>(head(m, i->a), scratch);
  WARPLENS_LANES quotient[l] = by.quotient(dividend[l]);
  WARPLENS_LANES rest[l] = dividend[l] - quotient[l] * by.divisor;
  if (!kRemainder || i->d != kNoRegister) leave_lanes(m, i->d, quotient);
  if (kRemainder && i->more[0] != kNoRegister) leave_lanes(m, i->more[0], rest);
  if (kRemainder && i->more[0] == kNoRegister) {
    const std::uint32_t value = i->more[2];
    WARPLENS_LANES rest[l] = rest[l] == value ? ~0u : 0u;
    set_predicate(m, i->more[1], signs_of(rest) ^ i->more[3]);
  }
  return i + i->imm;
}

#if defined(__AVX512F__)
template <bool kRemainder>
[[gnu::noinline]] const Instr* divide_part(Machine& m, const Instr* i) {
  return divide_any<kRemainder>(m, i);
}
// In registers of the processor all the way. Masked forms, of all lanes: to g++ 12 the others read what was
// never written.
template <bool kRemainder>
const Instr* divide(Machine& m, const Instr* i) {
  const Head& a = head(m, i->a);
  if (a.form == Form::uniform) return i + 1;  // One value for all lanes is best left one
  const bool leaves_quotient = !kRemainder || i->d != kNoRegister,
             leaves_rest = kRemainder && i->more[0] != kNoRegister;
  if ((leaves_quotient && !can_overwrite_all_lanes(m, i->d)) ||
      (leaves_rest && !can_overwrite_all_lanes(m, i->more[0])))
    return divide_part<kRemainder>(m, i);
  const Division by(i);
  const __m512i factors = _mm512_set1_epi32(static_cast<int>(by.factor)),
                divisors = _mm512_set1_epi32(static_cast<int>(by.divisor));
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(by.shift));
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const bool is_line = a.form == Form::affine;
  const __m512i line =
      _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(a.base)),
                       _mm512_mullo_epi32(lane, _mm512_set1_epi32(static_cast<int>(a.stride))));
  const __m512i step = _mm512_set1_epi32(static_cast<int>(16 * a.stride));
  const auto* from = static_cast<const std::uint32_t*>(a.lanes);
  const __m512i dividend[2] = {is_line ? line : _mm512_load_si512(from),
                               is_line ? _mm512_add_epi32(line, step) : _mm512_load_si512(from + 16)};
  __m512i quotient[2];
  for (int k = 0; k < 2; ++k) {
    const __m512i even = _mm512_maskz_mul_epu32(0xff, dividend[k], factors);
    const __m512i odd = _mm512_maskz_mul_epu32(0xff, _mm512_maskz_srli_epi64(0xff, dividend[k], 32), factors);
    const __m512i upper_halves =
        _mm512_mask_blend_epi32(0xaaaa, _mm512_maskz_srli_epi64(0xff, even, 32), odd);
    quotient[k] = _mm512_maskz_srl_epi32(0xffff, upper_halves, shift);
  }
  if (leaves_quotient) {
    Head& d = head(m, i->d);
    auto* to = lanes_of<std::uint32_t>(d);
    for (int k = 0; k < 2; ++k) _mm512_store_si512(to + 16 * k, quotient[k]);
    d.form = Form::vector;
  }
  if constexpr (kRemainder) {
    __m512i rest[2];
    for (int k = 0; k < 2; ++k)
      rest[k] = _mm512_sub_epi32(dividend[k], _mm512_mullo_epi32(quotient[k], divisors));
    if (leaves_rest) {
      Head& d = head(m, i->more[0]);
      auto* to = lanes_of<std::uint32_t>(d);
      for (int k = 0; k < 2; ++k) _mm512_store_si512(to + 16 * k, rest[k]);
      d.form = Form::vector;
    } else {
      const __m512i value = _mm512_set1_epi32(static_cast<int>(i->more[2]));
      const std::uint32_t lower = _mm512_cmpeq_epi32_mask(rest[0], value),
                          upper = _mm512_cmpeq_epi32_mask(rest[1], value);
      set_predicate(m, i->more[1], (lower | upper << 16) ^ i->more[3]);
    }
  }
  return go_on(m, i + i->imm);
}
#else
template <bool kRemainder>
const Instr* divide(Machine& m, const Instr* i) {
  return head(m, i->a).form == Form::uniform ? i + 1 : divide_any<kRemainder>(m, i);
}
#endif
Handler select_divide(bool remainder) {
  return remainder ? &divide<true> : &divide<false>;
}
