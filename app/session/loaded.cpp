#include "app/session/loaded.h"

#include <utility>

#include "app/session/arithmetic.h"

namespace warplens::app {
namespace {

std::shared_ptr<const Loaded> judged(std::shared_ptr<const Recording> recording, std::shared_ptr<const analysis::Facts> facts,
                                     analysis::ComputeCapability cc, std::filesystem::path path, const std::atomic<bool>* cancelled) {
  auto loaded = std::make_shared<Loaded>();
  static_cast<analysis::Results&>(*loaded) = analysis::results_of(*recording, std::move(facts), cc);
  loaded->arithmetic = arithmetic_of(*recording, loaded->report);
  loaded->compiled = as_compiled(*recording, cc, std::nullopt, cancelled, path.empty() ? kMaxInstructionsToFollow : kMaxInstructionsOfFile);
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
                                          const std::atomic<bool>* cancelled) {
  auto shared = std::make_shared<const Recording>(std::move(recording));
  analysis::Facts facts = analysis::facts_of(*shared);
  facts.occupancy = occupancy_subject(*shared, cancelled);
  return judged(std::move(shared), std::make_shared<const analysis::Facts>(std::move(facts)), cc, std::move(path), cancelled);
}

std::shared_ptr<const Loaded> judged_by(const Loaded& loaded, analysis::ComputeCapability cc, const std::atomic<bool>* cancelled) {
  return judged(loaded.recording, loaded.facts, cc, loaded.path, cancelled);
}

}  // namespace warplens::app
