// Floating point lane by lane: directed roundings, approximate functions, and what is odd about min, max and
// testp.
#include <limits>

#include "kernels/arithmetic/directed.h"
#include "kernels/replay/core/lane_bits.h"

namespace warplens::replay {
namespace {

using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

// Operations in a directed rounding. `F` has a static function `of(a, b, c, rounding)` on floats or doubles.
template <class F, Rounding kRounding, bool kFtz, bool kSat>
Bits rounded_f32(Bits a, Bits b, Bits c) {
  return out<kFtz, kSat>(F::of(in<kFtz>(a), in<kFtz>(b), in<kFtz>(c), kRounding));
}
// Which NaN an f64 operation gives: see the cores' floating.inl.
template <class F, Rounding kRounding>
Bits rounded_f64(Bits a, Bits b, Bits c) {
  const double result = F::of(f64(a), f64(b), f64(c), kRounding);
  if (!std::isnan(result)) return bits_of(result);
  const Bits sources[] = {F::kFirstWins ? a : c, b, F::kFirstWins ? c : a};
  const int unused = F::kSources == 3   ? 0
                     : F::kSources == 2 ? (F::kFirstWins ? 4 : 1)
                                        : (F::kFirstWins ? 6 : 3);
  for (int k = 0; k < 3; ++k) {
    if ((unused >> k & 1) == 0 && std::isnan(f64(sources[k]))) return sources[k] | 0x0008000000000000u;
  }
  return 0xfff8000000000000u;
}
// Two floats in a register of 64 bits.
template <class F, Rounding kRounding, bool kFtz>
Bits rounded_f32_pair(Bits a, Bits b, Bits c) {
  constexpr Bits kLow = 0xffffffff;
  return rounded_f32<F, kRounding, kFtz, false>(a >> 32, b >> 32, c >> 32) << 32 |
         (rounded_f32<F, kRounding, kFtz, false>(a & kLow, b & kLow, c & kLow) & kLow);
}
template <class F, Rounding kRounding>
LaneFunction pick_rounded(const Traits& t) {
  if (t.type == Type::f32x2)
    return t.sat   ? nullptr
           : t.ftz ? &rounded_f32_pair<F, kRounding, true>
                   : &rounded_f32_pair<F, kRounding, false>;
  if (t.type == Type::f64) return &rounded_f64<F, kRounding>;
  if (t.type != Type::f32) return nullptr;
  if (t.ftz) return t.sat ? &rounded_f32<F, kRounding, true, true> : &rounded_f32<F, kRounding, true, false>;
  return t.sat ? &rounded_f32<F, kRounding, false, true> : &rounded_f32<F, kRounding, false, false>;
}
template <class F>
LaneFunction pick_rounded(const Traits& t) {
  switch (t.rounding) {
    case Rounding::rz: return pick_rounded<F, Rounding::rz>(t);
    case Rounding::rm: return pick_rounded<F, Rounding::rm>(t);
    case Rounding::rp: return pick_rounded<F, Rounding::rp>(t);
    default: return pick_rounded<F, Rounding::rn>(t);
  }
}
/// What operations of so many sources say of themselves.
template <int sources>
struct Arithmetic {
  static constexpr int kSources = sources;
  static constexpr bool kFirstWins = false;
};
struct Add : Arithmetic<2> {
  template <class T>
  static T of(T a, T b, T, Rounding r) {
    return arithmetic::add_rounded(a, b, r);
  }
};
struct Sub : Arithmetic<2> {
  template <class T>
  static T of(T a, T b, T, Rounding r) {
    return arithmetic::add_rounded(a, -b, r);
  }
};
struct Mul : Arithmetic<2> {
  template <class T>
  static T of(T a, T b, T, Rounding r) {
    return arithmetic::mul_rounded(a, b, r);
  }
};
struct Fma : Arithmetic<3> {
  template <class T>
  static T of(T a, T b, T c, Rounding r) {
    return arithmetic::fma_rounded(a, b, c, r);
  }
};
struct Div {
  static constexpr int kSources = 2;
  static constexpr bool kFirstWins = true;
  template <class T>
  static T of(T a, T b, T, Rounding r) {
    return arithmetic::div_rounded(a, b, r);
  }
};
struct Rcp {
  static constexpr int kSources = 1;
  static constexpr bool kFirstWins = true;
  template <class T>
  static T of(T a, T, T, Rounding r) {
    return arithmetic::div_rounded(T(1), a, r);
  }
};
struct Sqrt {
  static constexpr int kSources = 1;
  static constexpr bool kFirstWins = true;
  template <class T>
  static T of(T a, T, T, Rounding r) {
    return arithmetic::sqrt_rounded(a, r);
  }
};

// Approximate functions: worked out in double and rounded once, so well within the errors that the PTX ISA
// states (others: the cores' floating.inl).
template <double (*kFunction)(double), bool kFtz>
Bits approximate(Bits a, Bits, Bits) {
  return out<kFtz, false>(static_cast<float>(kFunction(in<kFtz>(a))));
}
template <double (*kFunction)(double)>
LaneFunction pick_approximate(const Traits& t) {
  if (t.type != Type::f32) return nullptr;
  return t.ftz ? &approximate<kFunction, true> : &approximate<kFunction, false>;
}
double tanh_of(double x) {
  return std::tanh(x);
}
double reciprocal(double x) {
  return 1.0 / x;
}
double reciprocal_root(double x) {
  return 1.0 / std::sqrt(x);
}

// The upper half of a double's reciprocal, subnormals flushed.
double flush(double v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0, v) : v;
}
template <double (*kFunction)(double)>
Bits approximate_f64(Bits a, Bits, Bits) {
  const Bits bits = bits_of(flush(kFunction(flush(f64(a & 0xffffffff00000000u)))));
  return std::isnan(f64(bits)) ? 0x7fffffff00000000u : bits & 0xffffffff00000000u;
}
Bits reciprocal_root_f64(Bits a, Bits, Bits) {
  return bits_of(1.0 / std::sqrt(f64(a)));
}

// min and max .xorsign.abs: of the magnitudes, with the product of the signs.
template <bool kMax, bool kNan, bool kFtz>
Bits extremum_of_magnitudes(Bits a, Bits b, Bits) {
  const float x = std::fabs(in<kFtz>(a)), y = std::fabs(in<kFtz>(b));
  if (std::isnan(x) && (kNan || std::isnan(y))) return 0x7fffffff;
  if (std::isnan(y) && kNan) return 0x7fffffff;
  const bool first = std::isnan(y) || (kMax ? x > y : x < y);
  return bits_of(first ? x : y) | ((a ^ b) & 0x80000000u);
}
// min and max of three.
template <bool kMax, bool kNan, bool kFtz, bool kAbsolute>
Bits extremum_of_three(Bits a, Bits b, Bits c) {
  float result = std::numeric_limits<float>::quiet_NaN();
  bool has_nan = false;
  for (const Bits bits : {a, b, c}) {
    const float v = kAbsolute ? std::fabs(in<kFtz>(bits)) : in<kFtz>(bits);
    has_nan |= std::isnan(v);
    if (std::isnan(v)) continue;
    const bool is_first = std::isnan(result), is_further = kMax ? v > result : v < result;
    if (is_first || is_further || (v == result && std::signbit(v) != kMax)) result = v;
  }
  return kNan && has_nan ? 0x7fffffff : bits_of(result);
}
template <bool kMax, bool kNan, bool kFtz>
LaneFunction pick_extremum_of_three(const Traits& t) {
  return t.absolute ? &extremum_of_three<kMax, kNan, kFtz, true>
                    : &extremum_of_three<kMax, kNan, kFtz, false>;
}
template <bool kMax>
LaneFunction pick_extremum_of_three(const Traits& t) {
  if (t.type != Type::f32 || t.xor_sign || t.relu) return nullptr;
  if (t.nan)
    return t.ftz ? pick_extremum_of_three<kMax, true, true>(t) : pick_extremum_of_three<kMax, true, false>(t);
  return t.ftz ? pick_extremum_of_three<kMax, false, true>(t) : pick_extremum_of_three<kMax, false, false>(t);
}
template <bool kMax>
LaneFunction pick_extremum(const Traits& t) {
  if (t.sources == 3) return pick_extremum_of_three<kMax>(t);
  if (t.type != Type::f32 || !t.xor_sign || t.relu) return nullptr;
  if (t.nan)
    return t.ftz ? &extremum_of_magnitudes<kMax, true, true> : &extremum_of_magnitudes<kMax, true, false>;
  return t.ftz ? &extremum_of_magnitudes<kMax, false, true> : &extremum_of_magnitudes<kMax, false, false>;
}
template <ptx::FloatTest kTest, class F>
bool holds(F v) {
  switch (kTest) {
    case ptx::FloatTest::finite: return std::isfinite(v);
    case ptx::FloatTest::infinite: return std::isinf(v);
    case ptx::FloatTest::number: return !std::isnan(v);
    case ptx::FloatTest::not_a_number: return std::isnan(v);
    case ptx::FloatTest::normal: return std::isnormal(v) || v == 0;  // zeros count, as on the hardware
    case ptx::FloatTest::subnormal: return std::fpclassify(v) == FP_SUBNORMAL;
    case ptx::FloatTest::none: break;
  }
  return false;
}
template <ptx::FloatTest kTest>
Bits test_f32(Bits a, Bits, Bits) {
  return holds<kTest>(f32(a));
}
template <ptx::FloatTest kTest>
Bits test_f64(Bits a, Bits, Bits) {
  return holds<kTest>(f64(a));
}
LaneFunction pick_test(const Traits& t) {
  using T = ptx::FloatTest;
  const bool wide = t.type == Type::f64;
  switch (t.test) {
    case T::finite: return wide ? &test_f64<T::finite> : &test_f32<T::finite>;
    case T::infinite: return wide ? &test_f64<T::infinite> : &test_f32<T::infinite>;
    case T::number: return wide ? &test_f64<T::number> : &test_f32<T::number>;
    case T::not_a_number: return wide ? &test_f64<T::not_a_number> : &test_f32<T::not_a_number>;
    case T::normal: return wide ? &test_f64<T::normal> : &test_f32<T::normal>;
    case T::subnormal: return wide ? &test_f64<T::subnormal> : &test_f32<T::subnormal>;
    case T::none: break;
  }
  return nullptr;
}

}  // namespace

double exp2_of(double x) {
  return std::exp2(x);
}
double log2_of(double x) {
  return std::log2(x);
}
double sin_of(double x) {
  return std::sin(x);
}
double cos_of(double x) {
  return std::cos(x);
}

LaneFunction find_float_function(const Traits& t) {
  switch (t.opcode) {
    case Opcode::add: return pick_rounded<Add>(t);
    case Opcode::sub: return pick_rounded<Sub>(t);
    case Opcode::mul: return pick_rounded<Mul>(t);
    case Opcode::mad:
    case Opcode::fma: return t.relu ? nullptr : pick_rounded<Fma>(t);
    case Opcode::div: return pick_rounded<Div>(t);
    case Opcode::rcp: return t.approx ? &approximate_f64<reciprocal> : pick_rounded<Rcp>(t);
    case Opcode::sqrt: return pick_rounded<Sqrt>(t);
    case Opcode::rsqrt: return t.ftz ? &approximate_f64<reciprocal_root> : &reciprocal_root_f64;
    case Opcode::tanh: return pick_approximate<tanh_of>(t);
    case Opcode::min: return pick_extremum<false>(t);
    case Opcode::max: return pick_extremum<true>(t);
    case Opcode::testp: return pick_test(t);
    default: return nullptr;
  }
}

}  // namespace warplens::replay
