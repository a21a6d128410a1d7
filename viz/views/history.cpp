#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/picture/history_words.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

/// One row a request that touches the chosen element or word of shared memory; none if none is chosen. The
/// last columns: how many blocks were looked through for them, and how many there are.
std::string table_of_history(const Subject& subject) {
  const Recording& recording = subject.recording();
  const picture::Word word{.element = subject.highlight.element,
                           .shared_word = subject.highlight.shared_word,
                           .event_block = subject.moment.event_block};
  std::string table = "word,block_x,block_y,block_z,warp,phase,line,space,op,lanes,of_blocks,blocks\n";
  if (!picture::is_in(recording, word)) return table;
  const std::string name = cell(picture::name_of_word(recording, word));
  const analysis::WordHistory history = picture::history_of(recording, *subject.results, word);
  for (const analysis::WordTouch& touch : history.touches) {
    const Site& site = recording.sites[touch.site];
    table += fmt::format("{},{},{},{},{},{},{},{},{},0x{:08x},{},{}\n", name, touch.block.x, touch.block.y,
                         touch.block.z, touch.warp, touch.phase, site.line, name_of(site.space),
                         name_of(site.op), touch.lanes, history.of_blocks, recording.blocks_total);
  }
  return table;
}

const RegisterView kHistory{
    {.id = "history",
     .title = marked("History"),
     .shows = marked("Every request to the selected element or word of shared memory, in order"),
     .place = Place::middle_bottom,
     .rank = 45,
     .of_grid = true,
     .table = table_of_history}};

}  // namespace
}  // namespace warplens::viz
