#include "kernels/replay/texture/sampling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/arithmetic/half.h"
#include "kernels/replay/texels.h"
#include "kernels/replay/texture/float_filter.h"
#include "kernels/replay/texture/reciprocal.h"

namespace warplens::replay {
namespace {

std::int64_t integer_at(const Texture& texture, const std::byte* at) {
  const auto load = [at](auto value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<std::int64_t>(value);
  };
  switch (texture.type) {
    case TexelType::u8: return load(std::uint8_t{});
    case TexelType::i8: return load(std::int8_t{});
    case TexelType::u16: return load(std::uint16_t{});
    case TexelType::i16: return load(std::int16_t{});
    case TexelType::u32: return load(std::uint32_t{});
    case TexelType::f16: return load(std::uint16_t{});
    case TexelType::i32:
    case TexelType::f32: break;
  }
  return load(std::int32_t{});
}

/// What the largest integer is as a float: 1.
std::int64_t largest(TexelType type) {
  switch (type) {
    case TexelType::u8: return 255;
    case TexelType::i8: return 127;
    case TexelType::u16: return 65535;
    default: return 32767;
  }
}

/// Widens a half, with the bits of what is not a number.
std::uint32_t widened_half(std::uint32_t half) {
  constexpr std::uint32_t kNan = 0x7f800000;
  const double value = arithmetic::Float16::widen(static_cast<std::uint16_t>(half));
  if (std::isnan(value)) return (half & 0x8000) << 16 | kNan | (half & 0x3ff) << 13;
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

std::uint32_t component_at(const Texture& texture, const std::byte* at) {
  const std::int64_t value = integer_at(texture, at);  // Of a float its bits
  if (texture.type == TexelType::f16) return widened_half(static_cast<std::uint32_t>(value));
  if (!texture.normalized_values) return static_cast<std::uint32_t>(value);
  const float part = static_cast<float>(value) / static_cast<float>(largest(texture.type));
  return std::bit_cast<std::uint32_t>(std::max(part, -1.0f));
}

/// Weights are 256ths, and make 256 together.
struct Weighted {
  const std::byte* texel = nullptr;  ///< Null: the border, which is 0
  std::uint32_t weight = 0;
  bool lies_there = true;  ///< Not of a corner that the place is 0/256 of the way to
};

/// The eight corners of the cube between texels, x fastest. What is rounded, and what is left for the other
/// one, differs from side to side.
std::array<std::uint32_t, 8> weights_of(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  const auto part_of = [](std::uint32_t whole, std::uint32_t part) { return (whole * part + 128) / 256; };
  std::array<std::uint32_t, 8> weights{};
  for (const std::size_t back : {std::size_t{0}, std::size_t{4}}) {
    const std::uint32_t slice = back == 0 ? 256 - z : z, right = part_of(slice, x), left = slice - right;
    weights.at(back) = part_of(left, 256 - y);
    weights.at(back + 2) = left - weights.at(back);
    weights.at(back + 3) = part_of(right, y);
    weights.at(back + 1) = right - weights.at(back + 3);
  }
  return weights;
}

std::uint32_t filtered_float_at(const Texture& texture, const std::array<Weighted, 8>& texels,
                                std::uint32_t channel) {
  std::array<FilteredTexel, 8> given;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const auto& [texel, weight, lies_there] = texels.at(k);
    const std::int64_t bits =
        texel == nullptr ? 0 : integer_at(texture, texel + channel * texture.channel_bytes());
    given.at(k) = {.bits = static_cast<std::uint32_t>(bits), .weight = weight, .lies_there = lies_there};
  }
  return filtered_float(given, texture.type == TexelType::f16 ? kHalfLayout : kFloatLayout);
}

/// Returns the filtered value of integer texels. Sums of 8-bit texels are spread over 16 bits: their upper
/// bits are appended.
std::uint32_t filtered_integer(const Texture& texture, const std::array<Weighted, 8>& texels,
                               std::uint32_t channel) {
  const bool is_narrow = texture.type == TexelType::i8;
  const std::int64_t max = texture.type == TexelType::i16 || is_narrow ? 32767 : 65535,
                     scale = texture.type == TexelType::u8 ? 257 : 1;
  std::int64_t sum = 0;
  for (const Weighted& one : texels) {
    if (one.texel == nullptr) continue;
    const std::int64_t value = integer_at(texture, one.texel + channel * texture.channel_bytes()) * scale;
    sum += value * one.weight;
  }
  const std::int64_t rounded = is_narrow ? (8 * sum + (sum >> 4) + (sum >> 12) + 4) >> 3 : (sum + 128) >> 8;
  return std::bit_cast<std::uint32_t>(
      static_cast<float>(static_cast<double>(std::max(rounded, -max)) / static_cast<double>(max)));
}

void add_texel(Sample& sample, std::uint64_t offset) {
  const auto end = sample.offsets.begin() + sample.texels;
  if (std::find(sample.offsets.begin(), end, offset) == end) sample.offsets.at(sample.texels++) = offset;
}

}  // namespace

Sample sample(const Texture& texture, const std::byte* data, const std::array<float, 3>& coordinates,
              std::uint32_t layer) {
  const auto [x, y, z] = coordinates;
  const TexelBox box = texture.is_cube()
                           ? cube_box_of(texture, x, y, z, approximate_reciprocal(largest_of(x, y, z)), layer)
                           : box_of(texture, x, y, z, layer);
  const std::array<std::uint32_t, 8> weights = weights_of(box.x.part, box.y.part, box.z.part);
  Sample result;
  std::array<Weighted, 8> texels;
  for (std::uint32_t k = 0; k < texels.size(); ++k) {
    texels.at(k).weight = weights.at(k);
    texels.at(k).lies_there = ((k & 1) == 0 || box.x.part != 0) && ((k & 2) == 0 || box.y.part != 0) &&
                              ((k & 4) == 0 || box.z.part != 0);
    const std::uint64_t offset = box.offset(texture, k);
    if (offset == kNoTexel) continue;
    texels.at(k).texel = data + offset;
    add_texel(result, offset);
  }
  for (std::uint32_t c = 0; c < texture.channels; ++c) {
    if (texture.linear_filter) {
      result.components.at(c) = texture.holds_floats() ? filtered_float_at(texture, texels, c)
                                                       : filtered_integer(texture, texels, c);
    } else if (texels[0].texel != nullptr) {
      result.components.at(c) = component_at(texture, texels[0].texel + c * texture.channel_bytes());
    }
  }
  return result;
}

Sample gather(const Texture& texture, const std::byte* data, const std::array<float, 3>& coordinates,
              std::uint32_t component) {
  const TexelBox box = box_of(gathered(texture), coordinates[0], coordinates[1], 0, 0);
  Sample result;
  for (std::uint32_t k = 0; k < result.components.size(); ++k) {
    const std::uint64_t offset = box.offset(texture, k);
    if (offset == kNoTexel) continue;
    add_texel(result, offset);
    constexpr std::size_t kPlaces[] = {3, 2, 0, 1};
    if (component >= texture.channels) continue;
    std::array<Weighted, 8> alone;  // What is read as a float goes the way of what is filtered
    alone[0] = {.texel = data + offset, .weight = 256};
    result.components.at(kPlaces[k]) =
        texture.normalized_values
            ? filtered_integer(texture, alone, component)
            : component_at(texture, data + offset + std::size_t{component} * texture.channel_bytes());
  }
  return result;
}

Sample fetch(const Texture& texture, const std::byte* data, std::int32_t index) {
  Sample result;
  const std::uint64_t offset = offset_by_index(texture, index);
  if (offset == kNoTexel) return result;
  add_texel(result, offset);
  for (std::uint32_t c = 0; c < texture.channels; ++c)
    result.components.at(c) = component_at(texture, data + offset + c * texture.channel_bytes());
  return result;
}

}  // namespace warplens::replay
