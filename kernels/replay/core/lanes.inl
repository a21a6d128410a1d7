// Part of a core: registers in their forms, and how an operation on lanes becomes a handler.

WARPLENS_INLINE Head& head(Machine& m, std::uint32_t offset) {
  return *reinterpret_cast<Head*>(m.registers + offset);
}
WARPLENS_INLINE std::uint32_t mask_of(Machine& m, std::uint32_t offset) {
  return static_cast<std::uint32_t>(head(m, offset).base);
}
WARPLENS_INLINE int count_bits(std::uint32_t mask) {
  return __builtin_popcount(mask);
}

// How a lane's value of type T is kept: 32 bits for everything up to 32 bits, zero-extended; else 64.
template <class T>
struct Kept {
  using Type = std::uint32_t;
};
template <>
struct Kept<std::uint64_t> {
  using Type = std::uint64_t;
};
template <>
struct Kept<std::int64_t> {
  using Type = std::uint64_t;
};
template <>
struct Kept<double> {
  using Type = std::uint64_t;
};
template <class T>
using KeptType = typename Kept<T>::Type;

template <class T>
WARPLENS_INLINE T from_bits(KeptType<T> bits) {
  return static_cast<T>(bits);
}
template <>
WARPLENS_INLINE float from_bits<float>(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
template <>
WARPLENS_INLINE double from_bits<double>(std::uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}

WARPLENS_INLINE std::uint32_t to_bits(std::uint8_t v) {
  return v;
}
WARPLENS_INLINE std::uint32_t to_bits(std::int8_t v) {
  return static_cast<std::uint8_t>(v);
}
WARPLENS_INLINE std::uint32_t to_bits(std::uint16_t v) {
  return v;
}
WARPLENS_INLINE std::uint32_t to_bits(std::int16_t v) {
  return static_cast<std::uint16_t>(v);
}
WARPLENS_INLINE std::uint32_t to_bits(std::uint32_t v) {
  return v;
}
WARPLENS_INLINE std::uint32_t to_bits(std::int32_t v) {
  return static_cast<std::uint32_t>(v);
}
WARPLENS_INLINE std::uint64_t to_bits(std::uint64_t v) {
  return v;
}
WARPLENS_INLINE std::uint64_t to_bits(std::int64_t v) {
  return static_cast<std::uint64_t>(v);
}
// Arithmetic in f32 gives one NaN, 0x7fffffff (PTX ISA, "Floating Point Instructions").
WARPLENS_INLINE std::uint32_t to_bits(float v) {
  return v != v ? 0x7fffffffu : __builtin_bit_cast(std::uint32_t, v);
}
// Operations on f64 say themselves which NaN they give.
WARPLENS_INLINE std::uint64_t to_bits(double v) {
  return __builtin_bit_cast(std::uint64_t, v);
}

template <class K>
WARPLENS_INLINE K* lanes_of(Head& h) {
  return static_cast<K*>(__builtin_assume_aligned(h.lanes, 64));
}

// What every handler needs but few come by is compiled once a core, and not into each of a thousand handlers:
// WARPLENS_SHARED.
template <class K>
WARPLENS_SHARED void expand(const Head& h, K* to) {
  const K base = static_cast<K>(h.base), stride = static_cast<K>(h.stride);
  WARPLENS_LANES to[l] = base + static_cast<K>(l) * stride;
}
// The lanes of a register in any form; those that are not stored are written to `scratch`.
template <class K>
WARPLENS_INLINE const K* lanes(const Head& h, K* scratch) {
  if (h.form == Form::vector) return static_cast<const K*>(__builtin_assume_aligned(h.lanes, 64));
  if (h.form == Form::uniform) {
    const K value = static_cast<K>(h.base);
    WARPLENS_LANES scratch[l] = value;
  } else {
    expand(h, scratch);
  }
  return scratch;
}

template <class K>
WARPLENS_INLINE K lane_value(const Head& h, int lane) {
  if (h.form == Form::vector) return static_cast<const K*>(h.lanes)[lane];
  return static_cast<K>(h.base) + static_cast<K>(lane) * static_cast<K>(h.stride);
}

template <class K>
WARPLENS_INLINE void set_uniform(Head& h, K bits) {
  h.base = bits;
  h.stride = 0;
  h.form = Form::uniform;
}
template <class K>
WARPLENS_INLINE void set_line(Head& h, K base, std::int64_t stride) {
  h.base = base;
  h.stride = sizeof(K) == 4 ? static_cast<std::int64_t>(static_cast<std::int32_t>(stride)) : stride;
  h.form = h.stride != 0 ? Form::affine : Form::uniform;
}
WARPLENS_INLINE bool is_line(const Head& a) {
  return a.form < Form::vector;
}

// True if a write may replace the whole register: no waiting lane needs the old value.
WARPLENS_INLINE bool can_overwrite_all_lanes(const Machine& m, std::uint32_t d) {
  if (m.active == m.alive) return true;
  if (m.suspended == nullptr) return false;
  const auto slot = static_cast<std::uint32_t>(d / sizeof(Head));
  return (m.suspended[slot / 64] >> (slot % 64) & 1) == 0;
}

/// Lanes of `a` where the mask has a bit, else of `b`; all three are aligned.
#if defined(__AVX512F__)
WARPLENS_INLINE void choose(std::uint32_t* to, std::uint32_t mask, const std::uint32_t* a,
                            const std::uint32_t* b) {
  for (int l = 0; l < kWarpSize; l += 16) {
    const auto part = static_cast<__mmask16>(mask >> l);
    _mm512_store_si512(to + l,
                       _mm512_mask_blend_epi32(part, _mm512_load_si512(b + l), _mm512_load_si512(a + l)));
  }
}
WARPLENS_INLINE void choose(std::uint64_t* to, std::uint32_t mask, const std::uint64_t* a,
                            const std::uint64_t* b) {
  for (int l = 0; l < kWarpSize; l += 8) {
    const auto part = static_cast<__mmask8>(mask >> l);
    _mm512_store_si512(to + l,
                       _mm512_mask_blend_epi64(part, _mm512_load_si512(b + l), _mm512_load_si512(a + l)));
  }
}
#else
template <class K>
WARPLENS_INLINE void choose(K* to, std::uint32_t mask, const K* a, const K* b) {
  WARPLENS_LANES to[l] = (mask >> l & 1) != 0 ? a[l] : b[l];
}
#endif

// Writes the active lanes of `values`, and keeps the others.
template <class K>
WARPLENS_INLINE void blend(const Machine& m, Head& d, const K* values) {
  K* kept = lanes_of<K>(d);
  if (d.form != Form::vector) {
    expand(d, kept);
    d.form = Form::vector;
  }
  choose(kept, m.active, values, kept);
}

// A source of lanes for loops that are worth a version without scratch copies.
template <class K>
struct Stored {
  const K* values;
  WARPLENS_INLINE K operator[](int l) const { return values[l]; }
};
template <class K>
struct Broadcast {
  K value;
  WARPLENS_INLINE K operator[](int) const { return value; }
};
/// Calls `f` with the lanes of a register that is not affine but uniform.
template <class K, class F>
WARPLENS_INLINE void with_usual_source(const Head& h, F f) {
  if (h.form == Form::uniform) return f(Broadcast<K>{static_cast<K>(h.base)});
  f(Stored<K>{static_cast<const K*>(__builtin_assume_aligned(h.lanes, 64))});
}
/// All are vectors or of one value, and one at least is a vector.
template <class... Heads>
WARPLENS_INLINE bool are_usual(const Heads&... heads) {
  return (static_cast<std::uint32_t>(heads.form) | ...) == static_cast<std::uint32_t>(Form::vector);
}

// Operations are structs with a static function `of` on values; `hot` ones get loops for each mixture of
// vectors and single values, which need no stack; `line`, if there, tries to do without lanes at all.
template <class Op>
concept HasLine = requires { Op::kLine; };
template <class Op>
concept IsHot = requires { requires Op::kHot; };

// Where a handler writes the lanes of its result: the register, or `beside` it where waiting lanes need the
// old value. finish_lanes must follow.
template <class K>
WARPLENS_INLINE K* place_of_lanes(Head& d, bool replace, K* beside) {
  return static_cast<K*>(__builtin_assume_aligned(replace ? d.lanes : beside, 64));
}
template <class K>
WARPLENS_INLINE const Instr* finish_lanes(Machine& m, const Instr* i, Head& d, bool replace,
                                          const K* values) {
  if (replace) {
    d.form = Form::vector;
  } else {
    blend(m, d, values);
  }
  return i + 1;
}

// The usual handlers of straight code do not come back to run(), but jump to the next one: without the detour
// processors foresee better what follows. Where a call at the end of a function may stay a call, handlers
// only say what follows.
#if defined(__OPTIMIZE__) && defined(__AVX2__)
constexpr bool kHandlersJump = true;  // -foptimize-sibling-calls (cmake/replay_cores.cmake)
#else
constexpr bool kHandlersJump = false;
#endif
WARPLENS_INLINE const Instr* go_on(Machine& m, const Instr* next) {
  return !kHandlersJump || m.single_step ? next : next->run(m, next);
}

template <class Op, class R, class A>
[[gnu::noinline]] const Instr* apply1_to_any(Machine& m, const Instr* i) {
  using KR = KeptType<R>;
  using KA = KeptType<A>;
  alignas(64) KA scratch_a[kWarpSize];
  alignas(64) KR beside[kWarpSize];
  Head& d = head(m, i->d);
  const bool replace = can_overwrite_all_lanes(m, i->d);
  const KA* pa = lanes<KA>(head(m, i->a), scratch_a);
  KR* pd = place_of_lanes<KR>(d, replace, beside);
  WARPLENS_LANES pd[l] = to_bits(Op::of(from_bits<A>(pa[l])));
  return finish_lanes<KR>(m, i, d, replace, pd);
}
template <class Op, class R, class A>
const Instr* apply1(Machine& m, const Instr* i) {
  using KR = KeptType<R>;
  using KA = KeptType<A>;
  Head& d = head(m, i->d);
  const Head& a = head(m, i->a);
  if (!can_overwrite_all_lanes(m, i->d)) return apply1_to_any<Op, R, A>(m, i);
  if constexpr (IsHot<Op>) {
    if (are_usual(a)) {
      KR* pd = lanes_of<KR>(d);
      with_usual_source<KA>(
          a, [&](auto sa) WARPLENS_LAMBDA { WARPLENS_LANES pd[l] = to_bits(Op::of(from_bits<A>(sa[l]))); });
      d.form = Form::vector;
      return go_on(m, i + 1);
    }
  }
  if (a.form == Form::uniform) {
    set_uniform<KR>(d, to_bits(Op::of(from_bits<A>(static_cast<KA>(a.base)))));
    return go_on(m, i + 1);
  }
  if constexpr (HasLine<Op>) {
    if (is_line(a) && Op::line(d, a)) return go_on(m, i + 1);
  }
  return apply1_to_any<Op, R, A>(m, i);
}

template <class Op, class R, class A, class B>
[[gnu::noinline]] const Instr* apply2_to_any(Machine& m, const Instr* i) {
  using KR = KeptType<R>;
  using KA = KeptType<A>;
  using KB = KeptType<B>;
  alignas(64) KA scratch_a[kWarpSize];
  alignas(64) KB scratch_b[kWarpSize];
  alignas(64) KR beside[kWarpSize];
  Head& d = head(m, i->d);
  const bool replace = can_overwrite_all_lanes(m, i->d);
  const KA* pa = lanes<KA>(head(m, i->a), scratch_a);
  const KB* pb = lanes<KB>(head(m, i->b), scratch_b);
  KR* pd = place_of_lanes<KR>(d, replace, beside);
  WARPLENS_LANES pd[l] = to_bits(Op::of(from_bits<A>(pa[l]), from_bits<B>(pb[l])));
  return finish_lanes<KR>(m, i, d, replace, pd);
}
template <class Op, class R, class A, class B>
const Instr* apply2(Machine& m, const Instr* i) {
  using KR = KeptType<R>;
  using KA = KeptType<A>;
  using KB = KeptType<B>;
  Head& d = head(m, i->d);
  const Head& a = head(m, i->a);
  const Head& b = head(m, i->b);
  if (!can_overwrite_all_lanes(m, i->d)) return apply2_to_any<Op, R, A, B>(m, i);
  if constexpr (IsHot<Op>) {
    if (are_usual(a, b)) {
      KR* pd = lanes_of<KR>(d);
      with_usual_source<KA>(a, [&](auto sa) WARPLENS_LAMBDA {
        with_usual_source<KB>(b, [&](auto sb) WARPLENS_LAMBDA {
          WARPLENS_LANES pd[l] = to_bits(Op::of(from_bits<A>(sa[l]), from_bits<B>(sb[l])));
        });
      });
      d.form = Form::vector;
      return go_on(m, i + 1);
    }
  }
  if (a.form == Form::uniform && b.form == Form::uniform) {
    set_uniform<KR>(
        d, to_bits(Op::of(from_bits<A>(static_cast<KA>(a.base)), from_bits<B>(static_cast<KB>(b.base)))));
    return go_on(m, i + 1);
  }
  if constexpr (HasLine<Op>) {
    if (is_line(a) && is_line(b) && Op::line(d, a, b)) return go_on(m, i + 1);
  }
  return apply2_to_any<Op, R, A, B>(m, i);
}

template <class Op, class R, class A, class B, class C>
[[gnu::noinline]] const Instr* apply3_to_any(Machine& m, const Instr* i) {
  using KR = KeptType<R>;
  using KA = KeptType<A>;
  using KB = KeptType<B>;
  using KC = KeptType<C>;
  alignas(64) KA scratch_a[kWarpSize];
  alignas(64) KB scratch_b[kWarpSize];
  alignas(64) KC scratch_c[kWarpSize];
  alignas(64) KR beside[kWarpSize];
  Head& d = head(m, i->d);
  const bool replace = can_overwrite_all_lanes(m, i->d);
  const KA* pa = lanes<KA>(head(m, i->a), scratch_a);
  const KB* pb = lanes<KB>(head(m, i->b), scratch_b);
  const KC* pc = lanes<KC>(head(m, i->c), scratch_c);
  KR* pd = place_of_lanes<KR>(d, replace, beside);
  WARPLENS_LANES pd[l] = to_bits(Op::of(from_bits<A>(pa[l]), from_bits<B>(pb[l]), from_bits<C>(pc[l])));
  return finish_lanes<KR>(m, i, d, replace, pd);
}
template <class Op, class R, class A, class B, class C>
const Instr* apply3(Machine& m, const Instr* i) {
  using KR = KeptType<R>;
  using KA = KeptType<A>;
  using KB = KeptType<B>;
  using KC = KeptType<C>;
  Head& d = head(m, i->d);
  const Head& a = head(m, i->a);
  const Head& b = head(m, i->b);
  const Head& c = head(m, i->c);
  if (!can_overwrite_all_lanes(m, i->d)) return apply3_to_any<Op, R, A, B, C>(m, i);
  if constexpr (IsHot<Op>) {
    if (are_usual(a, b, c)) {
      KR* pd = lanes_of<KR>(d);
      with_usual_source<KA>(a, [&](auto sa) WARPLENS_LAMBDA {
        with_usual_source<KB>(b, [&](auto sb) WARPLENS_LAMBDA {
          with_usual_source<KC>(c, [&](auto sc) WARPLENS_LAMBDA {
            WARPLENS_LANES pd[l] =
                to_bits(Op::of(from_bits<A>(sa[l]), from_bits<B>(sb[l]), from_bits<C>(sc[l])));
          });
        });
      });
      d.form = Form::vector;
      return go_on(m, i + 1);
    }
  }
  if (a.form == Form::uniform && b.form == Form::uniform && c.form == Form::uniform) {
    set_uniform<KR>(
        d, to_bits(Op::of(from_bits<A>(static_cast<KA>(a.base)), from_bits<B>(static_cast<KB>(b.base)),
                          from_bits<C>(static_cast<KC>(c.base)))));
    return go_on(m, i + 1);
  }
  if constexpr (HasLine<Op>) {
    if (is_line(a) && is_line(b) && is_line(c) && Op::line(d, a, b, c)) return go_on(m, i + 1);
  }
  return apply3_to_any<Op, R, A, B, C>(m, i);
}

template <class Op, class R, class A>
Handler pick(R (*)(A)) {
  return &apply1<Op, R, A>;
}
template <class Op, class R, class A, class B>
Handler pick(R (*)(A, B)) {
  return &apply2<Op, R, A, B>;
}
template <class Op, class R, class A, class B, class C>
Handler pick(R (*)(A, B, C)) {
  return &apply3<Op, R, A, B, C>;
}
/// The handler of an operation: register operands by the signature of Op::of.
template <class Op>
Handler elementwise() {
  return pick<Op>(&Op::of);
}

// Predicates are masks: a result replaces the active lanes' bits.
WARPLENS_INLINE void set_predicate(Machine& m, std::uint32_t d, std::uint32_t mask) {
  Head& h = head(m, d);
  h.base = (static_cast<std::uint32_t>(h.base) & ~m.active) | (mask & m.active);
}

/// The lanes whose uppermost bit is set.
#if defined(__AVX512DQ__)
WARPLENS_INLINE std::uint32_t signs_of(const std::uint32_t* values) {
  return _mm512_movepi32_mask(_mm512_load_si512(values)) |
         static_cast<std::uint32_t>(_mm512_movepi32_mask(_mm512_load_si512(values + 16))) << 16;
}
#elif defined(__AVX2__)
WARPLENS_INLINE std::uint32_t signs_of(const std::uint32_t* values) {
  std::uint32_t mask = 0;
  for (int l = 0; l < kWarpSize; l += 8) {
    mask |= static_cast<std::uint32_t>(
                _mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<const float*>(values + l))))
            << l;
  }
  return mask;
}
#else
WARPLENS_INLINE std::uint32_t signs_of(const std::uint32_t* values) {
  std::uint32_t mask = 0;
  WARPLENS_LANES mask |= values[l] >> 31 << l;
  return mask;
}
#endif

template <class A, class Test, class SourceA, class SourceB>
WARPLENS_INLINE std::uint32_t compare_each(SourceA a, SourceB b) {
  alignas(64) std::uint32_t holds[kWarpSize];
  WARPLENS_LANES holds[l] = Test::of(from_bits<A>(a[l]), from_bits<A>(b[l])) ? ~0u : 0u;
  return signs_of(holds);
}

/// Lanes for which a comparison of two sources holds.
#if defined(__AVX512DQ__)
WARPLENS_INLINE __m512i sixteen_of(Stored<std::uint32_t> source, int first) {
  return _mm512_load_si512(source.values + first);
}
WARPLENS_INLINE __m512i sixteen_of(Broadcast<std::uint32_t> source, int) {
  return _mm512_set1_epi32(static_cast<int>(source.value));
}
inline constexpr int kNoPredicate = -1;
constexpr int predicate_of_integers(ptx::Compare compare) {
  switch (compare) {
    case ptx::Compare::eq: return _MM_CMPINT_EQ;
    case ptx::Compare::ne: return _MM_CMPINT_NE;
    case ptx::Compare::lt: return _MM_CMPINT_LT;
    case ptx::Compare::le: return _MM_CMPINT_LE;
    case ptx::Compare::gt: return _MM_CMPINT_NLE;
    case ptx::Compare::ge: return _MM_CMPINT_NLT;
    default: return kNoPredicate;
  }
}
constexpr int predicate_of_floats(ptx::Compare compare) {
  switch (compare) {
    case ptx::Compare::eq: return _CMP_EQ_OQ;
    case ptx::Compare::ne: return _CMP_NEQ_OQ;
    case ptx::Compare::lt: return _CMP_LT_OQ;
    case ptx::Compare::le: return _CMP_LE_OQ;
    case ptx::Compare::gt: return _CMP_GT_OQ;
    case ptx::Compare::ge: return _CMP_GE_OQ;
    case ptx::Compare::equ: return _CMP_EQ_UQ;
    case ptx::Compare::neu: return _CMP_NEQ_UQ;
    case ptx::Compare::ltu: return _CMP_NGE_UQ;
    case ptx::Compare::leu: return _CMP_NGT_UQ;
    case ptx::Compare::gtu: return _CMP_NLE_UQ;
    case ptx::Compare::geu: return _CMP_NLT_UQ;
    default: return kNoPredicate;
  }
}
/// How the processor compares sixteen values of a type.
template <class A>
struct SixteenCompared {
  static constexpr int predicate(ptx::Compare, bool) { return kNoPredicate; }
};
template <>
struct SixteenCompared<std::int32_t> {
  static constexpr int predicate(ptx::Compare compare, bool) { return predicate_of_integers(compare); }
  template <int kPredicate>
  WARPLENS_INLINE static __mmask16 of(__m512i a, __m512i b) {
    return _mm512_cmp_epi32_mask(a, b, kPredicate);
  }
};
template <>
struct SixteenCompared<std::uint32_t> {
  static constexpr int predicate(ptx::Compare compare, bool) { return predicate_of_integers(compare); }
  template <int kPredicate>
  WARPLENS_INLINE static __mmask16 of(__m512i a, __m512i b) {
    return _mm512_cmp_epu32_mask(a, b, kPredicate);
  }
};
template <>
struct SixteenCompared<float> {
  static constexpr int predicate(ptx::Compare compare, bool flushes) {
    return flushes ? kNoPredicate : predicate_of_floats(compare);
  }
  template <int kPredicate>
  WARPLENS_INLINE static __mmask16 of(__m512i a, __m512i b) {
    return _mm512_cmp_ps_mask(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), kPredicate);
  }
};
template <class A, class Test, class SourceA, class SourceB>
WARPLENS_INLINE std::uint32_t compare_sources(SourceA a, SourceB b) {
  using Compared = SixteenCompared<A>;
  constexpr int kPredicate = Compared::predicate(Test::kTest, Test::kFlushes);
  if constexpr (kPredicate == kNoPredicate) {
    return compare_each<A, Test>(a, b);
  } else {
    const std::uint32_t lower = Compared::template of<kPredicate>(sixteen_of(a, 0), sixteen_of(b, 0));
    return lower |
           static_cast<std::uint32_t>(Compared::template of<kPredicate>(sixteen_of(a, 16), sixteen_of(b, 16)))
               << 16;
  }
}
#else
template <class A, class Test, class SourceA, class SourceB>
WARPLENS_INLINE std::uint32_t compare_sources(SourceA a, SourceB b) {
  return compare_each<A, Test>(a, b);
}
#endif

/// Lanes for which a comparison of two registers holds.
template <class A, class Test>
WARPLENS_SHARED std::uint32_t compare_any(const Head& a, const Head& b) {
  using K = KeptType<A>;
  alignas(64) K scratch_a[kWarpSize];
  alignas(64) K scratch_b[kWarpSize];
  return compare_sources<A, Test>(Stored<K>{lanes<K>(a, scratch_a)}, Stored<K>{lanes<K>(b, scratch_b)});
}
template <class A, class Test>
WARPLENS_INLINE std::uint32_t compare(const Head& a, const Head& b) {
  using K = KeptType<A>;
  if (are_usual(a, b)) {
    std::uint32_t holds = 0;
    with_usual_source<K>(a, [&](auto sa) WARPLENS_LAMBDA {
      with_usual_source<K>(b, [&](auto sb) WARPLENS_LAMBDA { holds = compare_sources<A, Test>(sa, sb); });
    });
    return holds;
  }
  if (a.form != Form::uniform || b.form != Form::uniform) return compare_any<A, Test>(a, b);
  return Test::of(from_bits<A>(static_cast<K>(a.base)), from_bits<A>(static_cast<K>(b.base))) ? 0xffffffffu
                                                                                              : 0u;
}
