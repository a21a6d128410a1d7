#include "app/views/view.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace warplens::app {
namespace {

std::vector<ViewInfo>& registry() {
  static std::vector<ViewInfo> views;
  return views;
}

}  // namespace

picture::Moment Frame::moment() const {
  return {.recording = &recording(),
          .cc = loaded().cc,
          .event_block = selection.event_block,
          .warp = selection.warp,
          .phase = selection.phase,
          .step = selection.step};
}

picture::Highlight Frame::highlight() const {
  picture::Highlight highlight;
  highlight.lane = hovered.lane ? hovered.lane : selection.lane;
  highlight.shared_word = hovered.shared_word ? hovered.shared_word : selection.shared_word;
  highlight.line = hovered.line;
  const auto& element = hovered.element ? hovered.element : selection.element;
  if (element) highlight.element = {.buffer = element->buffer, .row = element->row, .column = element->column};
  return highlight;
}

const std::vector<ViewInfo>& views() {
  return registry();
}

RegisterView::RegisterView(ViewInfo info) {
  auto& views = registry();
  if (std::ranges::any_of(views, [&](const ViewInfo& other) { return other.name == info.name; })) {
    std::fprintf(stderr, "two views are called %s\n", std::string(info.name).c_str());
    std::abort();
  }
  const auto after = std::ranges::upper_bound(views, info.rank, {}, &ViewInfo::rank);
  views.insert(after, info);
}

}  // namespace warplens::app
