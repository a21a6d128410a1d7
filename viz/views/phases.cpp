#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/picture/phase_strip.h"
#include "viz/picture/tile_phases/tile_phases.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

picture::Picture make_phases(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_tile_phases(subject.moment, subject.results->facts->phase_kinds, subject.highlight,
                                   size, style, subject.beside ? subject.beside->moment.recording : nullptr,
                                   subject.results->facts->follower.get());
}

/// The scrubber.
picture::Picture make_strip(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_phase_strip(subject.moment, subject.results->facts->phase_kinds, size, style);
}

/// One row a phase; `steps` are those of the selected warp.
std::string table_of_phases(const Subject& subject) {
  const Recording& recording = subject.recording();
  std::string table =
      "phase,kind,requests,global_loads,global_stores,shared_loads,shared_stores,other,steps\n";
  picture::Moment moment = subject.moment;
  for (std::size_t phase = 0; phase < recording.phases.size(); ++phase) {
    const PhaseTotals& totals = recording.phases[phase];
    moment.phase = static_cast<decltype(moment.phase)>(phase);
    table += fmt::format("{},{},{},{},{},{},{},{},{}\n", phase,
                         analysis::name_of(subject.results->facts->phase_kinds[phase]), totals.requests(),
                         totals.global_loads, totals.global_stores, totals.shared_loads, totals.shared_stores,
                         totals.other, moment.steps().size());
  }
  return table;
}

const RegisterView kPhases{
    {.id = "phases",
     .title = marked("Tile phases"),
     .shows = marked("A, B and C with the block's tiles, and what shared memory holds: filled, read, now"),
     .place = Place::middle_top,
     .rank = 10,
     .make = make_phases,
     .table = table_of_phases}};
const RegisterView kScrubber{{.id = "scrubber",
                              .title = marked("Phases"),
                              .shows = marked("The phases of a block, as wide as they have requests"),
                              .rank = 70,
                              .make = make_strip,
                              .table = table_of_phases}};

}  // namespace
}  // namespace warplens::viz
