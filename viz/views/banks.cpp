#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/picture/banks.h"
#include "viz/picture/comparison/bank_difference.h"
#include "viz/picture/touched_elements.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

picture::Picture make_banks(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_banks(subject.moment, subject.highlight, size, style, subject.moment_beside(),
                             subject.counted_shared);
}

picture::Picture make_difference(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_bank_difference(subject.beside->moment, subject.moment, subject.beside->by_step, size,
                                       style);
}

picture::Picture make_touched(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_touched_elements(subject.moment, subject.highlight, size, style);
}

/// One row a lane served in a wavefront.
std::string table_of_banks(const Subject& subject) {
  const picture::Moment& moment = subject.moment;
  std::string table = "wavefront,bank,lane,word,words,broadcast,address\n";
  const auto event = moment.nearest({Space::shared});
  if (!event) return table;
  const analysis::Unfolding unfolding = analysis::unfold(moment.access(*event), moment.cc);
  for (std::size_t wavefront = 0; wavefront < unfolding.wavefronts.size(); ++wavefront) {
    for (const analysis::LaneService& lane : unfolding.wavefronts[wavefront]) {
      table +=
          fmt::format("{},{},{},{},{},{},{}\n", wavefront, lane.bank, lane.lane, lane.word, lane.words,
                      lane.broadcast ? 1 : 0, picture::shared_address_name(*moment.recording, lane.word * 4));
    }
  }
  return table;
}

const RegisterView kBanks{
    {.id = "banks",
     .title = marked("Banks"),
     .shows = marked(
         "One access to shared memory, wavefront by wavefront: which lane is served when, by which bank"),
     .place = Place::right_top,
     .rank = 30,
     .presented_first = true,
     .draws_access = [](const picture::Moment& moment) { return moment.nearest({Space::shared}); },
     .make = make_banks,
     .make_covered = make_touched,
     .difference = make_difference,
     .table = table_of_banks}};

}  // namespace
}  // namespace warplens::viz
