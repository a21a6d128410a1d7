// Linear filtering of texels that are floats or half floats. No manual says how exactly; this is what an H100
// gave for six million values of all exponents, bit for bit (tests/gpu/textures.cu has such,
// tests/replay/textures_test.cpp holds them).
//
//   Within a slice texels are brought to the largest exponent of those with a weight, and cut towards zero
//   four bits below its last place; their weighted sum is exact. Of two slices, the sum of the lower exponent
//   is brought to the higher one and cut towards minus infinity at that sum's last place, or up to three bits
//   below: the places are those of exponents that four divides. The whole is rounded to the texels' format
//   once, ties away from zero. Subnormal floats count as zero, half floats do not.
#pragma once

#include <array>
#include <cstdint>

namespace warplens::replay {

/// One texel's part of a filtered value.
struct FilteredTexel {
  std::uint32_t bits = 0;    ///< Of a float or half float; 0 of the border
  std::uint32_t weight = 0;  ///< In 256ths; those of all make 256
  /// Not where the place is on the centre of the neighbour's row, column or slice. An infinity that lies
  /// there counts even if its weight is rounded to 0.
  bool lies_there = true;
};

struct FloatLayout {
  int fraction_bits = 23, exponent_bits = 8;
  bool has_subnormals = false;
};
inline constexpr FloatLayout kFloatLayout{},
    kHalfLayout{.fraction_bits = 10, .exponent_bits = 5, .has_subnormals = true};

/// Bits of a float. The first four texels are of one slice, the others of the next.
[[nodiscard]] std::uint32_t filtered_float(const std::array<FilteredTexel, 8>& texels,
                                           const FloatLayout& layout);

}  // namespace warplens::replay
