#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/picture/coalescing.h"
#include "viz/picture/touched_elements.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

picture::Picture make_coalescing(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_coalescing(subject.moment, subject.highlight, size, style, subject.moment_beside(),
                                  subject.counted_global);
}

/// One row a lane.
std::string table_of_coalescing(const Subject& subject) {
  const picture::Moment& moment = subject.moment;
  std::string table = "lane,active,address,bytes,sector,line,place\n";
  const auto event = moment.nearest({Space::global, Space::local});
  if (!event) return table;
  const analysis::WarpAccess access = moment.access(*event);
  const analysis::WarpAccess lies =
      analysis::where_it_lies(access).front();  // Of local memory: its first word
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(lane)],
                        at = lies.address[static_cast<std::size_t>(lane)];
    if ((access.mask >> lane & 1u) == 0) {
      table += fmt::format("{},0,,,,,\n", lane);
    } else {
      table += fmt::format("{},1,0x{:x},{},0x{:x},0x{:x},{}\n", lane, address, access.bytes, at / 32 * 32,
                           at / 128 * 128, cell(picture::place_name(*moment.recording, address)));
    }
  }
  return table;
}

picture::Picture make_coalescing_covered(const Subject& subject, picture::Size size,
                                         const picture::Style& style) {
  return picture::make_touched_elements(subject.moment, subject.highlight, size, style);
}

const RegisterView kCoalescing{
    {.id = "coalescing",
     .title = marked("Coalescing"),
     .shows =
         marked("One access to global memory: which bytes the 32 lanes touch, and what is fetched for them"),
     .place = Place::middle_bottom,
     .rank = 20,
     .draws_access =
         [](const picture::Moment& moment) { return moment.nearest({Space::global, Space::local}); },
     .make = make_coalescing,
     .make_covered = make_coalescing_covered,
     .table = table_of_coalescing}};

}  // namespace
}  // namespace warplens::viz
