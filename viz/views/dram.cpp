#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/analysis/bursts.h"
#include "viz/picture/dram_bursts.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

picture::Picture make_dram(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_dram_bursts(subject.moment, size, style, subject.moment_beside());
}

/// One row a burst that the access opens.
std::string table_of_dram(const Subject& subject) {
  std::string table = "burst,used_bytes,lanes,place\n";
  const auto event = subject.moment.nearest({Space::global});
  if (!event) return table;
  for (const analysis::Burst& burst : analysis::bursts_of(subject.moment.access(*event))) {
    table += fmt::format("0x{:x},{},0x{:08x},{}\n", burst.address, burst.used_bytes(), burst.lanes,
                         cell(picture::place_name(subject.recording(), burst.address)));
  }
  return table;
}

const RegisterView kDram{
    {.id = "dram",
     .title = marked("DRAM bursts"),
     .shows =
         marked("A matrix as DRAM holds it, and which bursts one access opens; beside it the corner turned"),
     .place = Place::middle_bottom,
     .rank = 22,
     .draws_access = [](const picture::Moment& moment) { return moment.nearest({Space::global}); },
     .make = make_dram,
     .table = table_of_dram}};

}  // namespace
}  // namespace warplens::viz
