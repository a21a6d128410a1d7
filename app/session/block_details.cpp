#include "app/session/block_details.h"

#include <new>
#include <utility>

#include "app/launch/launch_support.h"
#include "kernels/base/texts.h"
#include "kernels/replay/block_details.h"

namespace warplens::app {

Result<std::shared_ptr<const BlockDetails>> block_details(const Loaded& loaded, const Selection& selection,
                                                          replay::Progress* progress) {
  const Recording& recording = *loaded.recording;
  if (selection.event_block >= recording.event_blocks.size()) return std::shared_ptr<const BlockDetails>();
  analysis::DetailsKeeper& keeper = *loaded.facts->details;
  const std::lock_guard lock(keeper.mutex);
  if (keeper.details && keeper.event_block == selection.event_block && keeper.warp == selection.warp &&
      keeper.cc == loaded.cc)
    return keeper.details;
  const LaunchRequest request = launch_of(recording);
  const Result<Countable> launch = countable(request, true, progress);
  if (!launch.ok()) return launch.error();
  Result<replay::Options> options =
      replay_options(launch->launch.grid, launch->launch.cluster, request, progress);
  if (!options.ok()) return options.error();
  options->unkept_cc = loaded.cc.name();  // Whose tensor cores they are
  Result<BlockDetails> found =
      replay::details_of_block(*launch->program, launch->launch, *launch->memory, *options,
                               recording.event_blocks[selection.event_block], selection.warp);
  if (!found.ok()) return found.error();
  keeper.event_block = selection.event_block;
  keeper.warp = selection.warp;
  keeper.cc = loaded.cc;
  keeper.details = std::make_shared<const BlockDetails>(*std::move(found));
  return keeper.details;
}

void BlockDetailsFinder::follow(const std::shared_ptr<const Loaded>& loaded, const Selection& selection,
                                const std::function<void()>& wake) {
  Key key{loaded, selection.event_block, selection.warp};
  if (key == key_) return;
  key_ = std::move(key);
  job_.reset();  // Its thread is asked to stop, and does within a moment
  if (!loaded) return;
  job_ = std::make_unique<Job>();
  job_->thread = std::jthread([job = job_.get(), loaded, selection, wake] {
    std::shared_ptr<const BlockDetails> found;
    std::string failed;
    try {
      Result<std::shared_ptr<const BlockDetails>> result = block_details(*loaded, selection, &job->progress);
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

std::shared_ptr<const BlockDetails> BlockDetailsFinder::found() const {
  if (!job_) return nullptr;
  const std::lock_guard lock(job_->mutex);
  return job_->found;
}

std::string BlockDetailsFinder::failed() const {
  if (!job_) return {};
  const std::lock_guard lock(job_->mutex);
  return job_->failed;
}

}  // namespace warplens::app
