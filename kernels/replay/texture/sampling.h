// What a texture gives at coordinates: filtering as an H100 does it, bit for bit
// (tests/replay/textures_test.cpp), of the texels that texels.h names.
//
//   weights are 256ths, and products of two are rounded to such, in the order of `weights_of`; sums of floats
//   are float_filter.h's, those of integers are rounded once, to 16 bits, ties upwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/base/texture.h"

namespace warplens::replay {

struct Sample {
  std::array<std::uint32_t, 4>
      components{};  ///< Bits of floats or integers; those that the texel does not have are 0
  std::array<std::uint64_t, 8> offsets{};  ///< Of the texels that it is made of, in bytes; each once
  std::uint32_t texels = 0;                ///< How many; none of the border
};

/// `layer`: of layered textures; beyond the last one it is the last.
[[nodiscard]] Sample sample(const Texture& texture, const std::byte* data,
                            const std::array<float, 3>& coordinates, std::uint32_t layer);

/// One component of each of the four texels of a texture of two dimensions that linear filtering would take,
/// whatever the filter: of the lower row left, right, of the upper row right, left (PTX ISA, "tld4"). 0 if
/// texels do not have it.
[[nodiscard]] Sample gather(const Texture& texture, const std::byte* data,
                            const std::array<float, 3>& coordinates, std::uint32_t component);

/// A texel by its number, of linear memory: no address mode, no filter; beyond the end it is 0.
[[nodiscard]] Sample fetch(const Texture& texture, const std::byte* data, std::int32_t index);

}  // namespace warplens::replay
