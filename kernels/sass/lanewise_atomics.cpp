// Lane functions: atomic operations and reductions.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

#include "kernels/arithmetic/half.h"
#include "kernels/sass/lanewise_parts.h"

namespace warplens::sass {
namespace {

template <class Integer>
Bits sum_of(Bits a, Bits b, Bits) {
  return static_cast<Integer>(a + b);
}
/// Adds two pairs of halves.
Bits sum_of_halves(Bits a, Bits b, Bits) {
  const auto half = [](Bits bits) { return arithmetic::Float16::widen(static_cast<std::uint16_t>(bits)); };
  return Bits{arithmetic::Float16::narrow(half(a >> 16) + half(b >> 16))} << 16 |
         arithmetic::Float16::narrow(half(a) + half(b));
}
template <class Float>
Bits sum_of_numbers(Bits a, Bits b, Bits) {
  return bits_of(number<Float>(a) + number<Float>(b));
}
template <class T>
Bits smaller(Bits a, Bits b, Bits) {
  return static_cast<std::make_unsigned_t<T>>(std::min(static_cast<T>(a), static_cast<T>(b)));
}
template <class T>
Bits larger(Bits a, Bits b, Bits) {
  return static_cast<std::make_unsigned_t<T>>(std::max(static_cast<T>(a), static_cast<T>(b)));
}
Bits counted_up(Bits a, Bits b, Bits) {
  return (a & kWord) >= (b & kWord) ? 0 : a + 1;
}
Bits counted_down(Bits a, Bits b, Bits) {
  return (a & kWord) == 0 || (a & kWord) > (b & kWord) ? b : a - 1;
}
Bits one_more(Bits a, Bits, Bits) {
  return (a + 1) & kWord;
}
Bits conjunction(Bits a, Bits b, Bits) {
  return a & b;
}
Bits disjunction(Bits a, Bits b, Bits) {
  return a | b;
}
Bits difference(Bits a, Bits b, Bits) {
  return a ^ b;
}
Bits swapped_if_equal(Bits a, Bits b, Bits c) {
  return a == b ? c : a;
}
template <class Signed, class Unsigned>
Lanewise pick_extremum(const Instruction& i) {
  const bool is_signed = i.has("S32") || i.has("S64");
  if (i.has("MIN")) return is_signed ? &smaller<Signed> : &smaller<Unsigned>;
  return is_signed ? &larger<Signed> : &larger<Unsigned>;
}

}  // namespace

Lanewise atomic_function(const Instruction& i) {
  const bool wide = i.has("64") || i.has("U64") || i.has("S64");
  constexpr std::string_view kKnown[] = {"E",   "STRONG", "WEAK", "GPU",  "CTA", "SYS", "SM",   "ADD",
                                         "MIN", "MAX",    "INC",  "DEC",  "AND", "OR",  "XOR",  "EXCH",
                                         "CAS", "CAST",   "SPIN", "POPC", "32",  "64",  "U32",  "S32",
                                         "U64", "S64",    "F32",  "F64",  "FTZ", "RN",  "F16x2"};
  if (!std::ranges::all_of(i.modifiers, [&](const std::string& modifier) {
        return std::ranges::find(kKnown, modifier) != std::end(kKnown);
      }))
    return nullptr;
  if (i.has("POPC")) return &one_more;
  if (i.has("CAS") || i.has("CAST")) return &swapped_if_equal;
  if (i.has("EXCH")) return &second_of;
  if (i.has("F16x2")) return i.has("ADD") ? &sum_of_halves : nullptr;
  if (i.has("ADD"))
    return i.has("F32")   ? &sum_of_numbers<float>
           : i.has("F64") ? &sum_of_numbers<double>
           : wide         ? &sum_of<std::uint64_t>
                          : &sum_of<std::uint32_t>;
  if (i.has("INC")) return &counted_up;
  if (i.has("DEC")) return &counted_down;
  if (i.has("AND")) return &conjunction;
  if (i.has("OR")) return &disjunction;
  if (i.has("XOR")) return &difference;
  if (i.has("MIN") || i.has("MAX")) {
    return wide ? pick_extremum<std::int64_t, std::uint64_t>(i)
                : pick_extremum<std::int32_t, std::uint32_t>(i);
  }
  return nullptr;
}

Lanewise reduction_function(const Instruction& i) {
  if (i.has("SUM")) return &sum_of<std::uint32_t>;
  if (i.has("OR")) return &disjunction;
  if (i.has("XOR")) return &difference;
  if (i.has("MIN") || i.has("MAX")) return pick_extremum<std::int32_t, std::uint32_t>(i);
  return &conjunction;
}

}  // namespace warplens::sass
