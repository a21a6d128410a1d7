#include "app/session/loaded.h"

#include <utility>

#include "app/session/arithmetic.h"

namespace warplens::app {
namespace {

std::shared_ptr<Loaded> judged(std::shared_ptr<const Recording> recording, std::shared_ptr<const analysis::Facts> facts,
                               analysis::OccupancySubject occupancy, analysis::ComputeCapability cc, std::filesystem::path path,
                               const std::atomic<bool>* cancelled, MachineCode effort) {
  auto loaded = std::make_shared<Loaded>();
  static_cast<analysis::Results&>(*loaded) = analysis::results_of(*recording, std::move(facts), cc);
  loaded->occupancy = std::move(occupancy);
  loaded->arithmetic = arithmetic_of(*recording, loaded->report);
  loaded->compiled = as_compiled(*recording, cc, std::nullopt, cancelled, path.empty() ? kMaxInstructionsToFollow : kMaxInstructionsOfFile, effort);
  if (loaded->arithmetic.counted && loaded->compiled.has_counts()) {
    loaded->arithmetic.counted->shared = analysis::shared_passes(loaded->compiled.report);
    loaded->arithmetic.counted->shared.architecture = loaded->compiled.architecture;
  }
  loaded->recording = std::move(recording);
  loaded->cc = cc;
  loaded->path = std::move(path);
  return loaded;
}

}  // namespace

std::shared_ptr<const Loaded> make_loaded(Recording recording, analysis::ComputeCapability cc, std::filesystem::path path,
                                          const std::atomic<bool>* cancelled, MachineCode effort) {
  auto shared = std::make_shared<const Recording>(std::move(recording));
  auto facts = std::make_shared<const analysis::Facts>(analysis::facts_of(*shared));
  analysis::OccupancySubject occupancy = occupancy_subject(*shared, cc, effort, cancelled);
  return judged(std::move(shared), std::move(facts), std::move(occupancy), cc, std::move(path), cancelled, effort);
}

std::shared_ptr<const Loaded> judged_by(const Loaded& loaded, analysis::ComputeCapability cc, const std::atomic<bool>* cancelled,
                                        MachineCode effort) {
  const bool of_file = loaded.recording->origin == Origin::file;
  auto again = judged(loaded.recording, loaded.facts, of_file ? occupancy_subject(*loaded.recording, cc, effort, cancelled) : loaded.occupancy, cc,
                      loaded.path, cancelled, effort);
  again->grid_counts = loaded.grid_counts;
  again->hardware = loaded.hardware;
  return again;
}

}  // namespace warplens::app
