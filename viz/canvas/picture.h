// A picture: a flat list of shapes and texts, made from analysis results alone. The window draws it with Dear
// ImGui, the exports write it as SVG, PNG: one maker a view, so that what is exported is what is on the
// screen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/base/figures.h"

namespace warplens::picture {

struct Point {
  float x = 0, y = 0;
};
struct Size {
  float width = 0, height = 0;
};
struct Rect {
  float x = 0, y = 0, width = 0, height = 0;
  [[nodiscard]] bool contains(Point p) const {
    return p.x >= x && p.y >= y && p.x < x + width && p.y < y + height;
  }
  [[nodiscard]] float right() const { return x + width; }
  [[nodiscard]] float bottom() const { return y + height; }
};
struct Colour {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  friend bool operator==(const Colour&, const Colour&) = default;
};

enum class Font : std::uint8_t { sans, sans_bold, mono };
enum class Align : std::uint8_t { left, centre, right };

struct FilledRect {
  Rect rect;
  Colour colour;
  float rounding = 0;
};
struct OutlinedRect {
  Rect rect;
  Colour colour;
  float thickness = 1;
  float rounding = 0;
};
struct Hatch {
  Rect rect;
  Colour colour;
  float spacing = 5;
};  ///< Diagonal lines, clipped to the rect
struct Line {
  Point from, to;
  Colour colour;
  float thickness = 1;
};
struct Curve {
  Point from, control1, control2, to;
  Colour colour;
  float thickness = 1;
};  ///< Cubic Bezier
struct Polygon {
  std::vector<Point> points;
  Colour colour;
};  ///< Convex, filled
struct Polyline {
  std::vector<Point> points;
  Colour colour;
  float thickness = 1;
};
/// `at.x` is the left, centre or right of the text by `align`; capitals are vertically centred on `at.y`
/// (baseline_offset of fonts.h). `size` is the em in pixels, as in CSS.
struct Text {
  Point at;
  std::string text;
  Colour colour;
  float size = 13;
  Font font = Font::sans;
  Align align = Align::left;
};
/// The values of a heat map's cells, row by row. Copies share them: pictures that show the same need not be
/// compared cell by cell.
class CellValues {
 public:
  CellValues() = default;
  CellValues(std::vector<float> values)
      : values_(std::make_shared<const std::vector<float>>(std::move(values))) {}
  CellValues(std::initializer_list<float> values) : CellValues(std::vector<float>(values)) {}
  CellValues(std::shared_ptr<const std::vector<float>> values) : values_(std::move(values)) {}
  [[nodiscard]] std::size_t size() const { return values_ ? values_->size() : 0; }
  [[nodiscard]] const float* data() const { return values_ ? values_->data() : nullptr; }
  [[nodiscard]] const float* begin() const { return data(); }
  [[nodiscard]] const float* end() const { return data() + size(); }
  [[nodiscard]] const float& operator[](std::size_t cell) const { return data()[cell]; }
  /// Bit by bit: cells without a value are the same, too.
  [[nodiscard]] bool same(const CellValues& other) const;

 private:
  std::shared_ptr<const std::vector<float>> values_;
};

/// A grid of values through a colour table: rows x columns cells, value 0..1; one draw call however many
/// cells.
struct HeatMap {
  Rect rect;
  std::uint32_t rows = 0, columns = 0;
  CellValues values;
  std::vector<Colour> table;
  Colour empty;  ///< For NaN
};

using Item = std::variant<FilledRect, OutlinedRect, Hatch, Line, Curve, Polygon, Polyline, Text, HeatMap>;

/// What a place on the picture stands for: the window turns hover and click there into a selection.
struct Target {
  enum class Kind : std::uint8_t {
    none,
    lane,
    line,
    event,
    phase,
    element,
    shared_word,
    lane_word,
    site,
    bank,
    wavefront,
    transaction,
    kernel,
    block,
    finding,
    matrix_element,
    shared_matrix_element
  };
  Kind kind = Kind::none;
  /// lane, line, event, phase, shared_word, bank, wavefront, transaction: a. element: a = buffer, b = row, c
  /// = column. lane_word: a = lane, b = the shared word that it touches. site: a = phase, or -1 for any, b =
  /// the site. block: a = its x in the grid, b = its y. finding: a = its index, b = 1 for the other access of
  /// the race. matrix_element, of a matrix in registers: a = 32 times the matrix among those of the
  /// instruction, and the lane that holds it, b = row, c = column. shared_matrix_element, of one in shared
  /// memory: a = 2^32 times the matrix, and the shared word that has it, b = row, c = column.
  std::int64_t a = 0, b = 0, c = 0;
};
/// A place that can be pointed at. With `columns` > 0 it is a grid of rows x columns equal cells that share
/// one entry: the target is that of the first cell; for elements b and c, for blocks b and a, for other kinds
/// a, count on from there (a along the columns).
struct Region {
  Rect rect;
  Target target;
  std::string tooltip;
  std::uint64_t rows = 0, columns = 0;
  bool transposed = false;  ///< Elements: the matrix's rows run along the grid's columns. Blocks: y does
};

/// What lies under a point: the cell's place, its target, and its tooltip.
struct Hit {
  Rect rect;
  Target target;
  std::string tooltip;
};

struct Picture {
  float width = 0, height = 0;
  std::string title;     ///< "Banks": for the panel's header, not among the items
  std::string subtitle;  ///< "step 12 of 64 · shared load of as · warp 0": likewise
  std::vector<Item> items;
  std::vector<Region> regions;  ///< Later ones lie on top
  std::string sentence;         ///< What to see here, from the recording; among the items too
  bool empty = false;           ///< There is nothing to draw; the sentence says why
  [[nodiscard]] std::optional<Hit> hit(Point p) const;
};

/// Colours by role, so that no maker names a hex value. Values: docs/look.md.
struct Palette {
  Colour background, panel, header, line, text, muted, accent, good, costly, fill;
  bool dark = true;
};
[[nodiscard]] const Palette& dark_palette();
[[nodiscard]] const Palette& light_palette();

/// The colour of a value 0..1 in a heat map: the nearest entry of its table.
[[nodiscard]] Colour heat_colour(const HeatMap& map, float value);
[[nodiscard]] Colour viridis(float t);       ///< t in 0..1
[[nodiscard]] Colour lane_colour(int lane);  ///< 0..31 along viridis
[[nodiscard]] Colour conflict_colour(
    int degree, const Palette& palette);  ///< 1 .. 32: how many lanes a bank serves one after the other
[[nodiscard]] Colour readable_on(Colour background);  ///< Black or white: a contrast of at least 4.5
[[nodiscard]] Colour with_alpha(Colour colour, float alpha);
[[nodiscard]] Colour mixed(Colour from, Colour to, float amount);  ///< 0 is `from`, 1 is `to`
using warplens::with_thousands;

/// Everything a maker needs besides its data.
struct Style {
  const Palette* palette = nullptr;
  float scale = 1;     ///< Multiplies every length and text size
  float min_text = 0;  ///< Text of a smaller size, at scale 1, is left out: nobody reads it from the last row
  bool guessed = false;  ///< Figures are of a launch that nobody wrote: each says so
  friend bool operator==(const Style&, const Style&) = default;
};

/// What a GPU counted beside an access that is drawn.
struct Counted {
  std::string words;    ///< "the GPU: 32 each"
  std::string meaning;  ///< Of which instruction, in how many requests
};

}  // namespace warplens::picture
