// A scene with what it shows: its launches recorded, its place found.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/launch/launch_spec.h"
#include "app/lesson/lesson.h"
#include "app/session/loaded.h"
#include "app/session/selection.h"
#include "kernels/recording/recording.h"
#include "viz/views/view.h"

namespace warplens::app {

struct StagedScene {
  std::shared_ptr<const Loaded> loaded;
  Selection selection;
  std::shared_ptr<const Loaded> against;        ///< Null: the scene names no other launch
  Selection against_selection;                  ///< The place that stands for the scene's
  std::string unmatched;                        ///< What of their places does not correspond
  std::shared_ptr<const BlockDetails> details;  ///< Null: no view of the scene needs them

  /// The same scene at another place of its launch.
  [[nodiscard]] StagedScene at(const Selection& place) const;
  /// Returns the scene at another step of its phase, from 0.
  [[nodiscard]] StagedScene at_step(std::uint32_t step) const;
  /// The warp's accesses in the scene's phase; 0 of a recording of totals alone.
  [[nodiscard]] std::uint32_t steps() const;
  /// Returns the place as --select takes it: "block=0,0,warp=0,phase=1,step=2".
  [[nodiscard]] std::string place() const;
  /// The access that is selected; nullopt: the warp makes none there.
  [[nodiscard]] std::optional<std::size_t> event() const;
};

/// What a view of a scene draws. `staged` must outlive it.
[[nodiscard]] viz::Subject subject_of_scene(const Scene& scene, const StagedScene& staged);

/// Records what scenes name. Scenes of one launch share a recording.
class ScenePlayer {
 public:
  /// Files that scenes name lie in `folder`; `beside` are texts that are at hand instead, by their names: a
  /// kernel as CUDA C++, and beside it as PTX.
  explicit ScenePlayer(std::filesystem::path folder, std::vector<SourceFile> beside = {})
      : folder_(std::move(folder)), beside_(std::move(beside)) {}

  /// Blocking: it replays the scene's launches. The error is of a launch that cannot be made, or of a place
  /// that it has not, and says where in the lesson that stands.
  [[nodiscard]] Result<StagedScene> play(const Lesson& lesson, const Scene& scene);

 private:
  [[nodiscard]] Result<std::shared_ptr<const Loaded>> load(const std::string& words,
                                                           analysis::ComputeCapability rules,
                                                           const Scene& scene);
  [[nodiscard]] Result<LaunchRequest> request_of(const LaunchSpec& spec,
                                                 analysis::ComputeCapability rules) const;
  [[nodiscard]] Result<StagedScene> staged(const Scene& scene);

  std::filesystem::path folder_;
  std::vector<SourceFile> beside_;
  std::map<std::string, std::shared_ptr<const Loaded>> loaded_;
};

}  // namespace warplens::app
