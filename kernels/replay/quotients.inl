// Part of a core: divisions of unsigned integers by constants (QuotientPlan), before their first instruction: all of it.

/// Each by `factor` / 2^`shift`; both are aligned.
#if defined(__AVX512F__)
WARPLENS_INLINE void divide_each(std::uint32_t* quotient, const std::uint32_t* dividend, std::uint32_t factor, std::uint32_t shift) {
  const __m512i factors = _mm512_set1_epi32(static_cast<int>(factor));
  const __m128i left = _mm_cvtsi32_si128(static_cast<int>(shift) - 32);
  for (int l = 0; l < kWarpSize; l += 16) {
    const __m512i values = _mm512_load_si512(dividend + l);
    const __m512i even = _mm512_maskz_mul_epu32(0xff, values, factors);
    const __m512i odd = _mm512_maskz_mul_epu32(0xff, _mm512_maskz_srli_epi64(0xff, values, 32), factors);
    const __m512i upper_halves = _mm512_mask_blend_epi32(0xaaaa, _mm512_maskz_srli_epi64(0xff, even, 32), odd);
    _mm512_store_si512(quotient + l, _mm512_maskz_srl_epi32(0xffff, upper_halves, left));
  }
}
#else
WARPLENS_INLINE void divide_each(std::uint32_t* quotient, const std::uint32_t* dividend, std::uint32_t factor, std::uint32_t shift) {
  WARPLENS_LANES quotient[l] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(dividend[l]) * factor >> 32) >> (shift - 32);
}
#endif

WARPLENS_INLINE void leave_lanes(Machine& m, std::uint32_t d, const std::uint32_t* values) {
  Head& h = head(m, d);
  if (!whole(m, d)) return blend(m, h, values);
  std::uint32_t* to = lanes_of<std::uint32_t>(h);
  WARPLENS_LANES to[l] = values[l];
  h.form = Form::vector;
}

// `a` by `b` / 2^`detail`, to `d` if anywhere; what remains of `c` times that, to more[0].
template <bool kRemainder>
const Instr* divide(Machine& m, const Instr* i) {
  const Head& a = head(m, i->a);
  if (a.form == Form::uniform) return i + 1;  // One value for all lanes is best left one
  alignas(64) std::uint32_t scratch[kWarpSize];
  alignas(64) std::uint32_t quotient[kWarpSize];
  alignas(64) std::uint32_t rest[kWarpSize];
  const auto* dividend = static_cast<const std::uint32_t*>(a.lanes);
  if (a.form == Form::affine) {
    const auto base = static_cast<std::uint32_t>(a.base), stride = static_cast<std::uint32_t>(a.stride);
    WARPLENS_LANES scratch[l] = base + static_cast<std::uint32_t>(l) * stride;
    dividend = scratch;
  }
  divide_each(quotient, dividend, i->b, i->detail);
  if (kRemainder) {
    const std::uint32_t divisor = i->c;
    WARPLENS_LANES rest[l] = dividend[l] - quotient[l] * divisor;
  }
  if (!kRemainder || i->d != kNoRegister) leave_lanes(m, i->d, quotient);
  if (kRemainder) leave_lanes(m, i->more[0], rest);
  return i + i->imm;
}
Handler select_divide(bool remainder) {
  return remainder ? &divide<true> : &divide<false>;
}
