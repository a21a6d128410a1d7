// Part of a core: functions that are worked out in double and rounded once, for all lanes at once. To 45 bits
// and more, which is more than rounding to a float asks for: where it hangs on the rest, and where the
// argument is far out, a lane is in doubt and done alone, as the library has it.

constexpr std::uint64_t kBelowFloat = 0x1fffffff;  ///< The bits of a double that a float lacks
constexpr std::uint64_t kHalfway = 0x10000000, kDoubtful = 1u << 12;
constexpr double kInDoubt = __builtin_bit_cast(double, kHalfway);

// Where the processor has none, a fused multiply-add would be a call; either way is exact enough.
#if defined(__FMA__)
WARPLENS_INLINE double multiply_add(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
#else
WARPLENS_INLINE double multiply_add(double a, double b, double c) {
  return a * b + c;
}
#endif

/// Coefficients are fitted to the whole range (mpmath's chebyfit): fewer of them than Taylor's for the same
/// bits. first + x * (second + x * (..)), from the last on.
template <class... Others>
WARPLENS_INLINE double polynomial(double x, double first, Others... others) {
  if constexpr (sizeof...(others) == 0) {
    return first;
  } else {
    return multiply_add(polynomial(x, others...), x, first);
  }
}

struct Exp2 {
  static double by_library(double x) { return exp2_of(x); }
  static double of(double x) {
    const double whole = __builtin_rint(x), r = (x - whole) * 0x1.62e42fefa39efp-1;  // ln 2
    const double sum =
        polynomial(r, 0x1.000000000003dp+0, 0x1.0000000000006p+0, 0x1.ffffffffe74f1p-2, 0x1.5555555550d88p-3,
                   0x1.55555588b8403p-5, 0x1.11111123bf154p-7, 0x1.6c162bb7d965cp-10, 0x1.a01994c849582p-13,
                   0x1.a17df0d914d6cp-16, 0x1.72e107c874de9p-19);
    const bool is_normal = x > -126 && x < 127;
    const auto exponent = static_cast<std::uint64_t>(static_cast<std::int32_t>(is_normal ? whole : 0));
    return is_normal ? __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, sum) + (exponent << 52))
                     : kInDoubt;
  }
};

// Of the mantissa between the roots of 1/2 and 2 by the series of artanh.
struct Log2 {
  static double by_library(double x) { return log2_of(x); }
  static double of(double x) {
    const auto bits = __builtin_bit_cast(std::uint64_t, x),
               root = __builtin_bit_cast(std::uint64_t, 0x1.6a09ep-1);
    const auto exponent = static_cast<std::int32_t>((bits - root) >> 32) >> 20;
    const double mantissa = __builtin_bit_cast(double, bits - (static_cast<std::uint64_t>(exponent) << 52));
    const double s = (mantissa - 1) / (mantissa + 1), square = s * s;
    const double sum =
        polynomial(square, 0x1.0000000000001p+0, 0x1.5555555552d43p-2, 0x1.999999a437ca8p-3,
                   0x1.249240b6add8fp-3, 0x1.c722cdefdf9b3p-4, 0x1.7322ff4d521e3p-4, 0x1.58d770f9b4f48p-4);
    const double y = exponent + s * sum * 0x1.71547652b82fep+1;  // 2 / ln 2
    return x > 0 && x < __builtin_inf() ? y : kInDoubt;
  }
};

// In quarters of a turn; what is left is at most an eighth. The first part of pi / 2 has 33 bits, so its
// product is exact.
template <bool kCosine>
struct Sine {
  static double by_library(double x) { return kCosine ? cos_of(x) : sin_of(x); }
  static double of(double x) {
    const bool is_near = x > -65536 && x < 65536;
    const double quarters = is_near ? __builtin_rint(x * 0x1.45f306dc9c883p-1) : 0;
    const double r = multiply_add(quarters, -0x1.0b4611a626331p-34,
                                  multiply_add(quarters, -0x1.921fb544p+0, x)),
                 square = r * r;
    const double sine = polynomial(square, 0x1.fffffffffffd9p-1, -0x1.5555555550ef5p-3, 0x1.1111110bddd63p-7,
                                   -0x1.a019f8a1577d7p-13, 0x1.71d7311faf9a8p-19, -0x1.a9505e1f4a755p-26) *
                        r;
    const double cosine =
        polynomial(square, 1, -0x1.fffffffffff79p-2, 0x1.555555554e7ddp-5, -0x1.6c16c163c4cd9p-10,
                   0x1.a019f7fcca9e1p-16, -0x1.27df3fbf5f4dcp-22, 0x1.1b8adf447470bp-29);
    const std::int32_t quarter = static_cast<std::int32_t>(quarters) + (kCosine ? 1 : 0);
    const double size = (quarter & 1) != 0 ? cosine : sine, y = (quarter & 2) != 0 ? -size : size;
    return is_near && (r > 0x1p-20 || r < -0x1p-20) ? y : kInDoubt;
  }
};

template <class F, bool kFtz>
struct ByLibrary {
  static float of(float a) {
    return maybe_flush<kFtz>(static_cast<float>(F::by_library(static_cast<double>(maybe_flush<kFtz>(a)))));
  }
};
template <class F, bool kFtz>
const Instr* approximate(Machine& m, const Instr* i) {
  Head& d = head(m, i->d);
  const Head& a = head(m, i->a);
  const bool replace = can_overwrite_all_lanes(m, i->d);
  if (replace && a.form == Form::uniform) {
    set_uniform<std::uint32_t>(
        d, to_bits(ByLibrary<F, kFtz>::of(from_bits<float>(static_cast<std::uint32_t>(a.base)))));
    return i + 1;
  }
  alignas(64) std::uint32_t scratch[kWarpSize];
  alignas(64) std::uint32_t values[kWarpSize];
  alignas(64) std::uint32_t doubt[kWarpSize];
  const std::uint32_t* pa = lanes<std::uint32_t>(a, scratch);
  WARPLENS_LANES {
    const double worked = F::of(static_cast<double>(maybe_flush<kFtz>(from_bits<float>(pa[l]))));
    values[l] = to_bits(static_cast<float>(worked));
    const auto below = static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, worked) & kBelowFloat);
    doubt[l] = below - static_cast<std::uint32_t>(kHalfway - kDoubtful) <= 2 * kDoubtful ? ~0u : 0u;
  }
  for (std::uint32_t left = signs_of(doubt) & m.active; left != 0; left &= left - 1) {
    const int l = __builtin_ctz(left);
    values[l] = to_bits(ByLibrary<F, kFtz>::of(from_bits<float>(pa[l])));
  }
  if (!replace) {
    blend(m, d, values);
    return i + 1;
  }
  __builtin_memcpy(lanes_of<std::uint32_t>(d), values, sizeof values);
  d.form = Form::vector;
  return i + 1;
}
