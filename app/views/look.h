// How the window looks: the palette's colours and the fonts, given to Dear ImGui and ImPlot. Sizes in code
// are pixels at scale 1.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>

#include "viz/canvas/picture.h"

namespace warplens::app {

inline constexpr float kBaseTextSize = 13;
inline constexpr float kSmallestScale = 0.6f, kLargestScale = 4, kLargestPresentedScale = 2;

struct Fonts {
  ImFont* sans = nullptr;
  ImFont* sans_bold = nullptr;
  ImFont* mono = nullptr;
  [[nodiscard]] ImFont* of(picture::Font font) const;
};
/// Adds the three fonts to the current context. Their size in Dear ImGui is the em, as in pictures. Glyphs
/// are drawn when first used.
[[nodiscard]] Fonts load_fonts();

struct Look {
  const picture::Palette* palette = &picture::dark_palette();
  float scale = 1;
  float min_text = 0;  ///< As of picture::Style, and the next
  bool guessed = false;
  bool pointer_rests = false;  ///< In front of an audience it has not been moved for a while: what lies under
                               ///< it is neither explained nor lit
  Fonts fonts;
  [[nodiscard]] float px(float length) const { return length * scale; }
  [[nodiscard]] ImVec2 px(float width, float height) const { return {width * scale, height * scale}; }
  [[nodiscard]] picture::Style style() const { return {palette, scale, min_text, guessed}; }
};
/// Sets the whole style of the current contexts of Dear ImGui and ImPlot.
void apply(const Look& look);

[[nodiscard]] ImU32 packed(picture::Colour colour);
[[nodiscard]] ImVec4 as_vector(picture::Colour colour);
using picture::mixed;

/// One piece of text in the flow of the current window, or right-aligned to `right` (a screen x) on the
/// current line. `size` is at scale 1.
struct TextStyle {
  picture::Colour colour;
  float size = kBaseTextSize;
  picture::Font font = picture::Font::sans;
};
void write(const Look& look, std::string_view text, const TextStyle& style);
void write_right(const Look& look, std::string_view text, const TextStyle& style, float right);
/// Wrapped at `width`, at scale 1; 0: at the end of the window.
void write_wrapped(const Look& look, std::string_view text, const TextStyle& style, float width = 0);
/// Width in pixels, scale included.
[[nodiscard]] float width_of(const Look& look, std::string_view text, const TextStyle& style);
/// The text, or its beginning with "…" where it is wider than `width` pixels.
[[nodiscard]] std::string shortened(const Look& look, std::string_view text, const TextStyle& style,
                                    float width);
/// Returns as many parts of "line 25 · shared load of as · warp 0" as fit; nothing rather than less than half
/// of the first.
[[nodiscard]] std::string shortened_by_parts(const Look& look, std::string_view text, const TextStyle& style,
                                             float width);

/// The next item goes on in the line of the last one if `width` pixels are left there, `gap` of them at scale
/// 1 before it.
void same_line_if_fits(const Look& look, float width, float gap = 8);
/// What a checkbox or a radio button takes, in pixels, and what a button does.
[[nodiscard]] float checkbox_width(const Look& look, std::string_view text);
[[nodiscard]] float button_width(const Look& look, std::string_view text);
/// Returns the width in pixels of a menu that shows that text: `least` at scale 1, or what the text takes.
[[nodiscard]] float menu_width(const Look& look, std::string_view text, float least);

/// A checkbox and a radio button that are seen where they are not chosen: with an outline. True when they are
/// clicked.
bool tick(const Look& look, const char* label, bool& on);
bool choice(const Look& look, const char* label, bool chosen);

/// "Record###record": a label in the language chosen, for an item that Dear ImGui, the kept layout and the
/// tests know by its id in every language.
[[nodiscard]] std::string labelled(std::string_view text, std::string_view id);

/// An entry of an open list of choices, of which the keys begin at the selected one. True when it is chosen.
[[nodiscard]] bool list_entry(const char* label, bool selected);

/// Greys what has been drawn in that place of the current window, and says above it, if `words` are not
/// empty, why.
void draw_veil(const Look& look, ImVec2 from, ImVec2 size, std::string_view words);

/// The ends of a child window and of a table that may be scrolled: a row that an edge cuts fades towards it.
void end_child(const Look& look);
void end_table(const Look& look);

/// A tooltip for the item before, that explains a term or shows a shortened text in full.
void explain(const Look& look, std::string_view text);
/// A tooltip at the pointer, now.
void show_tooltip(const Look& look, std::string_view text);

/// A column of a list: its name as labelled() gives it, its share of the width, and what it means.
struct ListColumn {
  std::string name;
  float share = 1;
  const char* meaning = "";
};
/// A list with lines between its rows and headers that stay in sight and explain themselves. True: draw its
/// rows, then ImGui::EndTable. False: there is no room for it. `height`: 0 is what there is.
[[nodiscard]] bool begin_list(const Look& look, const char* id, std::span<const ListColumn> columns,
                              float height = 0);

}  // namespace warplens::app
