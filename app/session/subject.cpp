#include "app/session/subject.h"

#include "app/session/hardware_figures.h"
#include "viz/analysis/found.h"

namespace warplens::app {

picture::Moment moment_of(const Loaded& loaded, const Selection& selection) {
  return {.recording = loaded.recording.get(),
          .cc = loaded.cc,
          .event_block = selection.event_block,
          .warp = selection.warp,
          .phase = selection.phase,
          .step = selection.step,
          .finding = selection.finding ? std::optional(selection.finding->index) : std::nullopt};
}

namespace {

/// Where nothing else is lit, the place of a race that the current access is in.
void light_race(viz::Subject& subject) {
  const Recording& recording = *subject.moment.recording;
  const auto event = recording.findings.empty() ? std::nullopt : subject.moment.event();
  if (!event) return;
  for (const analysis::Found& found : analysis::found_at(recording, *event)) {
    if (found.both.empty()) continue;
    const auto& other = recording.findings[found.finding].other;
    const std::uint64_t address = other ? other->address : found.both.front().begin;
    analysis::ElementPlace place;
    if (subject.moment.site_of(*event).space == Space::shared) {
      subject.highlight.shared_word = static_cast<std::uint32_t>(address / 4);
    } else if (analysis::locate(recording, address, place)) {
      subject.highlight.element = {.buffer = place.buffer, .row = place.row, .column = place.column};
    }
    return;
  }
}

}  // namespace

viz::Subject subject_of(const Loaded& loaded, const Selection& selection, const Hover& hovered) {
  viz::Subject subject{.moment = moment_of(loaded, selection), .results = &loaded, .site = selection.site};
  picture::Highlight& highlight = subject.highlight;
  highlight.lane = hovered.lane ? hovered.lane : selection.lane;
  highlight.shared_word = hovered.shared_word ? hovered.shared_word : selection.shared_word;
  highlight.line = hovered.line;
  const auto& element = hovered.element ? hovered.element : selection.element;
  if (element)
    highlight.element = {.buffer = element->buffer, .row = element->row, .column = element->column};
  const auto& in_registers = hovered.matrix_element ? hovered.matrix_element : selection.matrix_element;
  if (in_registers)
    highlight.matrix_element = {
        .matrix = in_registers->matrix, .row = in_registers->row, .column = in_registers->column};
  if (!highlight.element && !highlight.shared_word) light_race(subject);
  if (loaded.hardware) {
    if (const auto event = subject.moment.nearest({Space::shared}))
      subject.counted_shared = counted_beside(loaded, *event);
    if (const auto event = subject.moment.nearest({Space::global, Space::local}))
      subject.counted_global = counted_beside(loaded, *event);
  }
  return subject;
}

}  // namespace warplens::app
