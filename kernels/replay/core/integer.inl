// Part of a core: integer and bit operations. Results wrap; shifts clamp at the width (PTX ISA, "Integer
// Arithmetic", "Logic and Shift").

template <class T>
struct UnsignedOf {
  using Type = T;
};
template <>
struct UnsignedOf<std::int16_t> {
  using Type = std::uint16_t;
};
template <>
struct UnsignedOf<std::int32_t> {
  using Type = std::uint32_t;
};
template <>
struct UnsignedOf<std::int64_t> {
  using Type = std::uint64_t;
};
template <class T>
using Unsigned = typename UnsignedOf<T>::Type;
__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;
template <class T>
struct WideOf;
template <>
struct WideOf<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct WideOf<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct WideOf<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct WideOf<std::int32_t> {
  using Type = std::int64_t;
};
template <>
struct WideOf<std::uint64_t> {
  using Type = Uint128;
};
template <>
struct WideOf<std::int64_t> {
  using Type = Int128;
};
template <class T>
using Wide = typename WideOf<T>::Type;
template <class T>
constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
template <class T>
constexpr bool kIsSigned = T(-1) < T(0);

// Unsigned arithmetic that does not promote to int: 16-bit products would overflow it.
template <class T>
WARPLENS_INLINE T wrap_mul(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

template <class T>
struct Add {
  static constexpr bool kLine = true, kHot = true;
  static T of(T a, T b) { return static_cast<T>(a + b); }
  static bool line(Head& d, const Head& a, const Head& b) {
    if (sizeof(T) < 4) return false;
    set_line<KeptType<T>>(d, static_cast<KeptType<T>>(a.base + b.base),
                          static_cast<std::int64_t>(static_cast<std::uint64_t>(a.stride) + b.stride));
    return true;
  }
};
template <class T>
struct Sub {
  static constexpr bool kLine = true, kHot = sizeof(T) >= 4;
  static T of(T a, T b) { return static_cast<T>(a - b); }
  static bool line(Head& d, const Head& a, const Head& b) {
    if (sizeof(T) < 4) return false;
    set_line<KeptType<T>>(d, static_cast<KeptType<T>>(a.base - b.base),
                          static_cast<std::int64_t>(static_cast<std::uint64_t>(a.stride) - b.stride));
    return true;
  }
};
template <class T>
struct MulLo {
  static constexpr bool kLine = true, kHot = sizeof(T) >= 4;
  static T of(T a, T b) { return wrap_mul(a, b); }
  static bool line(Head& d, const Head& a, const Head& b) {
    if (sizeof(T) < 4 || (a.stride != 0 && b.stride != 0)) return false;
    const std::uint64_t stride =
        a.base * static_cast<std::uint64_t>(b.stride) + b.base * static_cast<std::uint64_t>(a.stride);
    set_line<KeptType<T>>(d, static_cast<KeptType<T>>(a.base * b.base), static_cast<std::int64_t>(stride));
    return true;
  }
};
template <class T>
struct MadLo {
  static constexpr bool kLine = true, kHot = sizeof(T) >= 4;
  static T of(T a, T b, T c) { return static_cast<T>(wrap_mul(a, b) + c); }
  static bool line(Head& d, const Head& a, const Head& b, const Head& c) {
    if (sizeof(T) < 4 || (a.stride != 0 && b.stride != 0)) return false;
    const std::uint64_t stride =
        a.base * static_cast<std::uint64_t>(b.stride) + b.base * static_cast<std::uint64_t>(a.stride);
    set_line<KeptType<T>>(d, static_cast<KeptType<T>>(a.base * b.base + c.base),
                          static_cast<std::int64_t>(stride + c.stride));
    return true;
  }
};
template <class T>
struct MulHi {
  static T of(T a, T b) { return static_cast<T>((static_cast<Wide<T>>(a) * b) >> kBits<T>); }
};
template <class T>
struct MadHi {
  static T of(T a, T b, T c) {
    return static_cast<T>(static_cast<Unsigned<T>>(MulHi<T>::of(a, b)) + static_cast<Unsigned<T>>(c));
  }
};

// The lanes of a 32-bit line as 64-bit values, if none of the 32 wraps around: only then is the wide value a
// line too.
template <class T>
WARPLENS_INLINE bool widen_line(const Head& a, std::int64_t& base) {
  base = kIsSigned<T> ? static_cast<std::int64_t>(static_cast<std::int32_t>(a.base))
                      : static_cast<std::int64_t>(a.base);
  const std::int64_t last = base + (kWarpSize - 1) * a.stride;
  return kIsSigned<T> ? last >= INT32_MIN && last <= INT32_MAX
                      : last >= 0 && last <= static_cast<std::int64_t>(UINT32_MAX);
}
template <class T>
struct MulWide {
  static constexpr bool kLine = true, kHot = sizeof(T) >= 4;
  static Wide<T> of(T a, T b) {
    return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
  }
  static bool line(Head& d, const Head& a, const Head& b) {
    std::int64_t x = 0, y = 0;
    if (sizeof(T) != 4 || (a.stride != 0 && b.stride != 0) || !widen_line<T>(a, x) || !widen_line<T>(b, y))
      return false;
    const auto ux = static_cast<std::uint64_t>(x), uy = static_cast<std::uint64_t>(y);
    set_line<KeptType<Wide<T>>>(d, static_cast<KeptType<Wide<T>>>(ux * uy),
                                static_cast<std::int64_t>(ux * static_cast<std::uint64_t>(b.stride) +
                                                          uy * static_cast<std::uint64_t>(a.stride)));
    return true;
  }
};
template <class T>
struct MadWide {
  static constexpr bool kLine = true;
  static Wide<T> of(T a, T b, Wide<T> c) {
    return static_cast<Wide<T>>(static_cast<Unsigned<Wide<T>>>(MulWide<T>::of(a, b)) +
                                static_cast<Unsigned<Wide<T>>>(c));
  }
  static bool line(Head& d, const Head& a, const Head& b, const Head& c) {
    const std::uint64_t base = c.base;  // `d` may be `c`
    const std::int64_t stride = c.stride;
    if (!MulWide<T>::line(d, a, b)) return false;
    set_line<KeptType<Wide<T>>>(
        d, static_cast<KeptType<Wide<T>>>(d.base + base),
        static_cast<std::int64_t>(static_cast<std::uint64_t>(d.stride) + static_cast<std::uint64_t>(stride)));
    return true;
  }
};

// mul24 and mad24 take the low 24 bits; .hi is bits 16 to 47 of the product.
template <class T>
WARPLENS_INLINE std::int64_t low24(T v) {
  return kIsSigned<T>
             ? static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(v) << 8) >> 8)
             : static_cast<std::int64_t>(static_cast<std::uint32_t>(v) & 0xffffffu);
}
template <class T, bool kHigh>
struct Mul24 {
  static T of(T a, T b) { return static_cast<T>((low24(a) * low24(b)) >> (kHigh ? 16 : 0)); }
};
template <class T, bool kHigh>
struct Mad24 {
  static T of(T a, T b, T c) {
    return static_cast<T>(static_cast<std::uint32_t>(Mul24<T, kHigh>::of(a, b)) +
                          static_cast<std::uint32_t>(c));
  }
};

// Division by zero gives all ones and the remainder is the dividend, as on the hardware; the PTX ISA leaves
// it open.
template <class T>
struct Div {
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (kIsSigned<T> && b == static_cast<T>(-1))
      return static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a));
    return static_cast<T>(a / b);
  }
};
template <class T>
struct Rem {
  static T of(T a, T b) {
    if (b == 0) return a;
    if (kIsSigned<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
template <class T>
struct Sad {
  static Unsigned<T> of(T a, T b, Unsigned<T> c) {
    const auto ua = static_cast<Unsigned<T>>(a), ub = static_cast<Unsigned<T>>(b);
    return static_cast<Unsigned<T>>(c + (a < b ? ub - ua : ua - ub));
  }
};
template <class T>
struct Min {
  static T of(T a, T b) { return a < b ? a : b; }
};
template <class T>
struct Max {
  static T of(T a, T b) { return a > b ? a : b; }
};
template <class T>
struct Neg {
  static T of(T a) { return static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a)); }
};
template <class T>
struct Abs {
  static T of(T a) { return a < 0 ? Neg<T>::of(a) : a; }
};

template <class T>
struct And {
  static constexpr bool kHot = sizeof(T) >= 4;
  static T of(T a, T b) { return static_cast<T>(a & b); }
};
template <class T>
struct Or {
  static constexpr bool kHot = sizeof(T) >= 4;
  static T of(T a, T b) { return static_cast<T>(a | b); }
};
template <class T>
struct Xor {
  static constexpr bool kHot = sizeof(T) >= 4;
  static T of(T a, T b) { return static_cast<T>(a ^ b); }
};
template <class T>
struct Not {
  static T of(T a) { return static_cast<T>(~a); }
};
template <class T>
struct CNot {
  static T of(T a) { return a == 0 ? 1 : 0; }
};
template <class T>
struct Shl {
  static constexpr bool kLine = true, kHot = sizeof(T) >= 4;
  static T of(T a, std::uint32_t b) {
    return b >= static_cast<std::uint32_t>(kBits<T>) ? T(0)
                                                     : static_cast<T>(static_cast<std::uint64_t>(a) << b);
  }
  static bool line(Head& d, const Head& a, const Head& b) {
    const auto shift = static_cast<std::uint32_t>(b.base);
    if (sizeof(T) < 4 || b.stride != 0 || shift >= static_cast<std::uint32_t>(kBits<T>)) return false;
    set_line<KeptType<T>>(d, static_cast<KeptType<T>>(a.base << shift),
                          static_cast<std::int64_t>(static_cast<std::uint64_t>(a.stride) << shift));
    return true;
  }
};
template <class T>
struct Shr {
  static constexpr bool kHot = sizeof(T) >= 4;
  static T of(T a, std::uint32_t b) {
    constexpr auto kLast = static_cast<std::uint32_t>(kBits<T>) - 1;
    if (kIsSigned<T>) return static_cast<T>(a >> (b > kLast ? kLast : b));
    return b > kLast ? T(0) : static_cast<T>(a >> b);
  }
};
template <bool kLeft, bool kWrap>
struct FunnelShift {
  static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t shift = kWrap ? c & 31u : c > 32u ? 32u : c;
    const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
    return static_cast<std::uint32_t>(kLeft ? (both << shift) >> 32 : both >> shift);
  }
};
template <class T>
struct BitField {
  static constexpr auto kLast = static_cast<std::uint32_t>(kBits<T>) - 1;
  // Extracts `len` bits from `pos`; the sign bit is that of the field, or the topmost where the field reaches
  // further. Of the two amounts 32-bit extractions look at the low eight bits; 64-bit ones at all, as
  // measured on an H200.
  static T extract(T a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t pos = kLast == 31 ? b & 0xffu : b, len = kLast == 31 ? c & 0xffu : c;
    if (len == 0) return 0;
    const auto bits = static_cast<Unsigned<T>>(a);
    const bool beyond = pos > kLast;
    const Unsigned<T> shifted = beyond ? Unsigned<T>(0) : static_cast<Unsigned<T>>(bits >> pos);
    const Unsigned<T> low = len > kLast ? static_cast<Unsigned<T>>(~Unsigned<T>(0))
                                        : static_cast<Unsigned<T>>((Unsigned<T>(1) << len) - 1);
    const Unsigned<T> inside = beyond ? Unsigned<T>(0) : static_cast<Unsigned<T>>(~Unsigned<T>(0) >> pos);
    const std::uint64_t end = pos + len - 1;
    const bool negative = kIsSigned<T> && (bits >> (end > kLast ? kLast : end) & 1) != 0;
    return static_cast<T>(negative ? (shifted & low) | static_cast<Unsigned<T>>(~(low & inside))
                                   : shifted & low);
  }
};
template <class T>
struct Bfe {
  static T of(T a, std::uint32_t b, std::uint32_t c) { return BitField<T>::extract(a, b, c); }
};
template <class T>
WARPLENS_INLINE T insert_bits(T a, T b, std::uint32_t c, std::uint32_t d) {
  const std::uint32_t pos = c & 0xffu, len = d & 0xffu;
  if (pos >= static_cast<std::uint32_t>(kBits<T>) || len == 0) return b;
  const T low =
      len >= static_cast<std::uint32_t>(kBits<T>) ? static_cast<T>(~T(0)) : static_cast<T>((T(1) << len) - 1);
  const T field = static_cast<T>(low << pos);
  return static_cast<T>((b & ~field) | ((a << pos) & field));
}
// Position of the highest bit that is set (signed negative: that is clear), or its distance from the top; all
// ones if there is none.
template <class T, bool kShiftAmount>
struct Bfind {
  static std::uint32_t of(T a) {
    Unsigned<T> bits = static_cast<Unsigned<T>>(a);
    if (kIsSigned<T> && a < 0) bits = static_cast<Unsigned<T>>(~bits);
    if (bits == 0) return 0xffffffffu;
    const int top = 63 - __builtin_clzll(bits);
    return static_cast<std::uint32_t>(kShiftAmount ? kBits<T> - 1 - top : top);
  }
};
template <class T>
struct Clz {
  static std::uint32_t of(T a) {
    return a == 0 ? kBits<T> : static_cast<std::uint32_t>(__builtin_clzll(a) - (64 - kBits<T>));
  }
};
template <class T>
struct Popc {
  static std::uint32_t of(T a) { return static_cast<std::uint32_t>(__builtin_popcountll(a)); }
};
template <class T>
struct Brev {
  static T of(T a) {
    std::uint64_t v = a;
    v = (v >> 1 & 0x5555555555555555u) | (v & 0x5555555555555555u) << 1;
    v = (v >> 2 & 0x3333333333333333u) | (v & 0x3333333333333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0f0f0f0f0fu) | (v & 0x0f0f0f0f0f0f0f0fu) << 4;
    return static_cast<T>(__builtin_bswap64(v) >> (64 - kBits<T>));
  }
};
template <class T, bool kWrap>
struct Szext {
  static T of(T a, std::uint32_t b) {
    const std::uint32_t width = kWrap ? b & 31u : b;
    if (width == 0) return 0;
    if (width >= 32) return a;
    const auto up = static_cast<std::uint32_t>(a) << (32 - width);
    return kIsSigned<T> ? static_cast<T>(static_cast<std::int32_t>(up) >> (32 - width))
                        : static_cast<T>(up >> (32 - width));
  }
};
// The n-th set bit of `a` from `base`, counting upwards for n > 0 and downwards for n < 0.
struct Fns {
  static std::uint32_t of(std::uint32_t a, std::uint32_t base, std::int32_t n) {
    if (base > 31) return 0xffffffffu;
    if (n == 0) return (a >> base & 1) != 0 ? base : 0xffffffffu;
    int left = n < 0 ? -n : n;
    for (int k = static_cast<int>(base); k >= 0 && k < 32; k += n < 0 ? -1 : 1) {
      if ((a >> k & 1) != 0 && --left == 0) return static_cast<std::uint32_t>(k);
    }
    return 0xffffffffu;
  }
};
// `b` ones from bit `a` on.
template <bool kWrap>
struct Bmsk {
  static std::uint32_t of(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t pos = kWrap ? a & 31u : a > 32u ? 32u : a, len = kWrap ? b & 31u : b > 32u ? 32u : b;
    return static_cast<std::uint32_t>(((std::uint64_t{1} << len) - 1) << pos);
  }
};
// Each selector nibble picks one of the eight bytes of {b, a}; its top bit asks for the byte's sign instead.
struct Prmt {
  static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(b) << 32 | a;
    std::uint32_t result = 0;
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t nibble = c >> (4 * k) & 15u;
      std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (8 * (nibble & 7u))) & 0xffu;
      if ((nibble & 8u) != 0) byte = (byte & 0x80u) != 0 ? 0xffu : 0u;
      result |= byte << (8 * k);
    }
    return result;
  }
};
template <class A, class B>
struct Dp4a {
  static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (int k = 0; k < 4; ++k)
      c += static_cast<std::uint32_t>(static_cast<A>(a >> (8 * k)) * static_cast<B>(b >> (8 * k)));
    return c;
  }
};
template <class A, class B, bool kHigh>
struct Dp2a {
  static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (int k = 0; k < 2; ++k) {
      c += static_cast<std::uint32_t>(static_cast<A>(a >> (16 * k)) *
                                      static_cast<B>(b >> (8 * (k + (kHigh ? 2 : 0)))));
    }
    return c;
  }
};

// Register copies keep their form.
template <class T>
const Instr* move(Machine& m, const Instr* i) {
  using K = KeptType<T>;
  Head& d = head(m, i->d);
  const Head& a = head(m, i->a);
  if (can_overwrite_all_lanes(m, i->d)) {
    if (is_line(a)) {
      d.base = a.base;
      d.stride = a.stride;
      d.form = a.form;
    } else {
      const K* from = lanes_of<K>(const_cast<Head&>(a));
      K* to = lanes_of<K>(d);
      WARPLENS_LANES to[l] = from[l];
      d.form = Form::vector;
    }
    return i + 1;
  }
  alignas(64) K scratch[kWarpSize];
  blend(m, d, lanes<K>(a, scratch));
  return i + 1;
}

// selp: a where the predicate holds, else b.
WARPLENS_INLINE std::uint32_t chosen_by(Machine& m, const Instr* i) {
  return mask_of(m, i->c) ^ ((i->flags & kSecondNegated) != 0 ? 0xffffffffu : 0u);
}
template <class K>
[[gnu::noinline]] const Instr* select_from_any(Machine& m, const Instr* i) {
  Head& d = head(m, i->d);
  const Head& a = head(m, i->a);
  const Head& b = head(m, i->b);
  const std::uint32_t p = chosen_by(m, i);
  const bool replace = can_overwrite_all_lanes(m, i->d);
  if (replace && ((p & m.active) == m.active || (p & m.active) == 0)) {
    const Head& chosen = (p & m.active) == 0 ? b : a;
    if (is_line(chosen)) {
      d.base = chosen.base;
      d.stride = chosen.stride;
      d.form = chosen.form;
      return i + 1;
    }
  }
  alignas(64) K scratch_a[kWarpSize];
  alignas(64) K scratch_b[kWarpSize];
  alignas(64) K beside[kWarpSize];
  const K* pa = lanes<K>(a, scratch_a);
  const K* pb = lanes<K>(b, scratch_b);
  K* pd = place_of_lanes<K>(d, replace, beside);
  choose(pd, p, pa, pb);
  return finish_lanes<K>(m, i, d, replace, pd);
}
template <class K>
const Instr* select_by_predicate(Machine& m, const Instr* i) {
  Head& d = head(m, i->d);
  const Head& a = head(m, i->a);
  const Head& b = head(m, i->b);
  if (a.form != Form::vector || b.form != Form::vector || !can_overwrite_all_lanes(m, i->d))
    return select_from_any<K>(m, i);
  choose(lanes_of<K>(d), chosen_by(m, i), static_cast<const K*>(a.lanes), static_cast<const K*>(b.lanes));
  d.form = Form::vector;
  return go_on(m, i + 1);
}

// lop3: bit k of the table `imm` is the result where the bits of (a, b, c) spell k.
WARPLENS_INLINE std::uint32_t lop3_bits(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                        std::uint32_t table) {
  std::uint32_t r = 0;
  r |= (table & 0x01u) != 0 ? ~a & ~b & ~c : 0u;
  r |= (table & 0x02u) != 0 ? ~a & ~b & c : 0u;
  r |= (table & 0x04u) != 0 ? ~a & b & ~c : 0u;
  r |= (table & 0x08u) != 0 ? ~a & b & c : 0u;
  r |= (table & 0x10u) != 0 ? a & ~b & ~c : 0u;
  r |= (table & 0x20u) != 0 ? a & ~b & c : 0u;
  r |= (table & 0x40u) != 0 ? a & b & ~c : 0u;
  r |= (table & 0x80u) != 0 ? a & b & c : 0u;
  return r;
}

// Writes the lanes of a result that may well be the same in all.
template <class K>
WARPLENS_SHARED const Instr* write_values(Machine& m, const Instr* i, std::uint32_t d, const K* values) {
  Head& h = head(m, d);
  if (!can_overwrite_all_lanes(m, d)) {
    blend(m, h, values);
    return i + 1;
  }
  K* to = lanes_of<K>(h);
  WARPLENS_LANES to[l] = values[l];
  h.form = Form::vector;
  K different = 0;
  WARPLENS_LANES different |= values[l] ^ values[0];
  if (different == 0) set_uniform<K>(h, values[0]);
  return i + 1;
}
// The same of lanes computed by `f(lane)`; for operations that are rare.
template <class K, class F>
WARPLENS_INLINE const Instr* write_lanes(Machine& m, const Instr* i, std::uint32_t d, F f) {
  alignas(64) K values[kWarpSize];
  for (int l = 0; l < kWarpSize; ++l) values[l] = f(l);
  return write_values<K>(m, i, d, values);
}

const Instr* lop3(Machine& m, const Instr* i) {
  const Head &a = head(m, i->a), &b = head(m, i->b), &c = head(m, i->c);
  const auto table = static_cast<std::uint32_t>(i->imm);
  return write_lanes<std::uint32_t>(m, i, i->d, [&](int l) WARPLENS_LAMBDA {
    return lop3_bits(lane_value<std::uint32_t>(a, l), lane_value<std::uint32_t>(b, l),
                     lane_value<std::uint32_t>(c, l), table);
  });
}

template <class K>
const Instr* bfi(Machine& m, const Instr* i) {
  const Head &a = head(m, i->a), &b = head(m, i->b), &c = head(m, i->c), &n = head(m, i->more[0]);
  return write_lanes<K>(m, i, i->d, [&](int l) WARPLENS_LAMBDA {
    return insert_bits<K>(lane_value<K>(a, l), lane_value<K>(b, l), lane_value<std::uint32_t>(c, l),
                          lane_value<std::uint32_t>(n, l));
  });
}

// add, sub and mad with the condition code: a mask of lanes in the head at `more[0]`.
enum class CarryOp { add, sub, mad_lo, mad_hi };
template <class K, CarryOp kOp, bool kSignedHigh>
WARPLENS_SHARED std::uint32_t carry_lanes(Machine& m, const Instr* i, std::uint32_t carry_in) {
  alignas(64) K scratch_a[kWarpSize];
  alignas(64) K scratch_b[kWarpSize];
  alignas(64) K scratch_c[kWarpSize];
  alignas(64) K values[kWarpSize];
  const K* pa = lanes<K>(head(m, i->a), scratch_a);
  const K* pb = lanes<K>(head(m, i->b), scratch_b);
  const K* pc = kOp < CarryOp::mad_lo ? nullptr : lanes<K>(head(m, i->c), scratch_c);
  std::uint32_t carry_out = 0;
  WARPLENS_LANES {
    K x = pa[l], y = pb[l];
    if constexpr (kOp == CarryOp::mad_lo) {
      x = static_cast<K>(x * y);
      y = pc[l];
    } else if constexpr (kOp == CarryOp::mad_hi) {
      if constexpr (kSignedHigh && sizeof(K) == 4) {
        x = static_cast<K>(
            MulHi<std::int32_t>::of(static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)));
      } else if constexpr (kSignedHigh) {
        x = static_cast<K>(
            MulHi<std::int64_t>::of(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)));
      } else {
        x = MulHi<K>::of(x, y);
      }
      y = pc[l];
    }
    const K in = carry_in >> l & 1;
    if constexpr (kOp == CarryOp::sub) {
      const K first = static_cast<K>(x - y), second = static_cast<K>(first - in);
      carry_out |= static_cast<std::uint32_t>(x < y || first < in) << l;
      values[l] = second;
    } else {
      const K first = static_cast<K>(x + y), second = static_cast<K>(first + in);
      carry_out |= static_cast<std::uint32_t>(first < x || second < first) << l;
      values[l] = second;
    }
  }
  write_values<K>(m, i, i->d, values);
  return carry_out;
}
template <class K, CarryOp kOp, bool kIn, bool kOut, bool kSignedHigh>
const Instr* with_carry(Machine& m, const Instr* i) {
  const std::uint32_t carry_out = carry_lanes<K, kOp, kSignedHigh>(m, i, kIn ? mask_of(m, i->more[0]) : 0u);
  if (kOut) set_predicate(m, i->more[0], carry_out);
  return i + 1;
}
