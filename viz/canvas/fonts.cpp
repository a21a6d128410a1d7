#include "viz/canvas/fonts.h"

#include <array>
#include <cassert>

#include "assets/fonts.h"
#include "viz/canvas/stb_truetype_private.h"

namespace warplens::picture {
namespace {

constexpr char32_t kReplacement = 0xfffd;
constexpr char32_t kFirstChinese = 0x2e80;  // Of the CJK blocks; full-width signs lie behind
constexpr char32_t kAdvancesKept = 0x530;   // Latin, Greek and Cyrillic: the rest is looked up in the file

/// One parsed font, with the figures that makers ask for all the time.
struct Face {
  std::string_view bytes;
  stbtt_fontinfo info{};
  float units_per_em = 1;
  float ascent = 0, descent = 0, cap_height = 0;  // In units
  std::array<float, kAdvancesKept> advances{};    // In ems, by code point

  explicit Face(const char* file) {
    const auto embedded = fonts::embedded_file(file);
    assert(embedded.has_value());
    bytes = *embedded;
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    [[maybe_unused]] const int parsed = stbtt_InitFont(&info, data, stbtt_GetFontOffsetForIndex(data, 0));
    assert(parsed != 0);
    units_per_em = 1.0f / stbtt_ScaleForMappingEmToPixels(&info, 1.0f);
    int up = 0, down = 0, gap = 0;
    stbtt_GetFontVMetrics(&info, &up, &down, &gap);
    ascent = static_cast<float>(up);
    descent = static_cast<float>(-down);
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    stbtt_GetCodepointBox(&info, 'H', &x0, &y0, &x1, &y1);
    cap_height = static_cast<float>(y1);
    for (char32_t c = 0; c < kAdvancesKept; ++c) advances[c] = look_up_advance(c);
  }

  [[nodiscard]] int glyph(char32_t code_point) const {
    return stbtt_FindGlyphIndex(&info, static_cast<int>(code_point));
  }
  [[nodiscard]] float look_up_advance(char32_t code_point) const {
    int advance = 0, bearing = 0;
    stbtt_GetCodepointHMetrics(&info, static_cast<int>(code_point), &advance, &bearing);
    return static_cast<float>(advance) / units_per_em;
  }
};

const Face& face(Font font) {
  static const std::array<Face, 3> faces{Face("Inter-Regular.ttf"), Face("Inter-SemiBold.ttf"),
                                         Face("JetBrainsMono-Regular.ttf")};
  return faces[static_cast<std::size_t>(font)];
}

const Face& stand_in(Font font) {
  static const Face regular("NotoSansSC-Regular.otf"), bold("NotoSansSC-Bold.otf");
  return font == Font::sans_bold ? bold : regular;
}

const Face& face_of(char32_t code_point, Font font) {
  return is_of_stand_in(code_point, font) ? stand_in(font) : face(font);
}

float advance_of(char32_t code_point, Font font) {
  return code_point < kAdvancesKept ? face(font).advances[code_point]
                                    : face_of(code_point, font).look_up_advance(code_point);
}

/// Whether a line may end between two characters without a space: beside a Chinese one, but neither before
/// what closes nor after what opens.
bool may_part(char32_t before, char32_t after) {
  constexpr std::u32string_view kCloses = U",.;:!?)]}%…’”、。〉》」』】〕！％），．：；？］｝",
                                kOpens = U"([{‘“〈《「『【〔（［｛";
  if (before < kFirstChinese && after < kFirstChinese) return false;
  return kCloses.find(after) == std::u32string_view::npos &&
         kOpens.find(before) == std::u32string_view::npos && before != ' ';
}

}  // namespace

std::string_view font_bytes(Font font) {
  return face(font).bytes;
}
std::string_view stand_in_bytes(Font font) {
  return stand_in(font).bytes;
}
bool is_of_stand_in(char32_t code_point, Font font) {
  return code_point >= kFirstChinese && face(font).glyph(code_point) == 0 &&
         stand_in(font).glyph(code_point) != 0;
}
bool has_glyph(char32_t code_point, Font font) {
  return face_of(code_point, font).glyph(code_point) != 0;
}
float ascent_per_em(Font font) {
  return face(font).ascent / face(font).units_per_em;
}
float line_height_per_em(Font font) {
  return (face(font).ascent + face(font).descent) / face(font).units_per_em;
}
float line_height_per_em_of_stand_in(Font font) {
  return (stand_in(font).ascent + stand_in(font).descent) / stand_in(font).units_per_em;
}
float baseline_offset(float size, Font font) {
  return size * face(font).cap_height / face(font).units_per_em / 2;
}

float text_width(std::string_view text, float size, Font font) {
  float ems = 0;
  while (!text.empty()) ems += advance_of(take_code_point(text), font);
  return ems * size;
}

std::size_t end_of_line(std::string_view text, float width, float size, Font font) {
  std::size_t end = 0;
  float ems = 0;
  char32_t before = ' ';
  for (std::string_view rest = text; ems * size <= width;) {
    if (rest.empty()) return text.size();
    const std::size_t at = text.size() - rest.size();
    const char32_t next = take_code_point(rest);
    if (at > 0 && (next == ' ' ? !rest.starts_with('%') : may_part(before, next))) end = at;
    ems += advance_of(next, font);
    before = next;
  }
  return end;
}

char32_t take_code_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xf0 && lead < 0xf8 ? 4
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xc0 && lead < 0xe0 ? 2
                                                           : 0;
  if (length == 0 || length > text.size()) {
    text.remove_prefix(1);
    return kReplacement;
  }
  char32_t code_point = length == 1 ? lead : lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      text.remove_prefix(1);
      return kReplacement;
    }
    code_point = code_point << 6 | (byte(i) & 0x3fu);
  }
  text.remove_prefix(length);
  return code_point;
}

GlyphImage draw_glyph(char32_t code_point, float size, Font font, float shift_x) {
  const Face& used = face_of(code_point, font);
  const float scale = size / used.units_per_em;
  const int glyph = used.glyph(code_point);
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  stbtt_GetGlyphBitmapBoxSubpixel(&used.info, glyph, scale, scale, shift_x, 0, &x0, &y0, &x1, &y1);
  GlyphImage image{.left = x0,
                   .top = y0,
                   .width = x1 - x0,
                   .height = y1 - y0,
                   .coverage = {},
                   .advance = used.look_up_advance(code_point) * size};
  if (image.width <= 0 || image.height <= 0) return image;
  image.coverage.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  stbtt_MakeGlyphBitmapSubpixel(&used.info, image.coverage.data(), image.width, image.height, image.width,
                                scale, scale, shift_x, 0, glyph);
  return image;
}

}  // namespace warplens::picture
