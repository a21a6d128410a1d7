// The fonts that the window draws with, the exports draw with, and the makers measure with: the same bytes,
// so that what fits here fits there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "viz/canvas/picture.h"

namespace warplens::picture {

/// The file of a font (Inter Regular and SemiBold, JetBrains Mono Regular: Latin, Greek and Cyrillic).
[[nodiscard]] std::string_view font_bytes(Font font);
/// The file of the font whose Chinese characters stand in for those that `font` lacks (Noto Sans SC,
/// subsets).
[[nodiscard]] std::string_view stand_in_bytes(Font font);
/// Whether `code_point` is drawn with the stand-in.
[[nodiscard]] bool is_of_stand_in(char32_t code_point, Font font);
/// Whether either has it: what has no glyph is drawn as a box.
[[nodiscard]] bool has_glyph(char32_t code_point, Font font);

/// Width in pixels of a UTF-8 text at an em of `size` pixels: the sum of the advances. Nobody kerns, because
/// Dear ImGui does not.
[[nodiscard]] float text_width(std::string_view text, float size, Font font);

[[nodiscard]] float ascent_per_em(Font font);
/// Ascent and descent together. Some (Dear ImGui) take this as the size of a font instead of the em.
[[nodiscard]] float line_height_per_em(Font font);
[[nodiscard]] float line_height_per_em_of_stand_in(Font font);
/// From Text::at.y down to the baseline: half the height of a capital.
[[nodiscard]] float baseline_offset(float size, Font font);

/// How many bytes of `text` make a line of at most `width` pixels: whole words, and between Chinese
/// characters where no sign forbids it. A figure keeps its "%". 0: not even the first word fits.
[[nodiscard]] std::size_t end_of_line(std::string_view text, float width, float size, Font font);

/// Decodes one code point at the front of `text` and removes it; U+FFFD for bytes that are no UTF-8.
[[nodiscard]] char32_t take_code_point(std::string_view& text);

/// Coverage of one glyph, 0..255 by pixel, row by row. The left top pixel lies at (left, top) from the pen on
/// the baseline, y downwards.
struct GlyphImage {
  int left = 0, top = 0, width = 0, height = 0;
  std::vector<std::uint8_t> coverage;
  float advance = 0;
};
/// `shift_x`, 0..1: where in its pixel the pen stands.
[[nodiscard]] GlyphImage draw_glyph(char32_t code_point, float size, Font font, float shift_x);

}  // namespace warplens::picture
