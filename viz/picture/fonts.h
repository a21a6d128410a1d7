// The fonts that the window draws with, the exports draw with, and the makers measure with: the same bytes, so that what fits here fits there.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "viz/picture/picture.h"

namespace warplens::picture {

/// The TrueType file of a font (Inter Regular and SemiBold, JetBrains Mono Regular).
[[nodiscard]] std::string_view font_bytes(Font font);

/// Width in pixels of a UTF-8 text at an em of `size` pixels: the sum of the advances. Nobody kerns, because Dear ImGui does not.
[[nodiscard]] float text_width(std::string_view text, float size, Font font);

[[nodiscard]] float ascent_per_em(Font font);
/// Ascent and descent together. Some (Dear ImGui) take this as the size of a font instead of the em.
[[nodiscard]] float line_height_per_em(Font font);
/// From Text::at.y down to the baseline: half the height of a capital.
[[nodiscard]] float baseline_offset(float size, Font font);

/// Decodes one code point at the front of `text` and removes it; U+FFFD for bytes that are no UTF-8.
[[nodiscard]] char32_t take_code_point(std::string_view& text);

/// Coverage of one glyph, 0..255 by pixel, row by row. The left top pixel lies at (left, top) from the pen on the baseline, y downwards.
struct GlyphImage {
  int left = 0, top = 0, width = 0, height = 0;
  std::vector<std::uint8_t> coverage;
  float advance = 0;
};
/// `shift_x`, 0..1: where in its pixel the pen stands.
[[nodiscard]] GlyphImage draw_glyph(char32_t code_point, float size, Font font, float shift_x);

}  // namespace warplens::picture
