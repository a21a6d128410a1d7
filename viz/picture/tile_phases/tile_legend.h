// What the colours of Tile phases stand for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viz/canvas/canvas.h"

namespace warplens::picture {

/// A shade of the picture: of one buffer or more, or the lanes' colours.
struct LegendShade {
  std::vector<Colour> colours;
  std::string text, short_text;
  std::optional<Colour> frame;
};

/// What every colour stands for: those of the buffers that are read, and of those that are written.
[[nodiscard]] std::vector<LegendShade> legend_shades(const Palette& palette,
                                                     const std::vector<std::uint32_t>& read,
                                                     const std::vector<std::uint32_t>& written);

inline constexpr float kTileLegendRow = 17, kLegendSquare = 9, kLegendGap = 6;

/// One below the other, as many as there is room for.
void draw_tile_legend(Canvas& canvas, Rect corner, const std::vector<LegendShade>& shades);

/// Draws the legend in a row, as many shades as there is room for.
void draw_tile_legend_row(Canvas& canvas, Rect row, const std::vector<LegendShade>& shades);

}  // namespace warplens::picture
