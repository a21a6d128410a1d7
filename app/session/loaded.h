// A recording that is loaded, and its derived results. Long work runs on a worker thread; views read
// immutable results.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/compiled/as_compiled.h"
#include "app/launch/guesses.h"
#include "app/launch/launch.h"
#include "kernels/base/result.h"
#include "kernels/catalog/catalog.h"
#include "kernels/gpu/record.h"
#include "kernels/ptx/module.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/replay.h"
#include "viz/analysis/memory_rules.h"
#include "viz/analysis/occupancy.h"
#include "viz/analysis/results.h"

namespace warplens::app {

/// What a recorded launch takes of a multiprocessor: registers, stack and spills of its machine code for each
/// architecture that there is code for, and of the kernel's other variants beside it. Local accesses are
/// followed through one block each (CompiledVariant). Of a file's kernel there is code for the architecture
/// that stands for `cc` alone.
[[nodiscard]] analysis::OccupancySubject occupancy_subject(const Recording& recording,
                                                           analysis::ComputeCapability cc = {},
                                                           MachineCode effort = MachineCode::at_hand,
                                                           const std::atomic<bool>* cancelled = nullptr);

/// Whether it is known that a result is right, or that nothing tells.
enum class Verifying : std::uint8_t { done, going_on, given_up };

/// A recording, shared and never changed, and beside it what it costs by the rules of one compute capability.
/// Immutable.
struct Loaded : analysis::Results {
  std::shared_ptr<const Recording> recording;
  Verifying verifying = Verifying::done;
  std::optional<bool> verified;  ///< Recording::verified, or what came of it once the recording was on screen
  analysis::ComputeCapability cc;
  std::filesystem::path path;  ///< Empty if made here
  AsCompiled compiled;
  Guesses guesses;  ///< Of its launch
  std::vector<Finding>
      doubtful;  ///< Findings that were taken out of the recording, as another launch may not have them
};
/// Shows a recording that is still being verified, if that takes longer than `patience` once there is
/// something to show (0: in any case). Called from any thread.
struct EarlyPicture {
  std::chrono::milliseconds patience{};
  std::function<void(std::shared_ptr<const Loaded>)> show;
};
/// Launches, records, and makes what is drawn of it. The result of a large launch is verified last.
[[nodiscard]] Result<std::shared_ptr<const Loaded>> record_loaded(const LaunchRequest& request,
                                                                  replay::Progress* progress = nullptr,
                                                                  MachineCode effort = MachineCode::at_hand,
                                                                  const EarlyPicture& early = {});
[[nodiscard]] std::shared_ptr<const Loaded> make_loaded(Recording recording, analysis::ComputeCapability cc,
                                                        std::filesystem::path path = {},
                                                        const std::atomic<bool>* cancelled = nullptr,
                                                        MachineCode effort = MachineCode::at_hand);
/// The same of a launch of which something was guessed.
[[nodiscard]] std::shared_ptr<const Loaded> make_loaded(Recording recording, const LaunchRequest& launched,
                                                        const std::atomic<bool>* cancelled,
                                                        MachineCode effort);
/// Whether MachineCode::made makes more of it.
[[nodiscard]] bool left_for_later(const Loaded& loaded);
/// The recording as a file, with what came of its verification since.
[[nodiscard]] Result<Done> save(const Loaded& loaded, const std::filesystem::path& path);
[[nodiscard]] std::shared_ptr<const Loaded> with_verdict(const Loaded& loaded, Verifying verifying,
                                                         std::optional<bool> verified = {});
/// The same recording, with what is known of the machine code from another one of the same launch, where that
/// knows more: it is of the whole grid, whichever blocks' events the recordings have.
[[nodiscard]] std::shared_ptr<const Loaded> with_machine_code_of(std::shared_ptr<const Loaded> loaded,
                                                                 const Loaded& same_launch);
/// The same recording by other rules, or with the machine code that was left for later: it is shared, and so
/// is all that does not depend on them.
[[nodiscard]] std::shared_ptr<const Loaded> with_rules(const Loaded& loaded, analysis::ComputeCapability cc,
                                                       const std::atomic<bool>* cancelled = nullptr,
                                                       MachineCode effort = MachineCode::at_hand);

}  // namespace warplens::app
