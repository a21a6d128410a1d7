// A picture as pixels, drawn in software: the same fonts and the same shapes as in the window, without
// needing one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/base/result.h"
#include "viz/canvas/picture.h"

namespace warplens::viz {

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;  ///< Row by row from the top, 4 bytes a pixel, alpha not multiplied in
};

/// Draws the picture, one pixel a unit, over an opaque background.
[[nodiscard]] Image rasterise(const picture::Picture& picture, picture::Colour background);

/// The bytes of a PNG file.
[[nodiscard]] std::vector<std::byte> to_png(const Image& image);

}  // namespace warplens::viz
