#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "viz/canvas/picture.h"

namespace warplens::viz {

/// Text as SVG and HTML take it: `&`, `<`, `>` and quotes as references.
[[nodiscard]] std::string as_markup(std::string_view text);

/// A standalone SVG 1.1 document. Text stays text, in the families Inter and JetBrains Mono where the viewer
/// has them, stretched to the measured width where it has not; big heat maps become embedded images.
[[nodiscard]] std::string to_svg(const picture::Picture& picture, picture::Colour background);

/// What the document has of each item, in their order; several elements or none for some. Colours are written
/// as #rrggbb, and nothing else is.
[[nodiscard]] std::vector<std::string> svg_elements(const picture::Picture& picture);

}  // namespace warplens::viz
