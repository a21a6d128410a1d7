#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/picture/history_words.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

/// One row a request that touches the chosen element or word of shared memory; none if none is chosen.
std::string table(const Subject& subject) {
  const Recording& recording = subject.recording();
  const picture::Word word{
      .element = subject.highlight.element, .shared_word = subject.highlight.shared_word, .event_block = subject.moment.event_block};
  std::string table = "word,block_x,block_y,block_z,warp,phase,line,space,op,lanes\n";
  if (!picture::is_in(recording, word)) return table;
  const std::string name = cell(picture::name_of_word(recording, word));
  const EventColumns& events = recording.events;
  for (const analysis::WordTouch& touch : picture::history_of(recording, word).touches) {
    const Site& site = recording.sites[events.site[touch.event]];
    const Dim3 block = recording.event_blocks[events.block[touch.event]];
    table += fmt::format("{},{},{},{},{},{},{},{},{},0x{:08x}\n", name, block.x, block.y, block.z, events.warp[touch.event],
                         events.phase[touch.event], site.line, name_of(site.space), name_of(site.op), touch.lanes);
  }
  return table;
}

const RegisterView kHistory{{.id = "history",
                             .title = marked("History"),
                             .shows = marked("Who touched the chosen element or word of shared memory: every request, in the order of time"),
                             .place = Place::middle_bottom,
                             .rank = 45,
                             .table = table}};

}  // namespace
}  // namespace warplens::viz
