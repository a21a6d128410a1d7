// What of the recordings is on screen, and what is worked out of it besides.
#include <algorithm>
#include <utility>

#include "app/session/navigation.h"
#include "app/shell/controllers/editing_controller.h"
#include "app/shell/controllers/recording_controller.h"

namespace warplens::app {
namespace {

/// The view that is in front in the layout of a first start.
const viz::View& first_of_place(viz::Place place) {
  return *std::ranges::find(viz::views(), place, &viz::View::place);
}

}  // namespace

void RecordingController::show(std::shared_ptr<const Loaded> loaded, LaunchMenus menus) {
  const Shown before = held_.current();
  const bool walked =
      before.loaded && before.loaded->path == loaded->path && same_but_drawn(before.menus, menus);
  if (walked) loaded = with_machine_code_of(std::move(loaded), *before.loaded);
  // Who edits a kernel wants to see what becomes of the same place.
  const bool goes_to_finding = before.selection.finding && same_but_drawn(before.menus, menus);
  const bool goes_on = before.loaded && (editing_.source().on || walked || goes_to_finding ||
                                         comparable(*before.loaded->recording, *loaded->recording));
  Selection selection = goes_on
                            ? carried_over(*before.loaded->recording, before.selection, *loaded->recording)
                            : opening_selection(*loaded);
  if (const auto wanted = std::exchange(arriving_, std::nullopt); wanted && wanted->at) {
    if (const auto there = in_block(*loaded->recording, *wanted->at, wanted->block)) selection = *there;
  }
  held_.add({std::move(loaded), selection, std::move(menus)});
  show_anew();
}

void RecordingController::show_anew() {
  shell_.player.playing = false;
  front_findings();
  runs_seen_ = shell_.model.gpu.runs_made;
}

void RecordingController::go(void (Recordings::*where)()) {
  (held_.*where)();
  if (!loaded()) return;
  show_anew();
  shell_.menus = held_.current().menus;
  shell_.menus.launch.cc = loaded()->cc;
  seen_menus_ = shell_.menus;  // Edits are not asked about: what led here leads back to them
}

/// What is wrong with a kernel is what there is to see of it, and what it prints is often why one types; once
/// nothing is, or nothing does, the view that is usually there comes back.
void RecordingController::front_findings() {
  const Recording& recording = *loaded()->recording;
  for (const Panel& panel : shell_.panels.all()) {
    const viz::View& view = *panel.view;
    if (view.in_front == nullptr) continue;
    const viz::View& first = first_of_place(*view.place);
    const bool editor_stays = editing_.source().on && first.edits,  // It shows findings, and keeps the keys
        wanted = view.in_front(recording) && !editor_stays;
    if (wanted == in_front_.contains(view.id)) continue;
    if (wanted) {
      in_front_.insert(view.id);
    } else {
      in_front_.erase(view.id);
    }
    const std::string_view front = wanted ? view.id : first.id;
    if (first.edits) {
      shell_.panels.show(front);  // Keys go there
    } else {
      shell_.panels.bring_forward(front);  // What is typed elsewhere goes on
    }
  }
}

void RecordingController::cost_again() {
  if (!loaded() || background_.busy() || (loaded()->cc == shell_.menus.launch.cc && !words_changed_)) return;
  words_changed_ = false;
  background_.start(
      tr("Applying the memory rules of {capability}", "capability"_a = shell_.menus.launch.cc.name()),
      [this, loaded = loaded(),
       cc = shell_.menus.launch.cc](replay::Progress& progress) -> Background::Outcome {
        auto costed = with_rules(*loaded, cc, &progress.cancel, MachineCode::at_hand);
        return [this, costed = std::move(costed)]() mutable { held_.replace_current(std::move(costed)); };
      });
}

/// Counts the elements over all blocks, once somebody looks at those of a recording that has the events of
/// some. What cannot be counted is left as it is, and so are files: the view says of which blocks it is.
void RecordingController::count_elements() {
  counting_.poll();
  if (counting_.busy() && (!loaded() || counted_ != loaded()->recording)) counting_.cancel();
  if (SharedGridCounts so_far = counted_so_far_.exchange(nullptr); so_far && counting_.busy())
    show_counts(std::move(so_far));
  if (!loaded() || busy() || editing_.source().due() || counting_.busy() || has_counts(*loaded()) ||
      counted_ == loaded()->recording)
    return;
  const bool looked_at = std::ranges::any_of(
      shell_.panels.all(), [](const Panel& panel) { return panel.visible && panel.view->of_grid; });
  if (!looked_at || !loaded()->path.empty() || !lacks_events(*loaded()->recording)) return;
  counted_ = loaded()->recording;
  counted_so_far_.store(nullptr);
  counting_.start(tr("Counting the elements of all blocks"),
                  [this, recording = counted_](replay::Progress& progress) -> Background::Outcome {
                    auto counts = count_grid(*recording, &progress, [this](SharedGridCounts so_far) {
                      counted_so_far_ = std::move(so_far);
                      shell_.options.wake();
                    });
                    return [this, counts = std::move(counts)]() {
                      show_counts(counts.ok() ? *counts : nullptr);
                    };
                  });
}

/// Null: not even what was counted so far.
void RecordingController::show_counts(SharedGridCounts counts) {
  if (loaded() && loaded()->recording == counted_)
    held_.replace_current(with_counts(*loaded(), std::move(counts)));
}

}  // namespace warplens::app
