// Which texels coordinates mean, as an H100 addresses them (tests/replay/textures_test.cpp). The replay and
// the recorder on the GPU both ask here. Plain enough for device code.
//
//   a coordinate that is normalised is cut to 21 bits of fraction; linear filtering cuts the place between
//   two texels to 8 bits, rounded to nearest
#pragma once

#include <cstdint>

#include "kernels/base/texture.h"

namespace warplens::replay {

inline constexpr std::int64_t kBorder = -1;  ///< For the number of a texel: beyond the edge
inline constexpr std::uint64_t kNoTexel = 0xffffffffffffffffu;
inline constexpr double kMinNormal = 1.17549435082228750797e-38;  ///< Of floats: smaller ones count as 0
inline constexpr std::uint32_t kFaces = 6;

/// Along one coordinate: two neighbouring texels, or one twice, and how far it is from the first to the
/// second, in 256ths.
struct Between {
  std::int64_t first = 0, second = 0;
  std::uint32_t part = 0;
};

constexpr double floor_of(double value) {
  constexpr double kWhole = 4503599627370496.0;  // 2^52: from here on, all are
  if (!(value > -kWhole && value < kWhole)) return value;
  const auto towards_zero = static_cast<double>(static_cast<std::int64_t>(value));
  return towards_zero > value ? towards_zero - 1 : towards_zero;
}

constexpr std::int64_t addressed(std::int64_t at, std::int64_t size, AddressMode mode) {
  if (mode == AddressMode::clamp) return at < 0 ? 0 : at >= size ? size - 1 : at;
  if (mode == AddressMode::border) return at < 0 || at >= size ? kBorder : at;
  const std::int64_t period = mode == AddressMode::wrap ? size : 2 * size,
                     within = (at % period + period) % period;
  return within < size ? within : 2 * size - 1 - within;
}

constexpr Between between(const Texture& texture, AddressMode mode, double coordinate, std::uint32_t size) {
  constexpr double kSteps = 1 << 21, kFar = 1e15;
  double at = coordinate;
  if (!(at <= -kMinNormal || at >= kMinNormal)) at = 0;
  if (texture.normalized_coordinates) {
    at = floor_of(at * kSteps) / kSteps;
    if (mode == AddressMode::wrap) at = at - at == 0 ? at - floor_of(at) : 0;
    at *= size;
    if (mode == AddressMode::mirror && (at > kFar || at < -kFar)) at = 0;
  }
  if (texture.linear_filter) at = floor_of((at - 0.5) * 256 + 0.5) / 256;
  if (mode == AddressMode::clamp || mode == AddressMode::border)
    at = at < -2 ? -2 : at > size + 1.0 ? size + 1.0 : at;
  const auto first = static_cast<std::int64_t>(floor_of(at));
  const std::int64_t before = addressed(first, size, mode);
  if (!texture.linear_filter) return {before, before, 0};
  const std::int64_t behind = addressed(first + 1, size, mode);
  const bool is_beyond = before == behind && mode == AddressMode::clamp;
  return {before, behind,
          is_beyond ? 0 : static_cast<std::uint32_t>((at - static_cast<double>(first)) * 256)};
}

/// The cube of texels that a value lies between.
struct TexelBox {
  Between x, y, z;

  /// Returns the distance in bytes of a corner (0 to 7, x fastest) from the texture's first texel; kNoTexel
  /// for the border.
  [[nodiscard]] constexpr std::uint64_t offset(const Texture& texture, std::uint32_t corner) const {
    const std::int64_t column = (corner & 1) == 0 ? x.first : x.second,
                       row = (corner & 2) == 0 ? y.first : y.second,
                       slice = (corner & 4) == 0 ? z.first : z.second;
    if (column == kBorder || row == kBorder || slice == kBorder) return kNoTexel;
    return (static_cast<std::uint64_t>(slice) * texture.height + static_cast<std::uint64_t>(row)) *
               texture.pitch_bytes +
           static_cast<std::uint64_t>(column) * texture.texel_bytes();
  }
};

/// Not of cubes. `layer`: of layered textures; beyond the last one it is the last.
constexpr TexelBox box_of(const Texture& texture, float x, float y, float z, std::uint32_t layer) {
  const bool must_clamp = !texture.normalized_coordinates && (texture.address_mode == AddressMode::wrap ||
                                                              texture.address_mode == AddressMode::mirror);
  const AddressMode mode = must_clamp ? AddressMode::clamp : texture.address_mode;
  TexelBox box;
  box.x = between(texture, mode, x, texture.width);
  if (texture.dimensions() > 1) {
    box.y = between(texture, mode, y, texture.height);
  } else if (texture.shape == TextureShape::one && texture.linear_filter) {
    box.y = {addressed(-1, 1, mode), 0, 128};  // As of a picture of one row, at its upper edge
  }
  if (texture.shape == TextureShape::three) {
    box.z = between(texture, mode, z, texture.depth);
  } else if (texture.is_layered()) {
    box.z.first = box.z.second = layer < texture.depth ? layer : texture.depth - 1;
  }
  return box;
}

constexpr double magnitude_of(float value) {
  const double magnitude = value < 0 ? -static_cast<double>(value) : static_cast<double>(value);
  return magnitude < kMinNormal ? 0 : magnitude == magnitude ? magnitude : -1;  // No number is less than any
}
constexpr float larger_of(float a, float b) {  // As fmax has it: what is no number counts as none
  return b > a || a != a ? b : a;
}
/// The largest component of a direction.
constexpr float largest_of(float x, float y, float z) {
  return larger_of(larger_of(x < 0 ? -x : x, y < 0 ? -y : y), z < 0 ? -z : z);
}
/// Maps a value between -1 and 1, or what rounding makes of it, to between 0 and 1 in steps of 2^-21.
constexpr double on_face(float value) {
  constexpr double kSteps = 1 << 20;
  const double at = magnitude_of(value) <= 0 ? 0
                    : value < -1             ? -1
                    : value > 1              ? 1
                                             : static_cast<double>(value);
  return (kSteps + floor_of(at * kSteps)) / (2 * kSteps);
}

/// Returns the square of texels on the face of a cube that a direction goes through (CUDA C++ Programming
/// Guide, "Cubemap Textures"). Neighbours are of the same face. `reciprocal`: that of `largest_of`, as the
/// GPU approximates it, since compiled code multiplies by it.
constexpr TexelBox cube_box_of(const Texture& texture, float x, float y, float z, float reciprocal,
                               std::uint32_t layer) {
  x *= reciprocal;
  y *= reciprocal;
  z *= reciprocal;
  const double along_x = magnitude_of(x), along_y = magnitude_of(y), along_z = magnitude_of(z);
  float s = x, t = -y;
  std::uint32_t face = 0;
  if (along_z >= along_x && along_z >= along_y) {
    const bool is_behind = z <= -kMinNormal;
    face = is_behind ? 5 : 4;
    s = is_behind ? -x : x;
  } else if (along_y >= along_x) {
    const bool is_below = y <= -kMinNormal;
    face = is_below ? 3 : 2;
    t = is_below ? -z : z;
  } else {
    const bool is_left = x <= -kMinNormal;
    face = is_left ? 1 : 0;
    s = is_left ? z : -z;
  }
  const std::uint32_t layers = texture.depth / kFaces;
  TexelBox box;
  box.x = between(texture, texture.address_mode, on_face(s), texture.width);
  box.y = between(texture, texture.address_mode, on_face(t), texture.height);
  box.z.first = box.z.second = kFaces * (!texture.is_layered() ? 0
                                         : layer < layers      ? layer
                                                               : layers - 1) +
                               face;
  return box;
}

/// A texture whose boxes are those of tld4: as of linear filtering.
constexpr Texture gathered(Texture texture) {
  texture.linear_filter = true;
  return texture;
}

/// Returns the offset of a texel of linear memory by its number; kNoTexel beyond the end.
constexpr std::uint64_t offset_by_index(const Texture& texture, std::int32_t index) {
  if (index < 0 || static_cast<std::uint32_t>(index) >= texture.width) return kNoTexel;
  return static_cast<std::uint64_t>(index) * texture.texel_bytes();
}

/// An element of a surface: of so many bytes, x in bytes.
struct SurfaceElement {
  std::uint64_t offset = 0;  ///< Of the nearest one that is inside
  bool is_inside = true, is_aligned = true;
};
constexpr std::int64_t kept_inside(std::int64_t at, std::int64_t max, bool& is_inside) {
  const std::int64_t inside = at < 0 || max < 0 ? 0 : at > max ? max : at;
  is_inside &= at == inside && max >= 0;
  return inside;
}
constexpr SurfaceElement surface_element(const Texture& surface, std::uint32_t bytes, std::int32_t x,
                                         std::int32_t y, std::int32_t z, std::uint32_t layer) {
  SurfaceElement element;
  element.is_aligned = x % static_cast<std::int32_t>(bytes) == 0;
  const std::int64_t column = kept_inside(
      x, static_cast<std::int64_t>(surface.width) * surface.texel_bytes() - bytes, element.is_inside);
  const std::int64_t row =
      surface.dimensions() > 1 ? kept_inside(y, std::int64_t{surface.height} - 1, element.is_inside) : 0;
  std::int64_t slice =
      surface.dimensions() > 2 ? kept_inside(z, std::int64_t{surface.depth} - 1, element.is_inside) : 0;
  if (surface.is_layered()) slice = layer < surface.depth ? layer : surface.depth - 1;
  element.offset = (static_cast<std::uint64_t>(slice) * surface.height + static_cast<std::uint64_t>(row)) *
                       surface.pitch_bytes +
                   static_cast<std::uint64_t>(column);
  return element;
}

/// A tex, tld4, suld or sust of a launch: what makes addresses of its coordinates.
struct TexelSite {
  Texture texture;
  std::uint64_t base;           ///< Where recordings have the first texel
  std::uint32_t element_bytes;  ///< Of a surface
  std::uint32_t texels;         ///< At most so many different ones make a lane's value
  bool by_index;                ///< tex of integer coordinates
  bool clamps;  ///< A surface: what lies beyond the edge is the nearest element; else nothing is accessed
                ///< there
};

}  // namespace warplens::replay
