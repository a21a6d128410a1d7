#include "app/session/subject.h"

#include "app/session/hardware_figures.h"

namespace warplens::app {

picture::Moment moment_of(const Loaded& loaded, const Selection& selection) {
  return {.recording = loaded.recording.get(),
          .cc = loaded.cc,
          .event_block = selection.event_block,
          .warp = selection.warp,
          .phase = selection.phase,
          .step = selection.step};
}

viz::Subject subject_of(const Loaded& loaded, const Selection& selection, const Hover& hovered) {
  viz::Subject subject{.moment = moment_of(loaded, selection), .results = &loaded, .site = selection.site};
  picture::Highlight& highlight = subject.highlight;
  highlight.lane = hovered.lane ? hovered.lane : selection.lane;
  highlight.shared_word = hovered.shared_word ? hovered.shared_word : selection.shared_word;
  highlight.line = hovered.line;
  const auto& element = hovered.element ? hovered.element : selection.element;
  if (element) highlight.element = {.buffer = element->buffer, .row = element->row, .column = element->column};
  if (loaded.hardware) {
    if (const auto event = subject.moment.nearest({Space::shared})) subject.counted_shared = counted_beside(loaded, *event);
    if (const auto event = subject.moment.nearest({Space::global, Space::local})) subject.counted_global = counted_beside(loaded, *event);
  }
  return subject;
}

}  // namespace warplens::app
