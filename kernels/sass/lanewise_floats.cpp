// Lane functions: sums and products of floats, comparisons, approximate functions.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/arithmetic/directed.h"
#include "kernels/sass/lanewise_parts.h"

namespace warplens::sass {
namespace {

struct Add {
  template <class T>
  static T of(T a, T b, T, Rounding r) {
    return r == Rounding::rn ? a + b : arithmetic::add_rounded(a, b, r);
  }
};
struct Multiply {
  template <class T>
  static T of(T a, T b, T, Rounding r) {
    return r == Rounding::rn ? a * b : arithmetic::mul_rounded(a, b, r);
  }
};
struct MultiplyAdd {
  template <class T>
  static T of(T a, T b, T c, Rounding r) {
    return r == Rounding::rn ? std::fma(a, b, c) : arithmetic::fma_rounded(a, b, c, r);
  }
};
template <class F, Rounding kRounding, bool kFlush, bool kSaturate>
Bits rounded(Bits a, Bits b, Bits c) {
  float v = F::of(operand<kFlush>(a), operand<kFlush>(b), operand<kFlush>(c), kRounding);
  if (kSaturate) v = v >= 1.0f ? 1.0f : v > 0.0f ? v : 0.0f;
  return flushed<kFlush>(v);
}
template <class F, Rounding kRounding>
Bits rounded_double(Bits a, Bits b, Bits c) {
  return bits_of(F::of(f64(a), f64(b), f64(c), kRounding));
}
template <class F, Rounding kRounding>
Lanewise pick_rounded(const Instruction& i) {
  if (i.opcode.starts_with('D')) return &rounded_double<F, kRounding>;
  if (i.has("FTZ"))
    return i.has("SAT") ? &rounded<F, kRounding, true, true> : &rounded<F, kRounding, true, false>;
  return i.has("SAT") ? &rounded<F, kRounding, false, true> : &rounded<F, kRounding, false, false>;
}
template <class F>
Lanewise pick_rounded(const Instruction& i) {
  switch (rounding_of(i)) {
    case Rounding::rz: return pick_rounded<F, Rounding::rz>(i);
    case Rounding::rm: return pick_rounded<F, Rounding::rm>(i);
    case Rounding::rp: return pick_rounded<F, Rounding::rp>(i);
    default: return pick_rounded<F, Rounding::rn>(i);
  }
}

template <bool kLarger, bool kFlush>
Bits extremum(Bits a, Bits b, Bits) {
  const float x = operand<kFlush>(a), y = operand<kFlush>(b);
  if (std::isnan(x) || std::isnan(y)) return bits_of(std::isnan(x) ? y : x);
  const bool first = x == y ? std::signbit(x) != kLarger : kLarger ? x > y : x < y;
  return bits_of(first ? x : y);
}
Bits first_of(Bits a, Bits, Bits) {
  return a;
}

// Comparisons: U at the end of a name means "or unordered".
enum class Order : std::uint8_t { less, equal, less_equal, greater, not_equal, greater_equal, ordered };
template <class T>
bool in_order(Order order, T a, T b) {
  switch (order) {
    case Order::less: return a < b;
    case Order::equal: return a == b;
    case Order::less_equal: return a <= b;
    case Order::greater: return a > b;
    case Order::not_equal: return a < b || a > b;
    case Order::greater_equal: return a >= b;
    case Order::ordered: break;
  }
  return !std::isnan(a) && !std::isnan(b);
}
template <class T, Order kOrder, bool kUnordered, bool kFlush>
Bits compared(Bits a, Bits b, Bits) {
  const T x = number<T, kFlush>(a), y = number<T, kFlush>(b);
  return Bits{(kUnordered && (std::isnan(x) || std::isnan(y))) || in_order(kOrder, x, y)};
}
Bits not_ordered(Bits a, Bits b, Bits) {
  return Bits{std::isnan(f32(a)) || std::isnan(f32(b))};
}
Bits not_ordered_doubles(Bits a, Bits b, Bits) {
  return Bits{std::isnan(f64(a)) || std::isnan(f64(b))};
}
template <class T, bool kUnordered, bool kFlush>
Lanewise pick_order(const Instruction& i) {
  const auto has = [&](const char* name) {
    return i.has(kUnordered ? std::string(name) + "U" : std::string(name));
  };
  if (has("LT")) return &compared<T, Order::less, kUnordered, kFlush>;
  if (has("EQ")) return &compared<T, Order::equal, kUnordered, kFlush>;
  if (has("LE")) return &compared<T, Order::less_equal, kUnordered, kFlush>;
  if (has("GT")) return &compared<T, Order::greater, kUnordered, kFlush>;
  if (has("NE")) return &compared<T, Order::not_equal, kUnordered, kFlush>;
  if (has("GE")) return &compared<T, Order::greater_equal, kUnordered, kFlush>;
  return nullptr;
}
template <class T, bool kFlush>
Lanewise pick_comparison(const Instruction& i) {
  if (i.has("NUM")) return &compared<T, Order::ordered, false, false>;
  if (i.has("NAN")) return std::is_same_v<T, float> ? &not_ordered : &not_ordered_doubles;
  const Lanewise ordered = pick_order<T, false, kFlush>(i);
  return ordered != nullptr ? ordered : pick_order<T, true, kFlush>(i);
}

/// Whether a division leaves the fast path: not documented; measured by others on compute capability 12.0.
/// Both paths give the same quotient.
Bits needs_care(Bits a, Bits b, Bits) {
  const auto exponent = [](Bits bits) { return static_cast<int>(bits >> 23 & 0xff); };
  const int x = exponent(a), y = exponent(b);
  return Bits{!(x > 24 && x < 255 && y > 1 && y < 252 && x - y > -125 && x - y < 127)};
}

// Approximate functions.
template <double (*kFunction)(double)>
Bits approximate(Bits a, Bits, Bits) {
  return bits_of(static_cast<float>(kFunction(static_cast<double>(f32(a)))));
}
/// Approximates a function of a double from its upper half, and returns the result's upper half.
template <double (*kFunction)(double)>
Bits approximate_upper(Bits a, Bits, Bits) {
  return bits_of(kFunction(f64(a << 32))) >> 32;
}
double reciprocal(double x) {
  return 1.0 / x;
}
double reciprocal_root(double x) {
  return 1.0 / std::sqrt(x);
}
double root(double x) {
  return std::sqrt(x);
}
double power_of_two(double x) {
  return std::exp2(x);
}
double binary_logarithm(double x) {
  return std::log2(x);
}
constexpr double kTurn = 6.283185307179586;  // MUFU.SIN and .COS take turns
double sine(double x) {
  return std::sin(x * kTurn);
}
double cosine(double x) {
  return std::cos(x * kTurn);
}
double hyperbolic_tangent(double x) {
  return std::tanh(x);
}
Lanewise pick_approximate(const Instruction& i) {
  if (i.has("RCP")) return &approximate<reciprocal>;
  if (i.has("RSQ")) return &approximate<reciprocal_root>;
  if (i.has("SQRT")) return &approximate<root>;
  if (i.has("EX2")) return &approximate<power_of_two>;
  if (i.has("LG2")) return &approximate<binary_logarithm>;
  if (i.has("SIN")) return &approximate<sine>;
  if (i.has("COS")) return &approximate<cosine>;
  if (i.has("TANH")) return &approximate<hyperbolic_tangent>;
  if (i.has("RCP64H")) return &approximate_upper<reciprocal>;
  if (i.has("RSQ64H")) return &approximate_upper<reciprocal_root>;
  return nullptr;
}

}  // namespace

LanewiseForm float_form(const Instruction& i) {
  const bool is_double = i.opcode.starts_with('D');
  const Sign sign = is_double ? Sign::f64 : Sign::f32;
  const auto form = [&](Lanewise function, int sources) {
    return LanewiseForm{.function = function,
                        .sign = sign,
                        .sources = sources,
                        .wide_sources = is_double ? 7u : 0u,
                        .wide_result = is_double};
  };
  const auto is = [&](std::string_view f, std::string_view d) { return i.opcode == f || i.opcode == d; };
  if (is("FADD", "DADD")) return form(pick_rounded<Add>(i), 2);
  if (is("FMUL", "DMUL")) return form(pick_rounded<Multiply>(i), 2);
  if (is("FFMA", "DFMA")) return form(pick_rounded<MultiplyAdd>(i), 3);
  if (is("FSETP", "DSETP")) {
    LanewiseForm test = form(is_double      ? pick_comparison<double, false>(i)
                             : i.has("FTZ") ? pick_comparison<float, true>(i)
                                            : pick_comparison<float, false>(i),
                             2);
    test.is_test = true;
    return test;
  }
  if (i.opcode == "FMNMX") {
    LanewiseForm chosen = form(i.has("FTZ") ? &extremum<false, true> : &extremum<false, false>, 2);
    chosen.other_function = i.has("FTZ") ? &extremum<true, true> : &extremum<true, false>;
    return chosen;
  }
  if (i.opcode == "FSEL") {
    LanewiseForm chosen = form(&first_of, 2);
    chosen.other_function = &second_of;
    return chosen;
  }
  if (i.opcode == "FCHK") {
    LanewiseForm test = form(&needs_care, 2);
    test.is_test = true;
    return test;
  }
  if (i.opcode == "MUFU") return form(pick_approximate(i), 1);
  return {};
}

}  // namespace warplens::sass
