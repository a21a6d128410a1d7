// How differences between two launches, A and B, are said and coloured: the same in every view.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viz/canvas/canvas.h"

namespace warplens::picture {

/// "-94 %", "9 times A", "+0.05 %": never all or nothing where that is rounded. `a` is not 0.
[[nodiscard]] std::string ratio_in_words(double a, double b);
/// B against A: "=", "-122,880 (-94 %)", "+8 (9 times A)"; "+7" where A has none.
[[nodiscard]] std::string change_in_words(std::uint64_t a, std::uint64_t b);
/// With the sign that stands for less in print.
[[nodiscard]] std::string with_minus(const std::string& text);
/// "+15", "−15", "0", with the sign of print.
[[nodiscard]] std::string difference_in_figures(std::int64_t difference);

/// Returns the colours of B - A: towards blue, A's colour, where A has more, towards amber, B's, where B has
/// more; grey between them, where both have as much. Blue and amber are told apart by the colour-blind, too.
[[nodiscard]] std::vector<Colour> difference_table(const Palette& palette);
/// The place in that table of a difference of at most `most`, from 0 to 1. The smallest difference is not
/// grey.
[[nodiscard]] float difference_value(std::int64_t difference, std::uint64_t max);
/// "15 more in launch A [bar] 15 more in launch B" against the right end of `box`; its width, 0 where there
/// is no room.
float draw_difference_key(Canvas& canvas, Rect box, std::uint64_t max);

}  // namespace warplens::picture
