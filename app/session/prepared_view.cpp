#include "app/session/prepared_view.h"

#include <utility>

#include "app/session/grid_counts.h"
#include "app/session/subject.h"
#include "app/session/warp_matrices.h"

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
  PreparedView prepared{.loaded = loaded, .subject = subject_of(*loaded, selection), .without_registers = {}};
  if (!view.of_registers) return prepared;
  const Result<std::shared_ptr<const WarpMatrices>> matrices = warp_matrices(*loaded, selection);
  if (matrices.ok()) {
    prepared.subject.matrices = *matrices;
  } else {
    prepared.without_registers = matrices.error();
  }
  return prepared;
}

}  // namespace warplens::app
