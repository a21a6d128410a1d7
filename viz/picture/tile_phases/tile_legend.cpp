#include "viz/picture/tile_phases/tile_legend.h"

#include <algorithm>

#include "kernels/base/texts.h"
#include "viz/picture/lanes.h"
#include "viz/picture/matrix_map.h"

namespace warplens::picture {

std::vector<LegendShade> legend_shades(const Palette& palette, const std::vector<std::uint32_t>& read,
                                       const std::vector<std::uint32_t>& written) {
  const auto colours = [&](const std::vector<std::uint32_t>& buffers, float alpha) {
    std::vector<Colour> all;
    for (const std::uint32_t buffer : buffers)
      all.push_back(with_alpha(buffer_colour(palette, buffer), alpha));
    return all;
  };
  return {{colours(read, kBefore), tr("before this phase"), tr("before"), std::nullopt},
          {colours(read, 1), tr("in this phase"), tr("now"), palette.text},
          {colours(written, kWrittenLater), tr("written later"), tr("later"),
           buffer_colour(palette, written.front())},
          {{lane_colour(0), lane_colour(15), lane_colour(31)},
           tr("lanes of this access"),
           tr("lanes"),
           std::nullopt}};
}
namespace {

constexpr float kFewestShades = 3;  ///< Fewer would say that the picture has no other colours

float width_of(const Canvas& canvas, std::size_t squares, const std::string& text) {
  return canvas.px(kLegendSquare + 1) * static_cast<float>(squares) + canvas.px(kLegendGap + 1) +
         canvas.width_of(text, canvas.muted());
}

/// `squares`: the room that is left for them.
void draw_shade(Canvas& canvas, Rect line, const LegendShade& shade, std::size_t squares,
                const std::string& text) {
  const float square = canvas.px(kLegendSquare),
              words =
                  line.x + canvas.px(kLegendSquare + 1) * static_cast<float>(squares) + canvas.px(kLegendGap);
  for (const Colour colour : shade.colours) {
    const Rect box{line.x, line.y + (line.height - square) / 2, square, square};
    canvas.fill(box, colour);
    if (shade.frame) canvas.outline(box, *shade.frame);
    static_cast<void>(cut_left(line, square + canvas.px(1)));
  }
  static_cast<void>(cut_left(line, words - line.x));
  canvas.fitted(line, {text}, canvas.muted());
}

}  // namespace

void draw_tile_legend(Canvas& canvas, Rect corner, const std::vector<LegendShade>& shades) {
  std::size_t squares = 0;
  for (const LegendShade& shade : shades) squares = std::max(squares, shade.colours.size());
  if (corner.height < canvas.px(kTileLegendRow) * kFewestShades) return;
  const bool whole = std::ranges::all_of(shades, [&](const LegendShade& shade) {
    return width_of(canvas, squares, shade.text) <= corner.width;
  });
  for (const LegendShade& shade : shades) {
    const Rect line = cut_top(corner, canvas.px(kTileLegendRow));
    const std::string& text = whole ? shade.text : shade.short_text;
    if (line.height < canvas.px(kTileLegendRow) || width_of(canvas, squares, text) > line.width) return;
    draw_shade(canvas, line, shade, squares, text);
  }
}

void draw_tile_legend_row(Canvas& canvas, Rect row, const std::vector<LegendShade>& shades) {
  const float gap = canvas.px(16);
  float whole = 0;
  for (const LegendShade& shade : shades) whole += width_of(canvas, shade.colours.size(), shade.text) + gap;
  for (const LegendShade& shade : shades) {
    const std::string& text = whole - gap <= row.width ? shade.text : shade.short_text;
    const float width = width_of(canvas, shade.colours.size(), text);
    if (width > row.width) return;
    draw_shade(canvas, cut_left(row, width), shade, shade.colours.size(), text);
    static_cast<void>(cut_left(row, gap));
  }
}

}  // namespace warplens::picture
