#include "viz/picture/coalescing.h"

#include "app/views/picture_view.h"

namespace warplens::app {
namespace {

picture::Picture make(const Frame& frame, picture::Size size, const picture::Style& style) {
  return picture::make_coalescing(frame.moment(), frame.highlight(), size, style);
}

const RegisterView kCoalescing{{.name = "Coalescing",
                                .shows = "One access to global memory: which bytes the 32 lanes touch, and what is fetched for them",
                                .place = Place::middle_bottom,
                                .rank = 20,
                                .make = picture_panel<make>}};

}  // namespace
}  // namespace warplens::app
