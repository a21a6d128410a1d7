#include "app/session/arithmetic.h"
#include "app/session/session.h"

namespace warplens::app {

std::shared_ptr<const Loaded> make_loaded(Recording recording, analysis::ComputeCapability cc, std::filesystem::path path,
                                          const std::atomic<bool>* cancelled) {
  auto loaded = std::make_shared<Loaded>();
  loaded->recording = std::move(recording);
  loaded->cc = cc;
  static_cast<analysis::Results&>(*loaded) = analysis::results_of(loaded->recording, cc);
  loaded->arithmetic = arithmetic_of(loaded->recording, loaded->report);
  loaded->compiled = as_compiled(loaded->recording, cc, std::nullopt, cancelled, path.empty() ? kMaxInstructionsToFollow : kMaxInstructionsOfFile);
  loaded->occupancy = occupancy_subject(loaded->recording, cancelled);
  loaded->path = std::move(path);
  return loaded;
}

}  // namespace warplens::app
