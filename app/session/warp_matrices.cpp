#include "app/session/warp_matrices.h"

#include <new>
#include <utility>

#include "app/launch/launch_support.h"
#include "kernels/base/texts.h"
#include "kernels/replay/matrix_operands.h"

namespace warplens::app {

Result<std::shared_ptr<const WarpMatrices>> warp_matrices(const Loaded& loaded, const Selection& selection,
                                                          replay::Progress* progress) {
  const Recording& recording = *loaded.recording;
  if (loaded.facts->matrix_instructions.empty() || selection.event_block >= recording.event_blocks.size())
    return std::shared_ptr<const WarpMatrices>();
  const LaunchRequest request = launch_of(recording);
  const Result<Countable> launch = countable(request, true, progress);
  if (!launch.ok()) return launch.error();
  Result<replay::Options> options =
      replay_options(launch->launch.grid, launch->launch.cluster, request, progress);
  if (!options.ok()) return options.error();
  options->unkept_cc = loaded.cc.name();  // Whose tensor cores they are
  Result<WarpMatrices> found =
      replay::matrices_of_warp(*launch->program, launch->launch, *launch->memory, *options,
                               recording.event_blocks[selection.event_block], selection.warp);
  if (!found.ok()) return found.error();
  return std::make_shared<const WarpMatrices>(*std::move(found));
}

void WarpMatricesFinder::follow(const std::shared_ptr<const Loaded>& loaded, const Selection& selection,
                                const std::function<void()>& wake) {
  Key key{loaded, selection.event_block, selection.warp};
  if (key == key_) return;
  key_ = std::move(key);
  job_.reset();  // Its thread is asked to stop, and does within a moment
  if (!loaded || loaded->facts->matrix_instructions.empty()) return;
  job_ = std::make_unique<Job>();
  job_->thread = std::jthread([job = job_.get(), loaded, selection, wake] {
    std::shared_ptr<const WarpMatrices> found;
    std::string failed;
    try {
      Result<std::shared_ptr<const WarpMatrices>> result = warp_matrices(*loaded, selection, &job->progress);
      if (result.ok())
        found = *std::move(result);
      else
        failed = result.error().what;
    } catch (const std::bad_alloc&) {
      failed = tr("there is not enough memory");
    }
    {
      const std::lock_guard lock(job->mutex);
      job->found = std::move(found);
      job->failed = std::move(failed);
    }
    if (wake && !job->progress.cancel) wake();
  });
}

std::shared_ptr<const WarpMatrices> WarpMatricesFinder::found() const {
  if (!job_) return nullptr;
  const std::lock_guard lock(job_->mutex);
  return job_->found;
}

std::string WarpMatricesFinder::failed() const {
  if (!job_) return {};
  const std::lock_guard lock(job_->mutex);
  return job_->failed;
}

}  // namespace warplens::app
