// Lane functions: integers and bits.
#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>
#include <type_traits>

#include "kernels/sass/lanewise_parts.h"

namespace warplens::sass {
namespace {

template <class Wide>
Bits upper_product(Bits a, Bits b, Bits c) {
  using Narrow = std::conditional_t<std::is_signed_v<Wide>, std::int32_t, std::uint32_t>;
  return (static_cast<Bits>(Wide{static_cast<Narrow>(a)} * Wide{static_cast<Narrow>(b)}) + c) >> 32 & kWord;
}
/// A pair's word, shifted; b: by how much, of a as the lower word and c as the upper one.
template <bool kLeft, bool kUpper, bool kSigned, bool kWide, bool kWraps>
Bits funnel(Bits a, Bits b, Bits c) {
  const Bits pair = c << 32 | (a & kWord), width = kWide ? 64 : 32,
             by = kWraps ? b & (width - 1) : std::min(b & kWord, width);
  Bits shifted = 0;
  if (by < 64) {
    shifted = kLeft     ? pair << by
              : kSigned ? static_cast<Bits>(static_cast<std::int64_t>(pair) >> by)
                        : pair >> by;
  } else if (kSigned && !kLeft) {
    shifted = static_cast<Bits>(static_cast<std::int64_t>(pair) >> 63);
  }
  return (kUpper ? shifted >> 32 : shifted) & kWord;
}
template <bool kLeft, bool kUpper, bool kSigned, bool kWide>
Lanewise pick_funnel(const Instruction& i) {
  return i.has("W") ? &funnel<kLeft, kUpper, kSigned, kWide, true>
                    : &funnel<kLeft, kUpper, kSigned, kWide, false>;
}
template <bool kLeft, bool kUpper>
Lanewise pick_funnel(const Instruction& i) {
  const bool wide = i.has("U64") || i.has("S64");
  if (i.has("S32") || i.has("S64"))
    return wide ? pick_funnel<kLeft, kUpper, true, true>(i) : pick_funnel<kLeft, kUpper, true, false>(i);
  return wide ? pick_funnel<kLeft, kUpper, false, true>(i) : pick_funnel<kLeft, kUpper, false, false>(i);
}
Lanewise pick_funnel(const Instruction& i) {
  if (i.has("L")) return i.has("HI") ? pick_funnel<true, true>(i) : pick_funnel<true, false>(i);
  return i.has("HI") ? pick_funnel<false, true>(i) : pick_funnel<false, false>(i);
}

/// Each digit of b picks a byte of a and c; its highest bit, that byte's sign instead.
Bits permuted(Bits a, Bits b, Bits c) {
  const Bits bytes = (c & kWord) << 32 | (a & kWord);
  Bits result = 0;
  for (int at = 0; at < 4; ++at) {
    const Bits digit = b >> (4 * at) & 15, byte = bytes >> (8 * (digit & 7)) & 0xff;
    result |= ((digit & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xff : 0) << (8 * at);
  }
  return result;
}
Bits magnitude(Bits a, Bits, Bits) {
  const auto v = static_cast<std::int32_t>(a);
  return v < 0 ? Bits{0u - static_cast<std::uint32_t>(v)} : Bits{static_cast<std::uint32_t>(v)};
}
template <class Integer, bool kLarger>
Bits extremum_of_three(Bits a, Bits b, Bits c) {
  const auto x = static_cast<Integer>(a), y = static_cast<Integer>(b), z = static_cast<Integer>(c);
  return static_cast<std::uint32_t>(kLarger ? std::max({x, y, z}) : std::min({x, y, z}));
}
template <class Integer>
Bits distance(Bits a, Bits b, Bits c) {
  const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
  return (static_cast<Integer>(x) < static_cast<Integer>(y) ? y - x : x - y) + static_cast<std::uint32_t>(c);
}
Bits population(Bits a, Bits, Bits) {
  return static_cast<Bits>(std::popcount(static_cast<std::uint32_t>(a)));
}
Bits leading_one(Bits a, Bits, Bits) {
  const auto word = static_cast<std::uint32_t>(a);
  return word == 0 ? kWord : static_cast<Bits>(31 - std::countl_zero(word));
}
Bits leading_zeros(Bits a, Bits, Bits) {
  const auto word = static_cast<std::uint32_t>(a);
  return word == 0 ? kWord : static_cast<Bits>(std::countl_zero(word));
}
Bits leading_signed(Bits a, Bits, Bits) {
  const auto word = static_cast<std::uint32_t>(a);
  return leading_one(static_cast<std::int32_t>(word) < 0 ? ~word : word, 0, 0);
}
Bits reversed(Bits a, Bits, Bits) {
  Bits result = 0;
  for (int bit = 0; bit < 32; ++bit) result |= (a >> bit & 1) << (31 - bit);
  return result;
}
template <bool kSigned>
Bits lower_bits(Bits a, Bits b, Bits) {
  const Bits bits = std::min<Bits>(b & kWord, 32);
  if (bits == 0) return 0;
  const auto raised = static_cast<std::uint32_t>(a << (32 - bits));
  return kSigned ? static_cast<std::uint32_t>(static_cast<std::int32_t>(raised) >> (32 - bits))
                 : raised >> (32 - bits);
}
Bits mask_of_bits(Bits a, Bits b, Bits) {
  const Bits first = a & kWord, count = b & kWord;
  if (first >= 32) return 0;
  return ((count >= 32 ? kWord : (Bits{1} << count) - 1) << first) & kWord;
}

/// Part `k` of a word.
template <class T>
std::int64_t part_of(Bits word, int k) {
  return static_cast<T>(word >> (8 * sizeof(T) * static_cast<unsigned>(k)));
}
/// c and the products of four bytes each; or of two halves and two bytes, the lower or the upper ones.
template <class A, class B, int kFirstByte = 0>
Bits dot_product(Bits a, Bits b, Bits c) {
  std::int64_t sum = static_cast<std::int32_t>(c);
  for (int k = 0; k < static_cast<int>(4 / sizeof(A)); ++k)
    sum += part_of<A>(a, k) * part_of<B>(b, kFirstByte + k);
  return static_cast<std::uint32_t>(sum);
}
template <class A, class B>
Lanewise pick_dot_product(const Instruction& i) {
  if constexpr (sizeof(A) == 1) return i.has("4A") ? &dot_product<A, B> : nullptr;
  return !i.has("2A") ? nullptr : i.has("HI") ? &dot_product<A, B, 2> : &dot_product<A, B>;
}
/// The types stand behind each other: "IDP.4A.U8.S8", "IDP.2A.LO.S16.U8".
Lanewise pick_dot_product(const Instruction& i) {
  if (i.modifiers.size() < 3) return nullptr;
  const std::string_view a = i.modifiers[i.modifiers.size() - 2], b = i.modifiers.back();
  const bool is_signed_b = b == "S8";
  if (!is_signed_b && b != "U8") return nullptr;
  if (a == "S8")
    return is_signed_b ? pick_dot_product<std::int8_t, std::int8_t>(i)
                       : pick_dot_product<std::int8_t, std::uint8_t>(i);
  if (a == "U8")
    return is_signed_b ? pick_dot_product<std::uint8_t, std::int8_t>(i)
                       : pick_dot_product<std::uint8_t, std::uint8_t>(i);
  if (a == "S16")
    return is_signed_b ? pick_dot_product<std::int16_t, std::int8_t>(i)
                       : pick_dot_product<std::int16_t, std::uint8_t>(i);
  if (a == "U16")
    return is_signed_b ? pick_dot_product<std::uint16_t, std::int8_t>(i)
                       : pick_dot_product<std::uint16_t, std::uint8_t>(i);
  return nullptr;
}
/// Distances of four bytes, each for itself or added to c.
template <class T, bool kAddsUp>
Bits distances(Bits a, Bits b, Bits c) {
  Bits result = 0;
  for (int k = 0; k < 4; ++k) {
    const auto distance = static_cast<Bits>(std::abs(part_of<T>(a, k) - part_of<T>(b, k)));
    result = kAddsUp ? result + distance : result | distance << (8 * k);
  }
  return (kAddsUp ? result + c : result) & kWord;
}
template <class T>
Lanewise pick_distances(const Instruction& i) {
  return i.has("ACC") ? &distances<T, true> : &distances<T, false>;
}
template <class T, bool kLarger>
Bits extrema_of_halves(Bits a, Bits b, Bits) {
  Bits result = 0;
  for (int k = 0; k < 2; ++k) {
    const std::int64_t x = part_of<T>(a, k), y = part_of<T>(b, k);
    result |= static_cast<Bits>(static_cast<std::uint16_t>(kLarger ? std::max(x, y) : std::min(x, y)))
              << (16 * k);
  }
  return result;
}

}  // namespace

LanewiseForm integer_form(const Instruction& i) {
  const std::string_view opcode =
      i.opcode.starts_with('U') ? std::string_view(i.opcode).substr(1) : std::string_view(i.opcode);
  if (opcode == "IMAD" && i.has("HI") && !i.has("X")) {
    return {.function = i.has("U32") ? &upper_product<std::uint64_t> : &upper_product<std::int64_t>,
            .sources = 3,
            .wide_sources = 4};
  }
  if (opcode == "SHF") return {.function = pick_funnel(i), .sources = 3};
  if (opcode == "PRMT" && i.modifiers.empty())
    return {.function = &permuted, .sources = 3, .joins_bytes = true};
  if (opcode == "VABSDIFF")
    return {.function = i.has("U32") ? &distance<std::uint32_t> : &distance<std::int32_t>, .sources = 3};
  if (opcode == "VIMNMX3" && i.operands.size() == 5) {
    if (i.has("U32")) {
      return {.function = &extremum_of_three<std::uint32_t, false>,
              .other_function = &extremum_of_three<std::uint32_t, true>,
              .sources = 3};
    }
    return {.function = &extremum_of_three<std::int32_t, false>,
            .other_function = &extremum_of_three<std::int32_t, true>,
            .sources = 3};
  }
  if (opcode == "IDP") return {.function = pick_dot_product(i), .sources = 3};
  if (opcode == "VABSDIFF4") {
    const bool adds_to_nothing = !i.has("ACC") && (i.operands.size() < 4 || i.operands[3].text != "RZ");
    if (adds_to_nothing) return {};
    return {.function = i.has("U8") ? pick_distances<std::uint8_t>(i) : pick_distances<std::int8_t>(i),
            .sources = 3};
  }
  if (opcode == "VIMNMX" && i.operands.size() == 4) {
    if (i.has("U16x2")) {
      return {.function = &extrema_of_halves<std::uint16_t, false>,
              .other_function = &extrema_of_halves<std::uint16_t, true>,
              .sources = 2};
    }
    if (!i.has("S16x2")) return {};
    return {.function = &extrema_of_halves<std::int16_t, false>,
            .other_function = &extrema_of_halves<std::int16_t, true>,
            .sources = 2};
  }
  if (opcode == "IABS") return {.function = &magnitude};
  if (opcode == "POPC") return {.function = &population};
  if (opcode == "FLO")
    return {.function = !i.has("U32") ? (i.has("SH") ? nullptr : &leading_signed)
                        : i.has("SH") ? &leading_zeros
                                      : &leading_one};
  if (opcode == "BREV") return {.function = &reversed};
  if (opcode == "SGXT")
    return {.function = i.has("W")     ? nullptr
                        : i.has("U32") ? &lower_bits<false>
                                       : &lower_bits<true>,
            .sources = 2};
  if (opcode == "BMSK") return {.function = i.has("W") ? nullptr : &mask_of_bits, .sources = 2};
  return {};
}

}  // namespace warplens::sass
