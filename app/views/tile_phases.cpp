#include "viz/picture/tile_phases.h"

#include "app/views/picture_view.h"

namespace warplens::app {
namespace {

picture::Picture make(const Frame& frame, picture::Size size, const picture::Style& style) {
  return picture::make_tile_phases(frame.moment(), frame.loaded().phase_kinds, frame.highlight(), size, style);
}

const RegisterView kTilePhases{{.name = "Tile phases",
                                .shows = "A, B and C with the block's tiles, and what shared memory holds: filled, read, now",
                                .place = Place::middle_top,
                                .rank = 10,
                                .make = picture_panel<make>}};

}  // namespace
}  // namespace warplens::app
