// What a view draws of what is loaded and selected: the one way there, for the window and for `export`.
#pragma once

#include "app/session/loaded.h"
#include "app/session/selection.h"
#include "viz/views/view.h"

namespace warplens::app {

[[nodiscard]] picture::Moment moment_of(const Loaded& loaded, const Selection& selection);
/// What is hovered is lit; where nothing is, what is selected. `loaded` must outlive the subject.
[[nodiscard]] viz::Subject subject_of(const Loaded& loaded, const Selection& selection,
                                      const Hover& hovered = {});

}  // namespace warplens::app
