#include "app/session/block_details.h"

#include <algorithm>
#include <new>
#include <utility>

#include "app/launch/launch_support.h"
#include "kernels/base/clusters.h"
#include "kernels/base/texts.h"
#include "kernels/replay/block_details.h"

namespace warplens::app {

namespace {

Result<BlockDetails> replayed(const Loaded& loaded, Dim3 block, std::uint32_t warp,
                              replay::Progress* progress) {
  const LaunchRequest request = launch_of(*loaded.recording);
  const Result<Countable> launch = countable(request, true, progress);
  if (!launch.ok()) return launch.error();
  Result<replay::Options> options =
      replay_options(launch->launch.grid, launch->launch.cluster, request, progress);
  if (!options.ok()) return options.error();
  options->unkept_cc = loaded.cc.name();  // Whose tensor cores they are
  return replay::details_of_block(*launch->program, launch->launch, *launch->memory, *options, block, warp);
}

/// Adds the details of the other blocks of its cluster that are recorded.
std::optional<Error> add_cluster(const Loaded& loaded, BlockDetails& details, replay::Progress* progress) {
  const Recording& recording = *loaded.recording;
  if (!analysis::has_clusters(recording)) return std::nullopt;
  const std::uint64_t own = linear_index(recording.grid, details.block);
  for (const std::uint64_t linear :
       blocks_of_cluster(recording.grid, recording.cluster,
                         clusters_of(recording.grid, recording.cluster, {own}).front())) {
    std::shared_ptr<const BlockDetails>& other = details.cluster.emplace_back();
    const Dim3 block = index_from_linear(recording.grid, linear);
    const bool is_recorded = std::ranges::find(recording.event_blocks, block) != recording.event_blocks.end();
    if (linear == own || !is_recorded) continue;
    Result<BlockDetails> found = replayed(loaded, block, details.warp, progress);
    if (!found.ok()) return found.error();
    found->executions.clear();
    other = std::make_shared<const BlockDetails>(*std::move(found));
  }
  return std::nullopt;
}

}  // namespace

Result<std::shared_ptr<const BlockDetails>> block_details(const Loaded& loaded, const Selection& selection,
                                                          DetailsOf of, replay::Progress* progress) {
  const Recording& recording = *loaded.recording;
  if (selection.event_block >= recording.event_blocks.size()) return std::shared_ptr<const BlockDetails>();
  analysis::DetailsKeeper& keeper = *loaded.facts->details;
  const std::lock_guard lock(keeper.mutex);
  const bool is_of_cluster = of == DetailsOf::cluster && analysis::has_clusters(recording);
  if (keeper.details && keeper.event_block == selection.event_block && keeper.warp == selection.warp &&
      keeper.cc == loaded.cc && (!is_of_cluster || !keeper.details->cluster.empty()))
    return keeper.details;
  Result<BlockDetails> found =
      replayed(loaded, recording.event_blocks[selection.event_block], selection.warp, progress);
  if (!found.ok()) return found.error();
  if (is_of_cluster) {
    if (auto error = add_cluster(loaded, *found, progress)) return std::move(*error);
  }
  keeper.event_block = selection.event_block;
  keeper.warp = selection.warp;
  keeper.cc = loaded.cc;
  keeper.details = std::make_shared<const BlockDetails>(*std::move(found));
  return keeper.details;
}

void BlockDetailsFinder::follow(const std::shared_ptr<const Loaded>& loaded, const Selection& selection,
                                DetailsOf of, const std::function<void()>& wake) {
  Key key{loaded, selection.event_block, selection.warp};
  if (key == key_) return;
  key_ = std::move(key);
  job_.reset();  // Its thread is asked to stop, and does within a moment
  if (!loaded) return;
  job_ = std::make_unique<Job>();
  job_->thread = std::jthread([job = job_.get(), loaded, selection, of, wake] {
    std::shared_ptr<const BlockDetails> found;
    std::string failed;
    try {
      Result<std::shared_ptr<const BlockDetails>> result =
          block_details(*loaded, selection, of, &job->progress);
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
