#pragma once

#include <string>

#include "viz/picture/picture.h"

namespace warplens::viz {

/// A standalone SVG 1.1 document. Text stays text, in the families Inter and JetBrains Mono where the viewer has them, stretched to the measured
/// width where it has not; big heat maps become embedded images.
[[nodiscard]] std::string to_svg(const picture::Picture& picture, picture::Colour background);

}  // namespace warplens::viz
