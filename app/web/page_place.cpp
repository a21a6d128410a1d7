#include <algorithm>

#include "app/session/navigation.h"
#include "app/session/place.h"
#include "app/session/subject.h"
#include "app/web/page_state.h"
#include "viz/picture/moment.h"

namespace warplens::app::web {
namespace {

/// Moves by what the request says of one of the selection's indices.
Selection moved(const Loaded& loaded, const Selection& selection, const std::string& what, std::int64_t by) {
  const Recording& recording = *loaded.recording;
  if (what == "step") return moved_by_steps(recording, selection, by);
  if (what == "phase") return moved_by_phases(recording, selection, by);
  if (what == "warp") return moved_by_warps(recording, selection, by);
  if (what == "block") return moved_by_blocks(recording, selection, by);
  return moved_by_costs(loaded, selection, by > 0 ? 1 : -1);
}

Selection set_to(const Recording& recording, Selection selection, const Json& to) {
  for (const auto& [name, index] :
       {std::pair{"block", &selection.event_block}, std::pair{"warp", &selection.warp},
        std::pair{"phase", &selection.phase}, std::pair{"step", &selection.step}}) {
    if (const auto found = to.find(name); found != to.end()) *index = found->get<std::uint32_t>();
  }
  selection.line = 0;
  return clamped(recording, selection);
}

}  // namespace

Answer answer_place(PageState& state, const Json& request) {
  if (!state.loaded) return nothing_open();
  const Recording& recording = *state.loaded->recording;
  if (const auto select = request.find("select"); select != request.end()) {
    const Result<Place> place = parse_place(select->get<std::string>());
    if (!place.ok()) return place.error();
    const Result<Selection> selection = selection_at(recording, *place);
    if (!selection.ok()) return selection.error();
    state.selection = clamped(recording, *selection);
  }
  if (const auto move = request.find("move"); move != request.end())
    state.selection = moved(*state.loaded, state.selection, move->get<std::string>(), request.value("by", 1));
  if (const auto to = request.find("to"); to != request.end())
    state.selection = set_to(recording, state.selection, *to);
  return Json{{"place", json_of_place(*state.loaded, state.selection)}};
}

Json json_of_place(const Loaded& loaded, const Selection& selection) {
  const Recording& recording = *loaded.recording;
  const Selection at = clamped(recording, selection);
  const picture::Moment moment = moment_of(loaded, at);
  const std::optional<std::size_t> event = current_event(recording, at);
  return {{"select", option_of(place_of(recording, at))},
          {"block", at.event_block},
          {"warp", at.warp},
          {"phase", at.phase},
          {"step", at.step},
          {"warps", recording.warps_per_block()},
          {"phases", recording.phases.size()},
          {"steps", recording.event_blocks.empty() ? 0 : moment.steps().size()},
          {"name", event ? picture::moment_name(moment, *event) : ""},
          {"sentence", event ? picture::access_sentence(moment, *event) : ""}};
}

}  // namespace warplens::app::web
