// Part of a core: floating-point arithmetic, exactly as the PTX ISA says ("Floating Point Instructions"):
// each operation rounds once, f32 subnormals are kept unless .ftz, NaN results are canonical. Directed
// roundings and the approximate functions are in rounding.cpp.

WARPLENS_INLINE float flush(float v) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, v);
  return (bits & 0x7f800000u) == 0 ? __builtin_bit_cast(float, bits & 0x80000000u) : v;
}
template <bool kFtz>
WARPLENS_INLINE float maybe_flush(float v) {
  return kFtz ? flush(v) : v;
}
// Clamps to [0, 1]; NaN becomes +0.
template <bool kSat>
WARPLENS_INLINE float maybe_saturate(float v) {
  if (!kSat) return v;
  return v >= 1.0f ? 1.0f : v > 0.0f ? v : 0.0f;
}
template <bool kFtz, bool kSat>
WARPLENS_INLINE float finish(float v) {
  return maybe_saturate<kSat>(maybe_flush<kFtz>(v));
}

template <bool kFtz, bool kSat>
struct AddF32 {
  static constexpr bool kHot = true;
  static float of(float a, float b) {
    return finish<kFtz, kSat>(maybe_flush<kFtz>(a) + maybe_flush<kFtz>(b));
  }
};
template <bool kFtz, bool kSat>
struct SubF32 {
  static constexpr bool kHot = true;
  static float of(float a, float b) {
    return finish<kFtz, kSat>(maybe_flush<kFtz>(a) - maybe_flush<kFtz>(b));
  }
};
template <bool kFtz, bool kSat>
struct MulF32 {
  static constexpr bool kHot = true;
  static float of(float a, float b) {
    return finish<kFtz, kSat>(maybe_flush<kFtz>(a) * maybe_flush<kFtz>(b));
  }
};
template <bool kFtz, bool kSat>
struct FmaF32 {
  static constexpr bool kHot = true;
  static float of(float a, float b, float c) {
    return finish<kFtz, kSat>(
        __builtin_fmaf(maybe_flush<kFtz>(a), maybe_flush<kFtz>(b), maybe_flush<kFtz>(c)));
  }
};
template <bool kFtz>
struct DivF32 {
  static float of(float a, float b) { return maybe_flush<kFtz>(maybe_flush<kFtz>(a) / maybe_flush<kFtz>(b)); }
};
template <bool kFtz>
struct RcpF32 {
  static float of(float a) { return maybe_flush<kFtz>(1.0f / maybe_flush<kFtz>(a)); }
};
template <bool kFtz>
struct SqrtF32 {
  static float of(float a) { return maybe_flush<kFtz>(__builtin_sqrtf(maybe_flush<kFtz>(a))); }
};
// Approximate functions are worked out in double and rounded once, so well within the errors that the PTX ISA
// states; those of reciprocals and square roots then are what is rounded to nearest.
template <bool kFtz>
struct RsqrtF32 {
  static float of(float a) {
    return maybe_flush<kFtz>(
        static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(maybe_flush<kFtz>(a)))));
  }
};
// div.approx is a * (1 / b): beyond 2^126 the reciprocal counts as zero.
template <bool kFtz>
struct DivApproxF32 {
  static float of(float a, float b) {
    a = maybe_flush<kFtz>(a);
    b = maybe_flush<kFtz>(b);
    const float size = __builtin_fabsf(b);
    return maybe_flush<kFtz>(size > 0x1p126f && size < __builtin_inff() ? a * __builtin_copysignf(0.0f, b)
                                                                        : a / b);
  }
};
// Arithmetic in f64 passes NaNs on, made quiet: of several the last source's (division: the first's), as
// measured on an H200. Without any, what has no result is 0xfff8000000000000.
WARPLENS_INLINE double quiet(double v) {
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, v) | 0x0008000000000000u);
}
WARPLENS_INLINE double or_nan(double result, double a, double b) {
  if (result == result) return result;
  return b != b ? quiet(b) : a != a ? quiet(a) : __builtin_bit_cast(double, 0xfff8000000000000u);
}
struct AddF64 {
  static constexpr bool kHot = true;
  static double of(double a, double b) { return or_nan(a + b, a, b); }
};
struct SubF64 {
  static double of(double a, double b) { return or_nan(a - b, a, b); }
};
struct MulF64 {
  static constexpr bool kHot = true;
  static double of(double a, double b) { return or_nan(a * b, a, b); }
};
struct FmaF64 {
  static constexpr bool kHot = true;
  static double of(double a, double b, double c) {
    const double result = __builtin_fma(a, b, c);
    return c != c ? quiet(c) : or_nan(result, a, b);
  }
};
struct DivF64 {
  static double of(double a, double b) { return or_nan(a / b, b, a); }
};
struct RcpF64 {
  static double of(double a) { return or_nan(1.0 / a, a, a); }
};
struct SqrtF64 {
  static double of(double a) { return or_nan(__builtin_sqrt(a), a, a); }
};

// min and max: a NaN loses against a number unless .NaN asks for it; -0 is less than +0.
template <class T>
WARPLENS_INLINE bool sign_of(T v) {
  return __builtin_signbit(v) != 0;
}
template <class T, bool kFtz, bool kNan, bool kMax>
struct MinMaxFloat {
  static T of(T a, T b) {
    if constexpr (kFtz) {
      a = flush(a);
      b = flush(b);
    }
    if constexpr (sizeof(T) == 8) {
      if (a != a && b != b) return quiet(b);
    }
    if (a != a) return kNan ? a : b;
    if (b != b) return kNan ? b : a;
    if (a == b) return sign_of(a) == kMax ? b : a;
    return (a < b) != kMax ? a : b;
  }
};
template <bool kFtz>
struct NegF32 {
  static float of(float a) { return -maybe_flush<kFtz>(a); }
};
template <bool kFtz>
struct AbsF32 {
  static float of(float a) { return __builtin_fabsf(maybe_flush<kFtz>(a)); }
};
struct NegF64 {
  static double of(double a) { return a != a ? quiet(a) : -a; }
};
struct AbsF64 {
  static double of(double a) { return a != a ? quiet(a) : __builtin_fabs(a); }
};
// copysign d, a, b: the sign of a on the magnitude of b.
struct CopysignF32 {
  static std::uint32_t of(std::uint32_t a, std::uint32_t b) { return (a & 0x80000000u) | (b & 0x7fffffffu); }
};
struct CopysignF64 {
  static std::uint64_t of(std::uint64_t a, std::uint64_t b) {
    return (a & 0x8000000000000000u) | (b & 0x7fffffffffffffffu);
  }
};
