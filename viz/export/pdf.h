// Pictures as the pages of a PDF document.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "viz/canvas/picture.h"

namespace warplens::viz {

/// A4, the longer side across, in points of 1/72 inch.
inline constexpr picture::Size kA4Landscape{841.89f, 595.28f};

/// One page a picture, each scaled to the page, from its top left. Text stays text, in the fonts that it is
/// measured with, which the document brings along. `title` is the document's, in UTF-8. The error is what the
/// library that writes it says.
[[nodiscard]] Result<std::string> to_pdf(const std::vector<picture::Picture>& pages, picture::Size page,
                                         const std::string& title);

}  // namespace warplens::viz
