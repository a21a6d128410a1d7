#include "app/session/grid_counts.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>
#include <vector>

#include "app/launch/launch_support.h"
#include "kernels/base/texts.h"
#include "viz/analysis/launch_sites.h"

namespace warplens::app {
namespace {

using analysis::GridCounts;
using analysis::GridHistory;
using analysis::LaneTotals;
using Counts = Result<SharedGridCounts>;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostEvents = std::uint64_t{1} << 23;  ///< At a time
constexpr std::uint64_t kMostRun = std::uint64_t{1}
                                   << 30;  ///< Warp instructions, where every block is run: some seconds
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 22;
constexpr auto kPause = std::chrono::milliseconds(300);  ///< Between what is counted so far and more

Error cancelled() {
  return {tr("cancelled"), "", ""};
}

const std::atomic<bool>* cancel_of(const replay::Progress* progress) {
  return progress != nullptr ? &progress->cancel : nullptr;
}

std::uint64_t requests_of(const Recording& recording) {
  std::uint64_t requests = 0;
  for (const SiteTotals& site : recording.totals) requests += site.requests;
  return requests;
}

/// How many blocks' events can be kept at a time.
std::size_t blocks_at_a_time(const Recording& totals) {
  const std::uint64_t each = requests_of(totals) / std::max<std::uint64_t>(totals.blocks_counted, 1) + 1;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(kMostEvents / each, 1, 4096));
}

Counts finished(GridCounts counts, const LaneTotals& lanes, std::shared_ptr<const GridHistory> history,
                const std::atomic<bool>* cancel) {
  auto result = std::make_shared<GridCounts>(std::move(counts));
  if (!result->finish(cancel)) return cancelled();
  result->keep(std::make_shared<const analysis::Divergence>(lanes.counted()), std::move(history));
  return Counts(SharedGridCounts(std::move(result)));
}

Counts count_classes(const Recording& wanted, const Countable& launch, const replay::Options& options,
                     const replay::Extrapolation& followed) {
  GridCounts counts(launch.launch.grid, launch.memory->buffers());
  LaneTotals lanes(wanted);
  auto history = std::make_shared<GridHistory>(launch.launch.grid);
  const std::size_t at_a_time = blocks_at_a_time(*followed.recording), classes = followed.classes.size();
  for (std::size_t first = 0; first < classes; first += at_a_time) {
    const std::size_t end = std::min(first + at_a_time, classes);
    replay::Options with_events = options;
    with_events.event_blocks.clear();
    for (std::size_t i = first; i < end; ++i) with_events.event_blocks.push_back(followed.classes[i].like);
    const Result<replay::Extrapolation> again =
        replay::extrapolate(*launch.program, launch.launch, *launch.memory, with_events);
    if (!again.ok()) return again.error();
    const Recording& recording = *again->recording;
    for (std::size_t i = first; i < end; ++i) {
      const BlockClass& alike = followed.classes[i];
      const auto place = static_cast<std::uint32_t>(std::ranges::find(recording.event_blocks, alike.like) -
                                                    recording.event_blocks.begin());
      if (!counts.add(recording, place, alike, again->shifts)) return Counts(nullptr);
      lanes.add(recording, place, alike.count());
      if (history && (!analysis::have_same_sites(recording, wanted) ||
                      !history->add(recording, place, alike, again->shifts)))
        history = nullptr;
    }
  }
  return finished(std::move(counts), lanes, std::move(history), cancel_of(options.progress));
}

/// Runs all blocks in their order upon one memory, as what one writes the next may read: some at a time, with
/// every access. Blocks of clusters are run all at once. `take` is given each part and the number of blocks
/// that have been run; false from it, or a launch of too many instructions, ends it. Whether all that was
/// recorded was run.
template <class Take>
Result<bool> run_in_parts(const Recording& wanted, const Countable& launch, const replay::Options& options,
                          Take take) {
  const bool has_clusters = wanted.cluster.count() > 1;
  if (wanted.warp_instructions > kMostRun || (has_clusters && requests_of(wanted) > kMostEvents))
    return false;
  const std::atomic<bool>* const cancel = cancel_of(options.progress);
  const Dim3 grid = launch.launch.grid;
  std::uint64_t instructions = 0, requests = 0;
  std::size_t at_a_time = has_clusters ? grid.count() : 1;
  replay::Options some = options;
  some.progress = nullptr;
  if (options.progress != nullptr) options.progress->begin(grid.count());
  for (std::uint64_t first = 0; first < grid.count();) {
    if (cancel != nullptr && *cancel) return cancelled();
    const std::uint64_t end = std::min<std::uint64_t>(first + at_a_time, grid.count());
    std::vector<Dim3> blocks;
    for (std::uint64_t block = first; block < end; ++block) blocks.push_back(index_from_linear(grid, block));
    some.event_blocks = std::move(blocks);
    if (!has_clusters) some.replay_blocks = some.event_blocks;
    const Result<Recording> recording = replay::run(*launch.program, launch.launch, *launch.memory, some);
    if (!recording.ok()) return recording.error();
    instructions += recording->warp_instructions;
    requests += requests_of(*recording);
    at_a_time = blocks_at_a_time(*recording);
    first = end;
    if (options.progress != nullptr) options.progress->blocks_done = first;
    if (!take(*recording, first)) return false;
  }
  return instructions == wanted.warp_instructions && requests == requests_of(wanted);
}

/// Now and then.
class Pauses {
 public:
  [[nodiscard]] bool over() {
    if (Clock::now() - last_ < kPause) return false;
    last_ = Clock::now();
    return true;
  }

 private:
  Clock::time_point last_ = Clock::now();
};

Counts count_each(const Recording& wanted, const Countable& launch, const replay::Options& options,
                  const std::function<void(SharedGridCounts)>& so_far) {
  const std::atomic<bool>* const cancel = cancel_of(options.progress);
  const Dim3 grid = launch.launch.grid;
  GridCounts counts(grid, launch.memory->buffers());
  LaneTotals lanes(wanted);
  auto history = std::make_shared<GridHistory>(grid);
  Pauses pauses;
  const Result<bool> all =
      run_in_parts(wanted, launch, options, [&](const Recording& part, std::uint64_t done) {
        if (!counts.add(part)) return false;
        lanes.add(part);
        if (history && !history->add(part, wanted)) history = nullptr;
        if (so_far && done < grid.count() && pauses.over()) {
          const Counts until_now = finished(counts, lanes, nullptr, cancel);
          if (until_now.ok()) so_far(*until_now);
        }
        return true;
      });
  if (!all.ok()) return all.error();
  return *all ? finished(std::move(counts), lanes, std::move(history), cancel) : Counts(nullptr);
}

Counts count(const Recording& wanted, const LaunchRequest& request, replay::Progress* progress,
             const std::function<void(SharedGridCounts)>& so_far) {
  if (wanted.blocks_total > kMostBlocks) return Counts(nullptr);
  Result<Countable> launch = countable(request, false, progress);
  if (!launch.ok()) return launch.error();
  const Result<replay::Options> options =
      replay_options(launch->launch.grid, launch->launch.cluster, request, progress);
  if (!options.ok()) return options.error();
  const Result<replay::Extrapolation> followed =
      replay::extrapolate(*launch->program, launch->launch, *launch->memory, *options);
  if (!followed.ok()) return followed.error();
  if (followed->recording) {
    const Recording& recording = *followed->recording;
    const bool same = recording.warp_instructions == wanted.warp_instructions &&
                      requests_of(recording) == requests_of(wanted);
    return same ? count_classes(wanted, *launch, *options, *followed) : Counts(nullptr);
  }
  launch = countable(request, true, progress);
  return launch.ok() ? count_each(wanted, *launch, *options, so_far) : Counts(launch.error());
}

/// All blocks of what was recorded, on the CPU, without events.
LaunchRequest whole_launch_of(const Recording& recording) {
  LaunchRequest request = launch_of(recording);
  request.engine = Engine::cpu;
  request.replay_blocks = {};
  request.event_blocks.reset();
  return request;
}

}  // namespace

bool lacks_events(const Recording& recording) {
  return recording.blocks_counted == recording.blocks_total &&
         recording.event_blocks.size() < recording.blocks_total;
}

bool has_counts(const Loaded& loaded) {
  return loaded.grid_counts && loaded.grid_counts->blocks() == loaded.recording->blocks_total;
}

Result<SharedGridCounts> count_grid(const Recording& recording, replay::Progress* progress,
                                    const std::function<void(SharedGridCounts)>& so_far) {
  try {
    return count(recording, whole_launch_of(recording), progress, so_far);
  } catch (const std::bad_alloc&) {
    return Counts(nullptr);
  }
}

bool lacks_history(const Loaded& loaded) {
  return lacks_events(*loaded.recording) && has_counts(loaded) && loaded.history() == nullptr;
}

Result<std::shared_ptr<const analysis::ElementHistory>> history_by_replay(
    const Recording& recording, std::uint32_t buffer, std::uint64_t element, replay::Progress* progress,
    const std::function<void(std::uint64_t)>& so_far) {
  using Found = std::shared_ptr<const analysis::ElementHistory>;
  const LaunchRequest request = whole_launch_of(recording);
  const Result<Countable> launch = countable(request, true, progress);
  if (!launch.ok()) return launch.error();
  const Result<replay::Options> options =
      replay_options(launch->launch.grid, launch->launch.cluster, request, progress);
  if (!options.ok()) return options.error();
  auto found = std::make_shared<analysis::ElementHistory>(
      analysis::ElementHistory{.buffer = buffer, .element = element, .history = {}});
  Pauses pauses;
  const Result<bool> all =
      run_in_parts(recording, *launch, *options, [&](const Recording& part, std::uint64_t done) {
        analysis::WordHistory history = analysis::element_history(part, buffer, element);
        const std::vector<std::uint32_t> sites = analysis::sites_in(recording, part);
        for (analysis::WordTouch& touch : history.touches) {
          touch.site = sites[touch.site];
          if (touch.site >= recording.sites.size()) return false;
        }
        analysis::add_later(found->history, history);
        if (so_far && pauses.over()) so_far(done);
        return true;
      });
  if (!all.ok()) return all.error();
  return *all ? Found(std::move(found)) : Found();
}

std::shared_ptr<const Loaded> with_counts(const Loaded& loaded, SharedGridCounts counts) {
  auto with = std::make_shared<Loaded>(loaded);
  with->grid_counts = std::move(counts);
  return with;
}

Result<std::shared_ptr<const Loaded>> with_grid_counts(std::shared_ptr<const Loaded> loaded) {
  if (!lacks_events(*loaded->recording)) return loaded;
  Result<SharedGridCounts> counts = count_grid(*loaded->recording);
  if (!counts.ok()) return counts.error();
  return with_counts(*loaded, *std::move(counts));
}

Result<std::shared_ptr<const Loaded>> with_chosen_history(std::shared_ptr<const Loaded> loaded,
                                                          const Selection& selection) {
  const Recording& recording = *loaded->recording;
  if (!selection.element || !lacks_history(*loaded) || selection.element->buffer >= recording.buffers.size())
    return loaded;
  const std::uint64_t element =
      selection.element->row * recording.buffers[selection.element->buffer].pitch + selection.element->column;
  auto history = history_by_replay(recording, selection.element->buffer, element);
  if (!history.ok()) return history.error();
  auto with = std::make_shared<Loaded>(*loaded);
  with->chosen_history = *std::move(history);
  return std::shared_ptr<const Loaded>(std::move(with));
}

}  // namespace warplens::app
