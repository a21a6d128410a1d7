#include "viz/picture/divergence.h"

#include "app/views/picture_view.h"

namespace warplens::app {
namespace {

picture::Picture make(const Frame& frame, picture::Size size, const picture::Style& style) {
  return picture::make_divergence(frame.moment(), frame.loaded().divergence, frame.selection.site, frame.highlight(), size, style);
}

const RegisterView kDivergence{{.name = "Divergence",
                                .shows = "How many lanes of a warp take part in each access, phase by phase, and where warps diverge",
                                .place = Place::right_top,
                                .rank = 50,
                                .make = picture_panel<make>}};

}  // namespace
}  // namespace warplens::app
