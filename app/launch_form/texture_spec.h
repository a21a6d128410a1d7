// Textures and surfaces as one writes them among arguments:
// "tex2d:f32x4[h][w]:uniform,linear,wrap,normalized".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/base/result.h"
#include "kernels/base/texture.h"
#include "kernels/recording/recording.h"

namespace warplens::app {

/// Returns the texture that the word before the first colon names, such as "tex2d" or "surfa1d"; nullopt: it
/// names none.
[[nodiscard]] std::optional<Texture> texture_of_word(std::string_view word);

/// "linear", "wrap", "normalized", ..; false: it is no such word.
[[nodiscard]] bool add_texture_option(std::string_view word, Texture& texture);

/// Extents as written, the width last; texels of `channels` elements. What cannot be is an error that says
/// why.
[[nodiscard]] Result<Texture> with_texels(Texture texture, ElementType type, std::uint32_t channels,
                                          std::span<const std::uint64_t> extents);

/// What stands before and behind the contents: "tex2d:f32x4[9][16]" and ",linear,wrap".
[[nodiscard]] std::string text_before(const Texture& texture);
[[nodiscard]] std::string text_behind(const Texture& texture);

}  // namespace warplens::app
