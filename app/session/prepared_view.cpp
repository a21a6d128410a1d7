#include "app/session/prepared_view.h"

#include <utility>

#include "app/session/block_details.h"
#include "app/session/grid_counts.h"
#include "app/session/subject.h"

namespace warplens::app {

Result<std::shared_ptr<const Loaded>> with_counts_for(const viz::View& view,
                                                      std::shared_ptr<const Loaded> loaded) {
  if (!view.of_grid || !loaded->path.empty()) return loaded;
  return with_grid_counts(std::move(loaded));
}

Result<PreparedView> prepare_view(const viz::View& view, std::shared_ptr<const Loaded> loaded,
                                  const Selection& selection) {
  if (view.id == "history") {
    Result<std::shared_ptr<const Loaded>> with = with_chosen_history(std::move(loaded), selection);
    if (!with.ok()) return with.error();
    loaded = *std::move(with);
  }
  PreparedView prepared{.loaded = loaded, .subject = subject_of(*loaded, selection), .without_details = {}};
  if (view.needs_details == nullptr || !view.needs_details(*loaded->recording, *loaded->facts))
    return prepared;
  const Result<std::shared_ptr<const BlockDetails>> details =
      block_details(*loaded, selection, view.of_cluster ? DetailsOf::cluster : DetailsOf::block);
  if (details.ok()) {
    prepared.subject.details = *details;
  } else {
    prepared.without_details = details.error();
  }
  return prepared;
}

}  // namespace warplens::app
