// Part of a core: conversions. PTX ISA, "cvt". The common ones here, the rest in lane_conversions.cpp.

template <class T>
constexpr T kMin = kIsSigned<T> ? static_cast<T>(Unsigned<T>(1) << (kBits<T> - 1)) : T(0);
template <class T>
constexpr T kMax = static_cast<T>(~static_cast<Unsigned<T>>(kMin<T>));
template <>
struct UnsignedOf<std::int8_t> {
  using Type = std::uint8_t;
};

// Out: the register's integer type, into which the converted value is extended.
template <class Out, class To, class From, bool kSat>
struct CvtInteger {
  static constexpr bool kLine = true, kHot = !kSat && sizeof(Out) >= 4 && sizeof(From) >= 4;
  static Out of(From a) {
    if constexpr (kSat) {
      if constexpr (kIsSigned<From>) {
        if (kIsSigned<To> ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(kMin<To>) : a < From(0))
          return static_cast<Out>(kMin<To>);
        if (a > From(0) && static_cast<std::uint64_t>(a) > static_cast<std::uint64_t>(kMax<To>))
          return static_cast<Out>(kMax<To>);
      } else {
        if (static_cast<std::uint64_t>(a) > static_cast<std::uint64_t>(kMax<To>))
          return static_cast<Out>(kMax<To>);
      }
    }
    return static_cast<Out>(static_cast<To>(a));
  }
  // Widening keeps a line that does not wrap; narrowing to 32 bits and changing the sign always do.
  static bool line(Head& d, const Head& a) {
    if constexpr (kSat || sizeof(From) < 4 || sizeof(To) < 4 || sizeof(Out) != sizeof(To)) return false;
    if constexpr (sizeof(To) > sizeof(From)) {
      std::int64_t base = 0;
      if (!widen_line<From>(a, base)) return false;
      set_line<std::uint64_t>(d, static_cast<std::uint64_t>(base), a.stride);
    } else {
      set_line<KeptType<To>>(d, static_cast<KeptType<To>>(a.base), a.stride);
    }
    return true;
  }
};

template <class To, class From>
struct CvtToFloat {  // to nearest even
  static To of(From a) { return static_cast<To>(a); }
};
template <bool kFtz, bool kSat>
struct CvtF32FromF64 {
  // A NaN keeps its sign and what fits of its fraction.
  static std::uint32_t of(double a) {
    if (!kSat && a != a) {
      const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, a);
      return static_cast<std::uint32_t>(bits >> 32 & 0x80000000u) | 0x7fc00000u |
             static_cast<std::uint32_t>(bits >> 29 & 0x7fffffu);
    }
    return to_bits(finish<kFtz, kSat>(static_cast<float>(a)));
  }
};
template <bool kFtz>
struct CvtF64FromF32 {
  // A NaN keeps its sign and fraction; not with .ftz, which first makes it an f32 result.
  static std::uint64_t of(float a) {
    if (kFtz && a != a) return 0x7fffffffe0000000u;
    return to_bits(a != a ? quiet(static_cast<double>(a)) : static_cast<double>(maybe_flush<kFtz>(a)));
  }
};
template <bool kFtz, bool kSat>
struct CvtF32FromF32 {
  static float of(float a) { return finish<kFtz, kSat>(a); }
};

template <ptx::Rounding kRounding>
WARPLENS_INLINE float to_integral(float v) {
  if constexpr (kRounding == ptx::Rounding::rni) return __builtin_rintf(v);
  if constexpr (kRounding == ptx::Rounding::rmi) return __builtin_floorf(v);
  if constexpr (kRounding == ptx::Rounding::rpi) return __builtin_ceilf(v);
  return __builtin_truncf(v);
}
template <ptx::Rounding kRounding>
WARPLENS_INLINE double to_integral(double v) {
  if constexpr (kRounding == ptx::Rounding::rni) return __builtin_rint(v);
  if constexpr (kRounding == ptx::Rounding::rmi) return __builtin_floor(v);
  if constexpr (kRounding == ptx::Rounding::rpi) return __builtin_ceil(v);
  return __builtin_trunc(v);
}
// Rounds a float to an integral float.
template <class F, ptx::Rounding kRounding, bool kFtz, bool kSat>
struct CvtIntegral {
  static F of(F a) {
    if constexpr (kFtz) a = flush(a);
    a = to_integral<kRounding>(a);
    if constexpr (kSat) a = a >= F(1) ? F(1) : a > F(0) ? a : F(0);
    return a;
  }
};
// Float to integer clamps to the target's range; a NaN becomes 0, or 2^(bits - 1) where one of the two types
// has 64 bits.
template <class Out, class To, class F, ptx::Rounding kRounding, bool kFtz>
struct CvtFromFloat {
  static Out of(F a) {
    if constexpr (kFtz) a = flush(a);
    if (a != a) {
      if (sizeof(F) < 8 && sizeof(To) < 8) return 0;
      return static_cast<Out>(static_cast<To>(std::uint64_t{1} << (kBits<To> - 1)));
    }
    const F v = to_integral<kRounding>(a);
    constexpr F kBelow = static_cast<F>(kMin<To>);
    constexpr F kAbove = (kIsSigned<To> ? F(1) : F(2)) * static_cast<F>(std::uint64_t{1} << (kBits<To> - 1));
    if (v < kBelow) return static_cast<Out>(kMin<To>);
    if (v >= kAbove) return static_cast<Out>(kMax<To>);
    return static_cast<Out>(static_cast<To>(v));
  }
};

// Addresses of a state space to generic ones and back: the window's base is added to or taken from the line.
template <bool kToGeneric>
const Instr* convert_address(Machine& m, const Instr* i) {
  using K = std::uint64_t;
  Head& d = head(m, i->d);
  const Head& a = head(m, i->a);
  const auto window = kToGeneric ? static_cast<K>(i->imm) : static_cast<K>(0) - static_cast<K>(i->imm);
  if (can_overwrite_all_lanes(m, i->d) && is_line(a)) {
    set_line<K>(d, a.base + window, a.stride);
    return i + 1;
  }
  alignas(64) K scratch[kWarpSize];
  alignas(64) K values[kWarpSize];
  const K* from = lanes<K>(a, scratch);
  WARPLENS_LANES values[l] = from[l] + window;
  return write_values<K>(m, i, i->d, values);
}
const Instr* is_space(Machine& m, const Instr* i) {
  std::uint64_t a[kWarpSize];
  read_register(m, i->a, 8, a);
  std::uint32_t holds = 0;
  for (int l = 0; l < kWarpSize; ++l)
    holds |= static_cast<std::uint32_t>(where_of_generic(a[l]) ==
                                        where_of(static_cast<ptx::StateSpace>(i->detail)))
             << l;
  set_predicate(m, i->d, holds);
  return i + 1;
}
