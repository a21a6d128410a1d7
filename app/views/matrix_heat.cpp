#include "viz/picture/matrix_heat.h"

#include "app/views/picture_view.h"

namespace warplens::app {
namespace {

picture::Picture make(const Frame& frame, picture::Size size, const picture::Style& style) {
  return picture::make_matrix_heat(frame.recording(), frame.loaded().element_counts, frame.highlight(), size, style);
}

const RegisterView kMatrixHeat{{.name = "Matrix heat",
                                .shows = "How often each element of A, B and C is read and written; a click tells who touched it",
                                .place = Place::middle_top,
                                .rank = 40,
                                .make = picture_panel<make>}};

}  // namespace
}  // namespace warplens::app
