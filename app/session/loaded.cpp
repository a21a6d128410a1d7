#include "app/session/loaded.h"

#include <algorithm>
#include <utility>

#include "app/session/arithmetic.h"

namespace warplens::app {
namespace {

/// Of shared memory, as compiled.
void count_passes(Loaded& loaded) {
  if (!loaded.arithmetic.counted || !loaded.compiled.has_counts()) return;
  loaded.arithmetic.counted->shared = analysis::shared_passes(loaded.compiled.report);
  loaded.arithmetic.counted->shared.architecture = loaded.compiled.architecture;
}

std::shared_ptr<Loaded> judged(std::shared_ptr<const Recording> recording, std::shared_ptr<const analysis::Facts> facts,
                               analysis::OccupancySubject occupancy, analysis::ComputeCapability cc, std::filesystem::path path,
                               const std::atomic<bool>* cancelled, MachineCode effort) {
  auto loaded = std::make_shared<Loaded>();
  static_cast<analysis::Results&>(*loaded) = analysis::results_of(*recording, std::move(facts), cc);
  loaded->occupancy = std::move(occupancy);
  loaded->arithmetic = arithmetic_of(*recording, loaded->report);
  loaded->compiled = as_compiled(*recording, cc, std::nullopt, cancelled, path.empty() ? kMaxInstructionsToFollow : kMaxInstructionsOfFile, effort);
  count_passes(*loaded);
  loaded->recording = std::move(recording);
  loaded->cc = cc;
  loaded->path = std::move(path);
  return loaded;
}

/// `facts`: null if they are not known yet.
std::shared_ptr<const Loaded> loaded_with(std::shared_ptr<const Recording> recording, std::shared_ptr<const analysis::Facts> facts,
                                          analysis::ComputeCapability cc, std::filesystem::path path, const std::atomic<bool>* cancelled,
                                          MachineCode effort) {
  if (!facts) facts = std::make_shared<const analysis::Facts>(analysis::facts_of(*recording));
  analysis::OccupancySubject occupancy = occupancy_subject(*recording, cc, effort, cancelled);
  return judged(std::move(recording), std::move(facts), std::move(occupancy), cc, std::move(path), cancelled, effort);
}

}  // namespace

Result<std::shared_ptr<const Loaded>> record_loaded(const LaunchRequest& request, replay::Progress* progress, MachineCode effort) {
  const std::atomic<bool>* const cancelled = progress == nullptr ? nullptr : &progress->cancel;
  std::shared_ptr<const analysis::Facts> facts;
  const auto find_facts = [&](const Recording& recording) { facts = std::make_shared<const analysis::Facts>(analysis::facts_of(recording)); };
  Result<Recording> recording = record(request, progress, nullptr, find_facts);
  if (!recording.ok()) return recording.error();
  return loaded_with(std::make_shared<const Recording>(*std::move(recording)), std::move(facts), request.cc, {}, cancelled, effort);
}

std::shared_ptr<const Loaded> make_loaded(Recording recording, analysis::ComputeCapability cc, std::filesystem::path path,
                                          const std::atomic<bool>* cancelled, MachineCode effort) {
  return loaded_with(std::make_shared<const Recording>(std::move(recording)), nullptr, cc, std::move(path), cancelled, effort);
}

bool left_for_later(const Loaded& loaded) {
  const auto& compiled = loaded.occupancy.compiled;
  return loaded.compiled.left_for_later || std::ranges::any_of(compiled, [](const analysis::CompiledResources& resources) {
           return std::ranges::any_of(resources.variants, &analysis::CompiledVariant::follow_later);
         });
}

std::shared_ptr<const Loaded> with_machine_code_of(std::shared_ptr<const Loaded> loaded, const Loaded& same_launch) {
  const bool of_grid = loaded->recording->blocks_counted == loaded->recording->blocks_total;
  if (!of_grid || !left_for_later(*loaded) || left_for_later(same_launch) || loaded->cc != same_launch.cc) return loaded;
  auto with = std::make_shared<Loaded>(*loaded);
  with->compiled = same_launch.compiled;
  with->occupancy = same_launch.occupancy;
  count_passes(*with);
  return with;
}

std::shared_ptr<const Loaded> judged_by(const Loaded& loaded, analysis::ComputeCapability cc, const std::atomic<bool>* cancelled,
                                        MachineCode effort) {
  const bool keeps_occupancy = loaded.recording->origin != Origin::file && !(effort == MachineCode::made && left_for_later(loaded));
  auto again =
      judged(loaded.recording, loaded.facts, keeps_occupancy ? loaded.occupancy : occupancy_subject(*loaded.recording, cc, effort, cancelled), cc,
             loaded.path, cancelled, effort);
  again->grid_counts = loaded.grid_counts;
  again->hardware = loaded.hardware;
  return again;
}

}  // namespace warplens::app
