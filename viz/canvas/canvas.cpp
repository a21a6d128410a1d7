#include "viz/canvas/canvas.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/text.h"
#include "kernels/base/texts.h"
#include "viz/canvas/fonts.h"

namespace warplens::picture {
namespace {

constexpr float kMargin = 14;
constexpr std::string_view kEllipsis = "…";
constexpr float kLargestMessage = 30;  ///< Of a picture that has nothing to draw

/// The longest front of `text` that leaves room for an ellipsis.
std::string cut_short(std::string_view text, float width, float size, Font font) {
  std::size_t kept = 0;
  for (std::string_view rest = text; !rest.empty();) {
    static_cast<void>(take_code_point(rest));
    const std::size_t next = text.size() - rest.size();
    if (text_width(text.substr(0, next), size, font) + text_width(kEllipsis, size, font) > width) break;
    kept = next;
  }
  if (kept == 0) return {};
  // At the end of a word, unless that would lose half of what fits.
  const std::size_t word = text.substr(0, kept + 1).rfind(' ');
  if (word != std::string_view::npos && word > kept / 2) kept = word;
  return std::string(text.substr(0, kept)) + std::string(kEllipsis);
}

/// As it is drawn: names come from files that anybody may have made.
std::string shown(std::string_view text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; });
  return is_plain ? std::string(text) : escaped(text);
}

}  // namespace

Rect cut_top(Rect& rect, float height) {
  height = std::clamp(height, 0.0f, rect.height);
  const Rect cut{rect.x, rect.y, rect.width, height};
  rect.y += height;
  rect.height -= height;
  return cut;
}

Rect cut_bottom(Rect& rect, float height) {
  height = std::clamp(height, 0.0f, rect.height);
  rect.height -= height;
  return {rect.x, rect.bottom(), rect.width, height};
}

Rect cut_left(Rect& rect, float width) {
  width = std::clamp(width, 0.0f, rect.width);
  const Rect cut{rect.x, rect.y, width, rect.height};
  rect.x += width;
  rect.width -= width;
  return cut;
}

Rect cut_right(Rect& rect, float width) {
  width = std::clamp(width, 0.0f, rect.width);
  rect.width -= width;
  return {rect.right(), rect.y, width, rect.height};
}

Rect inset(Rect rect, float by) {
  return inset(rect, by, by);
}

Rect inset(Rect rect, float x, float y) {
  return {rect.x + x, rect.y + y, std::max(0.0f, rect.width - 2 * x), std::max(0.0f, rect.height - 2 * y)};
}

Rect united(Rect a, Rect b) {
  const float x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

Rect on_whole_pixels(Rect rect) {
  const float x = std::ceil(rect.x), y = std::ceil(rect.y);
  return {x, y, std::max(1.0f, std::floor(rect.right()) - x), std::max(1.0f, std::floor(rect.bottom()) - y)};
}

Point anchor(Rect box, Align align) {
  const float x = align == Align::left ? box.x : align == Align::right ? box.right() : box.x + box.width / 2;
  return {x, box.y + box.height / 2};
}

Rect text_box(const Text& text) {
  const float width = text_width(text.text, text.size, text.font);
  const float left = text.align == Align::left ? 0 : text.align == Align::right ? width : width / 2;
  return {text.at.x - left, text.at.y - text.size / 2, width, text.size};
}

Style roomy(Style style, Size size) {
  constexpr Size kRoom{1920, 1080};
  constexpr float kMaxGrowth = 2;
  const float growth = std::clamp(
      std::min(size.width / kRoom.width, size.height / kRoom.height) / style.scale, 1.0f, kMaxGrowth);
  style.scale *= growth;
  style.min_text /= growth;
  return style;
}

Canvas::Canvas(Size size, const Style& style) : style_(style) {
  picture_.width = size.width;
  picture_.height = size.height;
}

Rect Canvas::inside() const {
  const float margin = std::min({px(kMargin), picture_.width / 10, picture_.height / 10});
  return inset({0, 0, picture_.width, picture_.height}, margin);
}

float Canvas::width_of(std::string_view text, const TextLook& look) const {
  return text_width(shown(text), px(look.size), look.font);
}

void Canvas::fill(Rect rect, Colour colour, float rounding) {
  add(FilledRect{rect, colour, px(rounding)});
}
void Canvas::outline(Rect rect, Colour colour, float thickness, float rounding) {
  add(OutlinedRect{rect, colour, px(thickness), px(rounding)});
}
void Canvas::hatch(Rect rect, Colour colour, float spacing) {
  add(Hatch{rect, colour, px(spacing)});
}
void Canvas::line(Point from, Point to, Colour colour, float thickness) {
  add(Line{from, to, colour, px(thickness)});
}

Rect Canvas::text(Point at, const std::string& text, const TextLook& look) {
  Text item{at, shown(text), look.colour, px(look.size), look.font, look.align};
  const Rect box = text_box(item);
  add(std::move(item));
  return box;
}

std::optional<std::string_view> Canvas::fitting(const Rect& box,
                                                std::initializer_list<std::string_view> variants,
                                                const TextLook& look) const {
  if (px(look.size) > box.height + px(1) || (look.size < style_.min_text && !look.besides))
    return std::nullopt;
  for (const std::string_view variant : variants) {
    if (!variant.empty() && width_of(variant, look) <= box.width) return variant;
  }
  return std::nullopt;
}

std::optional<Rect> Canvas::fitted(Rect box, std::initializer_list<std::string_view> variants,
                                   const TextLook& look) {
  const auto variant = fitting(box, variants, look);
  return variant ? std::optional(text(anchor(box, look.align), std::string(*variant), look)) : std::nullopt;
}

std::optional<Rect> Canvas::fitted_on(Colour ground, Rect box,
                                      std::initializer_list<std::string_view> variants,
                                      const TextLook& look) {
  const auto variant = fitting(box, variants, look);
  if (!variant) return std::nullopt;
  const float width = width_of(*variant, look), height = px(look.size);
  const Point at = anchor(box, look.align);
  const float left = look.align == Align::left    ? at.x
                     : look.align == Align::right ? at.x - width
                                                  : at.x - width / 2;
  fill({left, at.y - height / 2, width, height}, ground);
  return text(at, std::string(*variant), look);
}

void Canvas::wrapped(Rect box, std::string_view whole_text, const TextLook& look) {
  const std::string text_shown = shown(whole_text);
  std::string_view text_left = text_shown;
  const float height = line_height(look.size);
  while (!text_left.empty() && box.height + px(0.5f) >= height) {
    const Rect row = cut_top(box, height);
    const bool last = box.height + px(0.5f) < height;
    const std::size_t fits = end_of_line(text_left, row.width, px(look.size), look.font);
    if (fits < text_left.size() && (last || fits == 0)) {
      const std::string shortened = cut_short(text_left, row.width, px(look.size), look.font);
      if (!shortened.empty()) text(anchor(row, look.align), shortened, look);
      return;
    }
    text(anchor(row, look.align), std::string(text_left.substr(0, fits)), look);
    text_left.remove_prefix(fits);
    while (text_left.starts_with(' ')) text_left.remove_prefix(1);
  }
}

int Canvas::lines_of(std::string_view text, float width, const TextLook& look) const {
  const std::string text_shown = shown(text);
  int lines = 0;
  for (std::string_view left = text_shown; !left.empty(); ++lines) {
    const std::size_t fits = end_of_line(left, width, px(look.size), look.font);
    if (fits == 0) return lines + 1;  // There it ends in an ellipsis
    left.remove_prefix(fits);
    while (left.starts_with(' ')) left.remove_prefix(1);
  }
  return lines;
}

void Canvas::name(std::string title, std::string subtitle) {
  picture_.title = std::move(title);
  picture_.subtitle = std::move(subtitle);
}

float figure_height(const Canvas& canvas, float picture_height) {
  // 17 to 46 pixels an em by the look, growing with the picture, with some air around.
  return std::clamp(picture_height * 0.055f, canvas.px(17), canvas.px(46)) * 1.5f;
}

Note note_of(const std::optional<Counted>& counted) {
  return counted ? Note(counted->words, counted->meaning.c_str()) : Note("");
}

Note guessed_note() {
  return {tr("launch guessed"), tr("The source does not say how the kernel is launched: grey fields of the "
                                   "launch row were guessed. Another launch has other figures.")};
}

void draw_figure(Canvas& canvas, Rect box, const Note& figure, bool costly,
                 std::initializer_list<Note> notes) {
  float size = box.height / 1.5f / canvas.px(1);
  TextLook look{costly ? canvas.palette().costly : canvas.palette().good, size, Font::sans_bold, Align::left};
  while (look.size > kSmallSize && canvas.width_of(figure.text, look) > box.width) look.size -= 1;
  const auto drawn = canvas.fitted(box, {figure.text}, look);
  if (!drawn) return;
  if (*figure.meaning != '\0') canvas.region(*drawn, {}, figure.meaning);

  std::string together;
  Rect rest = box;
  static_cast<void>(cut_left(rest, drawn->width + canvas.px(14)));
  const TextLook note_look = canvas.muted(std::clamp(look.size * 0.6f, kSmallSize, 22.0f));
  std::vector<Note> all(notes);
  if (canvas.style().guessed) all.insert(all.begin(), guessed_note());
  for (const Note& note : all) {
    if (note.text.empty()) continue;
    const std::string before = together.empty() ? std::string() : together + " · ",
                      longer = before + note.text;
    const float left = canvas.width_of(before, note_look), right = canvas.width_of(longer, note_look);
    if (right > rest.width) break;
    if (*note.meaning != '\0')
      canvas.region({rest.x + left, rest.y, right - left, rest.height}, {}, note.meaning);
    together = longer;
  }
  canvas.fitted(rest, {together}, note_look);
}

namespace {

Rect draw_sentence(Canvas& canvas, Rect& rest, const std::string& sentence, float ems, Colour colour) {
  canvas.say(sentence);
  constexpr float kMin = kSmallSize + 1, kLowPicture = 110;
  const float size =
      std::clamp(std::min(rest.height * 0.03f, rest.width * 0.035f) / canvas.px(1), kMin, 22.0f);
  const int most = rest.height < canvas.px(kLowPicture) ? 1 : rest.height < rest.width ? 2 : 4;
  const int lines =
      std::clamp(static_cast<int>(std::ceil(canvas.px(size * ems) / std::max(rest.width, 1.0f))), 1, most);
  const Rect box = cut_bottom(rest, canvas.line_height(size) * static_cast<float>(lines));
  TextLook look{colour, size, Font::sans, Align::left};
  while (look.size > kMin && canvas.lines_of(sentence, box.width, look) > lines)
    look.size = std::max(kMin, look.size - 0.5f);
  canvas.wrapped(box, sentence, look);
  canvas.region(box, {}, sentence);
  return box;
}

}  // namespace

void draw_sentence(Canvas& canvas, Rect& rest, const std::string& sentence, float ems) {
  static_cast<void>(draw_sentence(canvas, rest, sentence, ems, canvas.palette().fill));
}

Rect draw_sentence(Canvas& canvas, Rect& rest, const std::string& sentence, Colour colour) {
  constexpr float kEms = 56;
  return draw_sentence(canvas, rest, sentence, kEms, colour);
}

Picture empty_picture(std::string title, const std::string& what, const std::string& what_to_do, Size size,
                      const Style& style) {
  Canvas canvas(size, style);
  canvas.name(std::move(title), {});
  canvas.say(tr("{what} {what_to_do}", "what"_a = what, "what_to_do"_a = what_to_do));
  Rect rest = canvas.inside();
  // Larger in large pictures: it is all that there is to read.
  const float size_of_what = std::clamp(std::min(rest.height * 0.05f, rest.width * 0.025f) / canvas.px(1),
                                        kBaseSize, kLargestMessage);
  const float size_of_what_to_do = size_of_what * (kSmallSize + 1) / kBaseSize;
  const float height = canvas.line_height(size_of_what);
  static_cast<void>(cut_top(rest, std::max(0.0f, rest.height / 2 - height)));
  const bool wide = canvas.width_of(what, canvas.plain(size_of_what)) <= rest.width;
  canvas.wrapped(cut_top(rest, wide ? height : 2 * height), what, canvas.plain(size_of_what, Align::centre));
  canvas.wrapped(rest, what_to_do, canvas.muted(size_of_what_to_do, Align::centre));
  Picture picture = canvas.take();
  picture.empty = true;
  return picture;
}

}  // namespace warplens::picture
