// A view of what is loaded, with what has to be worked out for it alone. The window does that in the
// background; the command line and a page wait for it.
#pragma once

#include <memory>
#include <optional>

#include "app/session/loaded.h"
#include "app/session/selection.h"
#include "kernels/base/result.h"
#include "viz/views/view.h"

namespace warplens::app {

struct PreparedView {
  std::shared_ptr<const Loaded> loaded;  ///< The subject points into it
  viz::Subject subject;
  std::optional<Error> without_details;  ///< Why a view that needs them has none
};

/// The same recording, with the counts of the whole grid where the view is of them; blocking.
[[nodiscard]] Result<std::shared_ptr<const Loaded>> with_counts_for(const viz::View& view,
                                                                    std::shared_ptr<const Loaded> loaded);
/// What the view draws; blocking where it draws an element's history, or details of a block.
[[nodiscard]] Result<PreparedView> prepare_view(const viz::View& view, std::shared_ptr<const Loaded> loaded,
                                                const Selection& selection);

}  // namespace warplens::app
