// What tests of pictures ask for again and again.
#pragma once

#include <algorithm>
#include <string_view>

#include "picture/sound.h"
#include "viz/analysis/device_models.h"
#include "viz/canvas/picture.h"

namespace warplens::picture {

inline constexpr analysis::ComputeCapability kHopper{9, 0};
inline const Style kStyle{&dark_palette(), 1};

/// Whether one of its texts has these words in it.
inline bool says(const Picture& picture, std::string_view words) {
  return std::ranges::any_of(texts_of(picture),
                             [&](const Text* text) { return text->text.find(words) != std::string::npos; });
}

}  // namespace warplens::picture
