// Textures and surfaces: texels that kernels read by coordinates, through objects. CUDA C++ Programming
// Guide, "Texture and Surface Memory".
#pragma once

#include <array>
#include <cstdint>

namespace warplens {

enum class TextureShape : std::uint8_t { one, two, three, layered_one, layered_two, cube, layered_cube };
enum class TexelType : std::uint8_t { u8, i8, u16, i16, u32, i32, f16, f32 };
/// What coordinates beyond the edge mean. wrap and mirror are clamp where coordinates are not normalised.
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

struct Texture {
  TextureShape shape = TextureShape::two;
  TexelType type = TexelType::f32;
  std::uint32_t channels = 1;  ///< 1, 2 or 4 of a texel
  std::uint32_t width = 1, height = 1;
  std::uint32_t depth =
      1;  ///< Or layers; of cubes, faces: +x -x +y -y +z -z, of the first layer, the next, ..
  std::uint64_t pitch_bytes =
      0;  ///< From one row of texels to the next; rows of all slices lie one after the other
  bool is_surface = false;  ///< Passed as a surface object: read and written by byte
  bool in_memory = false;   ///< Linear memory (of two dimensions: pitched), else a CUDA array
  bool normalized_coordinates = false;
  bool linear_filter = false;
  bool normalized_values = false;  ///< Integers are read as floats from 0, or -1, to 1
  AddressMode address_mode = AddressMode::clamp;

  [[nodiscard]] constexpr std::uint32_t channel_bytes() const {
    switch (type) {
      case TexelType::u8:
      case TexelType::i8: return 1;
      case TexelType::u16:
      case TexelType::i16:
      case TexelType::f16: return 2;
      case TexelType::u32:
      case TexelType::i32:
      case TexelType::f32: break;
    }
    return 4;
  }
  [[nodiscard]] constexpr std::uint32_t texel_bytes() const { return channel_bytes() * channels; }
  [[nodiscard]] constexpr std::uint64_t bytes() const { return pitch_bytes * height * depth; }
  [[nodiscard]] constexpr bool holds_floats() const {
    return type == TexelType::f16 || type == TexelType::f32;
  }
  [[nodiscard]] constexpr bool reads_floats() const { return holds_floats() || normalized_values; }
  [[nodiscard]] constexpr bool is_cube() const {
    return shape == TextureShape::cube || shape == TextureShape::layered_cube;
  }
  [[nodiscard]] constexpr bool is_layered() const {
    return shape == TextureShape::layered_one || shape == TextureShape::layered_two ||
           shape == TextureShape::layered_cube;
  }
  /// Coordinates of a texel, but for its layer and face.
  [[nodiscard]] constexpr std::uint32_t dimensions() const {
    if (shape == TextureShape::three) return 3;
    return shape == TextureShape::one || shape == TextureShape::layered_one ? 1 : 2;
  }
  /// Returns how many coordinates an access gives besides the layer: for cubes those of a direction.
  [[nodiscard]] constexpr std::uint32_t coordinates() const { return is_cube() ? 3 : dimensions(); }
  friend bool operator==(const Texture&, const Texture&) = default;
};

}  // namespace warplens
