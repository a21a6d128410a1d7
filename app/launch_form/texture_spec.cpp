#include "app/launch_form/texture_spec.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr std::pair<std::string_view, TextureShape> kShapes[] = {{"1d", TextureShape::one},
                                                                 {"2d", TextureShape::two},
                                                                 {"3d", TextureShape::three},
                                                                 {"a1d", TextureShape::layered_one},
                                                                 {"a2d", TextureShape::layered_two},
                                                                 {"cube", TextureShape::cube},
                                                                 {"acube", TextureShape::layered_cube}};
constexpr std::pair<std::string_view, AddressMode> kAddressModes[] = {{"wrap", AddressMode::wrap},
                                                                      {"clamp", AddressMode::clamp},
                                                                      {"mirror", AddressMode::mirror},
                                                                      {"border", AddressMode::border}};
constexpr std::pair<std::string_view, bool Texture::*> kFlags[] = {
    {"linear", &Texture::linear_filter},
    {"normalized", &Texture::normalized_coordinates},
    {"floats", &Texture::normalized_values},
    {"memory", &Texture::in_memory}};

std::optional<TexelType> texel_type(ElementType type) {
  switch (type) {
    case ElementType::u8: return TexelType::u8;
    case ElementType::i8: return TexelType::i8;
    case ElementType::u16: return TexelType::u16;
    case ElementType::i16: return TexelType::i16;
    case ElementType::u32: return TexelType::u32;
    case ElementType::i32: return TexelType::i32;
    case ElementType::f16: return TexelType::f16;
    case ElementType::f32: return TexelType::f32;
    default: return std::nullopt;
  }
}

const char* name_of(TexelType type) {
  constexpr const char* kNames[] = {"u8", "i8", "u16", "i16", "u32", "i32", "f16", "f32"};
  return kNames[static_cast<std::size_t>(type)];
}

std::size_t extent_count(TextureShape shape) {
  switch (shape) {
    case TextureShape::one: return 1;
    case TextureShape::two:
    case TextureShape::layered_one: return 2;
    case TextureShape::three:
    case TextureShape::layered_two:
    case TextureShape::cube:
    case TextureShape::layered_cube: break;
  }
  return 3;
}

constexpr std::uint32_t kFaces = 6;

/// Null: it can be made.
const char* misfit(const Texture& texture) {
  const bool has_slices = extent_count(texture.shape) - (texture.dimensions() > 1 ? 1u : 0u) > 1;
  if (texture.is_cube() && texture.is_surface)
    return marked("a surface is no cube: its faces are layers, surfa2d");
  if (texture.is_cube() && texture.width != texture.height) return marked("the faces of a cube are squares");
  if (texture.shape == TextureShape::cube && texture.depth != kFaces) return marked("a cube has six faces");
  if (texture.shape == TextureShape::layered_cube && texture.depth % kFaces != 0)
    return marked("a cube has six faces in each layer");
  if (texture.is_surface && (texture.in_memory || texture.linear_filter || texture.normalized_coordinates ||
                             texture.normalized_values))
    return marked("a surface has no options: it is an array that is read and written as it is");
  if (texture.in_memory && has_slices) return marked("linear memory has one or two dimensions");
  if (texture.in_memory && texture.dimensions() == 1 &&
      (texture.linear_filter || texture.normalized_coordinates))
    return marked("linear memory of one dimension is read by index alone");
  if (texture.normalized_values && (texture.channel_bytes() > 2 || texture.holds_floats()))
    return marked("integers of 8 and 16 bits alone are read as floats");
  if (texture.linear_filter && !texture.reads_floats())
    return marked("linear filtering is of what is read as floats");
  return nullptr;
}

}  // namespace

std::optional<Texture> texture_of_word(std::string_view word) {
  Texture texture{.is_surface = word.starts_with("surf")};
  if (!texture.is_surface && !word.starts_with("tex")) return std::nullopt;
  word.remove_prefix(texture.is_surface ? 4 : 3);
  const auto* const found = std::ranges::find(kShapes, word, [](const auto& shape) { return shape.first; });
  if (found == std::end(kShapes)) return std::nullopt;
  texture.shape = found->second;
  return texture;
}

bool add_texture_option(std::string_view word, Texture& texture) {
  for (const auto& [name, mode] : kAddressModes) {
    if (word != name) continue;
    texture.address_mode = mode;
    return true;
  }
  for (const auto& [name, flag] : kFlags) {
    if (word != name) continue;
    texture.*flag = true;
    return true;
  }
  return word == "point";
}

Result<Texture> with_texels(Texture texture, ElementType type, std::uint32_t channels,
                            std::span<const std::uint64_t> extents) {
  const std::optional<TexelType> texel = texel_type(type);
  if (!texel || (channels != 1 && channels != 2 && channels != 4))
    return Error{tr("texels are of u8, i8, u16, i16, u32, i32, f16 or f32, one, two (x2) or four (x4)"), "",
                 ""};
  if (extents.size() != extent_count(texture.shape))
    return Error{tr("a texture of this shape has another number of extents"), "", ""};
  if (std::ranges::any_of(extents, [](std::uint64_t extent) { return extent > (1u << 17); }))
    return Error{tr("an extent is at most {most}", "most"_a = 1u << 17), "", ""};
  texture.type = *texel;
  texture.channels = channels;
  texture.width = static_cast<std::uint32_t>(extents.back());
  if (texture.dimensions() > 1) texture.height = static_cast<std::uint32_t>(extents[extents.size() - 2]);
  if (extents.size() > texture.dimensions() || texture.shape == TextureShape::three)
    texture.depth = static_cast<std::uint32_t>(extents.front());
  constexpr std::uint64_t kRowAlignment =
      32;  // Of pitched memory, on all GPUs from compute capability 3.0 on
  texture.normalized_coordinates |= texture.is_cube();  // A direction is of any length
  texture.pitch_bytes = std::uint64_t{texture.width} * texture.texel_bytes();
  if (texture.in_memory && texture.dimensions() == 2)
    texture.pitch_bytes = (texture.pitch_bytes + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  if (const char* const why = misfit(texture)) return Error{tr(why), "", ""};
  return texture;
}

std::string text_before(const Texture& texture) {
  std::string text = texture.is_surface ? "surf" : "tex";
  for (const auto& [name, shape] : kShapes) text += texture.shape == shape ? name : "";
  text += fmt::format(":{}", name_of(texture.type));
  if (texture.channels != 1) text += fmt::format("x{}", texture.channels);
  if (extent_count(texture.shape) > texture.dimensions() || texture.shape == TextureShape::three)
    text += fmt::format("[{}]", texture.depth);
  if (texture.dimensions() > 1) text += fmt::format("[{}]", texture.height);
  return text + fmt::format("[{}]", texture.width);
}

std::string text_behind(const Texture& texture) {
  std::string text;
  for (const auto& [name, mode] : kAddressModes) {
    if (texture.address_mode == mode && mode != AddressMode::clamp) text += fmt::format(",{}", name);
  }
  for (const auto& [name, flag] : kFlags) {
    const bool goes_without_saying = texture.is_cube() && flag == &Texture::normalized_coordinates;
    if (texture.*flag && !goes_without_saying) text += fmt::format(",{}", name);
  }
  return text;
}

}  // namespace warplens::app
