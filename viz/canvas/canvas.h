// What the makers draw with: a picture under construction that knows the scale, the palette and how wide
// texts are.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/base/figures.h"
#include "viz/canvas/picture.h"

namespace warplens::picture {

/// Text sizes at scale 1, in pixels an em.
inline constexpr float kTinySize = 9.5f;
inline constexpr float kSmallSize = 11;
inline constexpr float kBaseSize = 13;

/// How a text looks; its size is given at scale 1.
struct TextLook {
  Colour colour;
  float size = kBaseSize;
  Font font = Font::sans;
  Align align = Align::left;
  bool besides =
      false;  ///< Something else, such as a colour, says the same: it may be smaller than Style::min_text
};

/// Cuts a strip off a rect and shrinks it: the makers' layout, from the edges inwards. Never more than is
/// left.
[[nodiscard]] Rect cut_top(Rect& rect, float height);
[[nodiscard]] Rect cut_bottom(Rect& rect, float height);
[[nodiscard]] Rect cut_left(Rect& rect, float width);
[[nodiscard]] Rect cut_right(Rect& rect, float width);
[[nodiscard]] Rect inset(Rect rect, float by);
[[nodiscard]] Rect inset(Rect rect, float x, float y);
[[nodiscard]] Rect united(Rect a, Rect b);
/// For heat maps: on whole pixels every cell has its place, wherever drawing begins.
[[nodiscard]] Rect on_whole_pixels(Rect rect);
[[nodiscard]] inline Point centre(Rect rect) {
  return {rect.x + rect.width / 2, rect.y + rect.height / 2};
}
/// The place of a text that fills a box in height: its left, centre or right.
[[nodiscard]] Point anchor(Rect box, Align align);

/// The box that a text covers, an em high.
[[nodiscard]] Rect text_box(const Text& text);

/// The style of a picture that has more room than 1920 x 1080 at its scale: drawn as one of that size, up to
/// twice as large. What is laid out for a panel would be lost in it.
[[nodiscard]] Style roomy(Style style, Size size);

class Canvas {
 public:
  Canvas(Size size, const Style& style);

  [[nodiscard]] float px(float at_scale_1) const { return at_scale_1 * style_.scale; }
  [[nodiscard]] const Palette& palette() const { return *style_.palette; }
  [[nodiscard]] const Style& style() const { return style_; }
  /// The picture's inside, a margin away from its edges.
  [[nodiscard]] Rect inside() const;

  [[nodiscard]] TextLook plain(float size = kBaseSize, Align align = Align::left) const {
    return {palette().text, size, Font::sans, align};
  }
  [[nodiscard]] TextLook muted(float size = kSmallSize, Align align = Align::left) const {
    return {palette().muted, size, Font::sans, align};
  }
  [[nodiscard]] float width_of(std::string_view text, const TextLook& look) const;

  void fill(Rect rect, Colour colour, float rounding = 0);
  void outline(Rect rect, Colour colour, float thickness = 1, float rounding = 0);
  void hatch(Rect rect, Colour colour, float spacing = 5);
  void line(Point from, Point to, Colour colour, float thickness = 1);
  template <class Shape>
  void add(Shape shape) {
    picture_.items.emplace_back(std::in_place_type<Shape>, std::move(shape));
  }

  /// Draws a text, whether it fits or not; returns its box. Control characters in texts are drawn as escapes.
  Rect text(Point at, const std::string& text, const TextLook& look);
  /// Draws the first of the variants (long to short) that `box` has room for, vertically centred in it; its
  /// box, or nothing if none fits, or if the style has no texts of that size.
  std::optional<Rect> fitted(Rect box, std::initializer_list<std::string_view> variants,
                             const TextLook& look);
  /// The same on a ground of its own, which hides what was drawn there before.
  std::optional<Rect> fitted_on(Colour ground, Rect box, std::initializer_list<std::string_view> variants,
                                const TextLook& look);
  /// Draws a text over as many lines as `box` has room for; what does not fit ends in an ellipsis. From the
  /// top of the box.
  void wrapped(Rect box, std::string_view text, const TextLook& look);
  /// How many lines it takes at this width.
  [[nodiscard]] int lines_of(std::string_view text, float width, const TextLook& look) const;
  [[nodiscard]] float line_height(float size) const { return px(size * 1.45f); }

  void region(Rect rect, Target target, std::string tooltip) {
    picture_.regions.push_back({rect, target, std::move(tooltip)});
  }
  void grid_region(Rect rect, std::uint64_t rows, std::uint64_t columns, Target first, std::string tooltip,
                   bool transposed = false) {
    picture_.regions.push_back({rect, first, std::move(tooltip), rows, columns, transposed});
  }

  void name(std::string title, std::string subtitle);
  void say(std::string sentence) { picture_.sentence = std::move(sentence); }
  [[nodiscard]] Picture take() { return std::move(picture_); }

 private:
  [[nodiscard]] std::optional<std::string_view> fitting(const Rect& box,
                                                        std::initializer_list<std::string_view> variants,
                                                        const TextLook& look) const;

  Style style_;
  Picture picture_;
};

/// A word or figure, and what it means, which its tooltip says.
struct Note {
  std::string text;
  const char* meaning = "";  ///< Empty: it says it itself
  Note(std::string words, const char* what_they_mean = "")
      : text(std::move(words)), meaning(what_they_mean) {}
  Note(const char* words) : text(words) {}
};
[[nodiscard]] Note note_of(const std::optional<Counted>& counted);
/// Returns the note that stands for Style::guessed.
[[nodiscard]] Note guessed_note();
/// The big figure with its ideal beside it: "32 sectors" in the good or the costly colour, the notes muted
/// after it, as many of them as fit.
void draw_figure(Canvas& canvas, Rect box, const Note& figure, bool costly,
                 std::initializer_list<Note> notes);
/// The height of that row in a picture of this height.
[[nodiscard]] float figure_height(const Canvas& canvas, float picture_height);

/// The sentence that says what to see, along the bottom; cuts its place off `rest`. Its height depends on the
/// size alone: as many lines as `ems` letters an em wide take, at most two, or four where the picture is
/// higher than wide. A sentence too long for it has smaller letters.
void draw_sentence(Canvas& canvas, Rect& rest, const std::string& sentence, float ems = 56);
/// The same in that colour; its box.
Rect draw_sentence(Canvas& canvas, Rect& rest, const std::string& sentence, Colour colour);

/// A picture with nothing to draw: says why, and what to do.
[[nodiscard]] Picture empty_picture(std::string title, const std::string& what, const std::string& what_to_do,
                                    Size size, const Style& style);

}  // namespace warplens::picture
