#include "viz/picture/banks.h"

#include "app/views/picture_view.h"

namespace warplens::app {
namespace {

picture::Picture make(const Frame& frame, picture::Size size, const picture::Style& style) {
  return picture::make_banks(frame.moment(), frame.highlight(), size, style);
}

const RegisterView kBanks{{.name = "Banks",
                           .shows = "One access to shared memory, wavefront by wavefront: which lane is served when, by which bank",
                           .place = Place::right_top,
                           .rank = 30,
                           .make = picture_panel<make>}};

}  // namespace
}  // namespace warplens::app
