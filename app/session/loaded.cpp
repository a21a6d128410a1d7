#include "app/session/loaded.h"

#include <algorithm>
#include <functional>
#include <future>
#include <utility>

#include "app/session/arithmetic.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

/// Counts the passes of shared memory as compiled.
void count_passes(Loaded& loaded) {
  if (!loaded.arithmetic.counted || !loaded.compiled.has_counts()) return;
  loaded.arithmetic.counted->shared = analysis::shared_passes(loaded.compiled.report);
  loaded.arithmetic.counted->shared.architecture = loaded.compiled.architecture;
}

std::shared_ptr<Loaded> costed(std::shared_ptr<const Recording> recording,
                               std::shared_ptr<const analysis::Facts> facts,
                               analysis::OccupancySubject occupancy, analysis::ComputeCapability cc,
                               std::filesystem::path path, const std::atomic<bool>* cancelled,
                               MachineCode effort) {
  auto loaded = std::make_shared<Loaded>();
  static_cast<analysis::Results&>(*loaded) = analysis::results_of(*recording, std::move(facts), cc);
  loaded->occupancy = std::move(occupancy);
  loaded->arithmetic = arithmetic_of(*recording, loaded->report);
  loaded->compiled = as_compiled(*recording, cc, std::nullopt, cancelled,
                                 path.empty() ? kMaxInstructionsToFollow : kMaxInstructionsOfFile, effort);
  count_passes(*loaded);
  loaded->verified = recording->verified;
  loaded->recording = std::move(recording);
  loaded->cc = cc;
  loaded->path = std::move(path);
  return loaded;
}

/// Works out, for the only block that is drawn, what the window would have to wait for when it draws its
/// phases: those before and in the one with the most accesses.
void look_ahead(const Recording& recording, analysis::PhaseFollower& follower) {
  constexpr std::size_t kMany = 1 << 16;
  if (recording.event_blocks.size() != 1 || recording.events.size() < kMany || recording.phases.empty())
    return;
  const auto longest = std::ranges::max_element(recording.phases, {}, &PhaseTotals::requests);
  static_cast<void>(
      follower.at(recording, 0, static_cast<std::uint32_t>(longest - recording.phases.begin())));
}

std::shared_ptr<const Loaded> loaded_with(std::shared_ptr<const Recording> recording,
                                          analysis::ComputeCapability cc, std::filesystem::path path,
                                          const std::atomic<bool>* cancelled, MachineCode effort) {
  const auto follower = std::make_shared<analysis::PhaseFollower>();
  std::future<void> ahead;
  if (effort == MachineCode::at_hand)
    ahead = std::async(std::launch::async, [&] { look_ahead(*recording, *follower); });
  auto facts = std::make_shared<analysis::Facts>(analysis::facts_of(*recording));
  facts->follower = follower;
  if (ahead.valid()) ahead.get();
  analysis::OccupancySubject occupancy = occupancy_subject(*recording, cc, effort, cancelled);
  return costed(std::move(recording), std::move(facts), std::move(occupancy), cc, std::move(path), cancelled,
                effort);
}

}  // namespace

Result<std::shared_ptr<const Loaded>> record_loaded(const LaunchRequest& request, replay::Progress* progress,
                                                    MachineCode effort, const EarlyPicture& early) {
  const std::atomic<bool>* const cancelled = progress == nullptr ? nullptr : &progress->cancel;
  std::shared_ptr<Recording> unverified;
  std::shared_ptr<const Loaded> loaded;
  bool is_shown = false;
  const auto verify_behind = [&](Recording& recording, const Verification& verification) -> Result<bool> {
    unverified = std::make_shared<Recording>(std::move(recording));
    loaded = loaded_with(unverified, request.cc, {}, cancelled, effort);
    if (!early.show) return verification();
    std::future<Result<bool>> right = std::async(std::launch::async, std::cref(verification));
    is_shown = early.patience == early.patience.zero() ||
               right.wait_for(early.patience) != std::future_status::ready;
    if (is_shown) early.show(with_verdict(*loaded, Verifying::going_on));
    return right.get();
  };
  Result<Recording> recording = record(request, progress, nullptr, verify_behind);
  if (!recording.ok()) return recording.error();
  if (!loaded) return make_loaded(*std::move(recording), request, cancelled, effort);
  if (!is_shown) unverified->verified = recording->verified;  // Nobody else has it yet
  return with_verdict(*loaded, Verifying::done, recording->verified);
}

std::shared_ptr<const Loaded> make_loaded(Recording recording, analysis::ComputeCapability cc,
                                          std::filesystem::path path, const std::atomic<bool>* cancelled,
                                          MachineCode effort) {
  return loaded_with(std::make_shared<const Recording>(std::move(recording)), cc, std::move(path), cancelled,
                     effort);
}

std::shared_ptr<const Loaded> make_loaded(Recording recording, const LaunchRequest& launched,
                                          const std::atomic<bool>* cancelled, MachineCode effort) {
  Guesses guesses = guesses_of(launched);
  std::vector<Finding> doubtful = take_doubtful(recording.findings, guesses);
  std::shared_ptr<const Loaded> loaded =
      make_loaded(std::move(recording), launched.cc, {}, cancelled, effort);
  if (!guesses.of_bounds()) return loaded;
  auto with = std::make_shared<Loaded>(*loaded);
  with->guesses = std::move(guesses);
  with->doubtful = std::move(doubtful);
  return with;
}

bool left_for_later(const Loaded& loaded) {
  const auto& compiled = loaded.occupancy.compiled;
  return loaded.compiled.left_for_later ||
         std::ranges::any_of(compiled, [](const analysis::CompiledResources& resources) {
           return std::ranges::any_of(resources.variants, &analysis::CompiledVariant::follow_later);
         });
}

Result<Done> save(const Loaded& loaded, const std::filesystem::path& path) {
  if (loaded.verified == loaded.recording->verified) return warplens::save(*loaded.recording, path);
  Recording verified = *loaded.recording;
  verified.verified = loaded.verified;
  return warplens::save(verified, path);
}

std::shared_ptr<const Loaded> with_verdict(const Loaded& loaded, Verifying verifying,
                                           std::optional<bool> verified) {
  auto with = std::make_shared<Loaded>(loaded);
  with->verifying = verifying;
  with->verified = verified;
  return with;
}

std::shared_ptr<const Loaded> with_machine_code_of(std::shared_ptr<const Loaded> loaded,
                                                   const Loaded& same_launch) {
  const bool of_grid = loaded->recording->blocks_counted == loaded->recording->blocks_total;
  if (!of_grid || !left_for_later(*loaded) || left_for_later(same_launch) || loaded->cc != same_launch.cc)
    return loaded;
  auto with = std::make_shared<Loaded>(*loaded);
  with->compiled = same_launch.compiled;
  with->occupancy = same_launch.occupancy;
  count_passes(*with);
  return with;
}

std::shared_ptr<const Loaded> with_rules(const Loaded& loaded, analysis::ComputeCapability cc,
                                         const std::atomic<bool>* cancelled, MachineCode effort) {
  const bool keeps_occupancy =
      loaded.recording->origin != Origin::file && !(effort == MachineCode::made && left_for_later(loaded));
  auto again =
      costed(loaded.recording, loaded.facts,
             keeps_occupancy ? loaded.occupancy : occupancy_subject(*loaded.recording, cc, effort, cancelled),
             cc, loaded.path, cancelled, effort);
  again->verifying = loaded.verifying;
  again->verified = loaded.verified;
  again->grid_counts = loaded.grid_counts;
  again->hardware = loaded.hardware;
  again->guesses = loaded.guesses;
  again->doubtful = loaded.doubtful;
  return again;
}

}  // namespace warplens::app
