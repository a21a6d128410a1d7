#include "app/session/subject.h"

namespace warplens::app {

viz::Subject subject_of(const Loaded& loaded, const Selection& selection, const Hover& hovered) {
  viz::Subject subject{.moment = {.recording = loaded.recording.get(),
                                  .cc = loaded.cc,
                                  .event_block = selection.event_block,
                                  .warp = selection.warp,
                                  .phase = selection.phase,
                                  .step = selection.step},
                       .results = &loaded,
                       .site = selection.site};
  picture::Highlight& highlight = subject.highlight;
  highlight.lane = hovered.lane ? hovered.lane : selection.lane;
  highlight.shared_word = hovered.shared_word ? hovered.shared_word : selection.shared_word;
  highlight.line = hovered.line;
  const auto& element = hovered.element ? hovered.element : selection.element;
  if (element) highlight.element = {.buffer = element->buffer, .row = element->row, .column = element->column};
  return subject;
}

}  // namespace warplens::app
