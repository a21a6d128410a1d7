#pragma once

#include <cstddef>
#include <vector>

#include "viz/export/raster.h"

namespace warplens::test {

/// Reads PNG bytes back with stb_image; an empty image if they are none.
[[nodiscard]] viz::Image decode_png(const std::vector<std::byte>& bytes);

}  // namespace warplens::test
