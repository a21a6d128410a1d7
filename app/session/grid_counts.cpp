#include "app/session/grid_counts.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>
#include <vector>

#include "app/session/launch_support.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

using analysis::GridCounts;
using analysis::GridHistory;
using analysis::LaneTotals;
using Counts = Result<SharedGridCounts>;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostEvents = std::uint64_t{1} << 23;  ///< At a time
constexpr std::uint64_t kMostRun = std::uint64_t{1} << 30;     ///< Warp instructions, where every block is run: some seconds
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

Counts finished(GridCounts counts, const LaneTotals& lanes, std::shared_ptr<const GridHistory> history, const std::atomic<bool>* cancel) {
  auto result = std::make_shared<GridCounts>(std::move(counts));
  if (!result->finish(cancel)) return cancelled();
  result->keep(std::make_shared<const analysis::Divergence>(lanes.counted()), std::move(history));
  return Counts(SharedGridCounts(std::move(result)));
}

Counts count_classes(const Recording& wanted, const Countable& launch, const replay::Options& options, const replay::Following& followed) {
  GridCounts counts(launch.launch.grid, launch.memory->buffers());
  LaneTotals lanes(wanted);
  auto history = std::make_shared<GridHistory>(launch.launch.grid);
  const std::size_t at_a_time = blocks_at_a_time(*followed.recording), classes = followed.classes.size();
  for (std::size_t first = 0; first < classes; first += at_a_time) {
    const std::size_t end = std::min(first + at_a_time, classes);
    replay::Options with_events = options;
    with_events.event_blocks.clear();
    for (std::size_t i = first; i < end; ++i) with_events.event_blocks.push_back(followed.classes[i].like);
    const Result<replay::Following> again = replay::follow(*launch.program, launch.launch, *launch.memory, with_events);
    if (!again.ok()) return again.error();
    const Recording& recording = *again->recording;
    for (std::size_t i = first; i < end; ++i) {
      const BlockClass& alike = followed.classes[i];
      const auto place = static_cast<std::uint32_t>(std::ranges::find(recording.event_blocks, alike.like) - recording.event_blocks.begin());
      if (!counts.add(recording, place, alike, again->shifts)) return Counts(nullptr);
      lanes.add(recording, place, alike.count());
      if (history && (recording.sites != wanted.sites || !history->add(recording, place, alike, again->shifts))) history = nullptr;
    }
  }
  return finished(std::move(counts), lanes, std::move(history), cancel_of(options.progress));
}

/// The blocks in their order, upon one memory: what one writes the next may read.
Counts count_each(const Recording& wanted, const Countable& launch, const replay::Options& options,
                  const std::function<void(SharedGridCounts)>& so_far) {
  if (wanted.warp_instructions > kMostRun) return Counts(nullptr);
  const std::atomic<bool>* const cancel = cancel_of(options.progress);
  const Dim3 grid = launch.launch.grid;
  GridCounts counts(launch.launch.grid, launch.memory->buffers());
  LaneTotals lanes(wanted);
  auto history = std::make_shared<GridHistory>(grid);
  std::uint64_t instructions = 0, requests = 0;
  std::size_t at_a_time = 1;
  auto told = Clock::now();
  replay::Options some = options;
  some.progress = nullptr;
  if (options.progress != nullptr) options.progress->begin(grid.count());
  for (std::uint64_t first = 0; first < grid.count();) {
    if (cancel != nullptr && *cancel) return cancelled();
    const std::uint64_t end = std::min<std::uint64_t>(first + at_a_time, grid.count());
    std::vector<Dim3> blocks;
    for (std::uint64_t block = first; block < end; ++block) blocks.push_back(index_from_linear(grid, block));
    some.replay_blocks = some.event_blocks = std::move(blocks);
    const Result<Recording> recording = replay::run(*launch.program, launch.launch, *launch.memory, some);
    if (!recording.ok()) return recording.error();
    if (!counts.add(*recording)) return Counts(nullptr);
    lanes.add(*recording);
    if (history && !history->add(*recording, wanted)) history = nullptr;
    instructions += recording->warp_instructions;
    requests += requests_of(*recording);
    at_a_time = blocks_at_a_time(*recording);
    first = end;
    if (options.progress != nullptr) options.progress->blocks_done = first;
    if (!so_far || first == grid.count() || Clock::now() - told < kPause) continue;
    Counts until_now = finished(counts, lanes, nullptr, cancel);
    if (!until_now.ok()) return until_now;
    so_far(*std::move(until_now));
    told = Clock::now();
  }
  if (instructions != wanted.warp_instructions || requests != requests_of(wanted)) return Counts(nullptr);
  return finished(std::move(counts), lanes, std::move(history), cancel);
}

Counts count(const Recording& wanted, const LaunchRequest& request, replay::Progress* progress, const std::function<void(SharedGridCounts)>& so_far) {
  if (wanted.blocks_total > kMostBlocks) return Counts(nullptr);
  Result<Countable> launch = countable(request, false, progress);
  if (!launch.ok()) return launch.error();
  const Result<replay::Options> options = replay_options(launch->launch.grid, request, progress);
  if (!options.ok()) return options.error();
  const Result<replay::Following> followed = replay::follow(*launch->program, launch->launch, *launch->memory, *options);
  if (!followed.ok()) return followed.error();
  if (followed->recording) {
    const Recording& recording = *followed->recording;
    const bool same = recording.warp_instructions == wanted.warp_instructions && requests_of(recording) == requests_of(wanted);
    return same ? count_classes(wanted, *launch, *options, *followed) : Counts(nullptr);
  }
  launch = countable(request, true, progress);
  return launch.ok() ? count_each(wanted, *launch, *options, so_far) : Counts(launch.error());
}

}  // namespace

bool lacks_events(const Recording& recording) {
  return recording.blocks_counted == recording.blocks_total && recording.event_blocks.size() < recording.blocks_total;
}

bool has_counts(const Loaded& loaded) {
  return loaded.grid_counts && loaded.grid_counts->blocks() == loaded.recording->blocks_total;
}

Result<SharedGridCounts> count_grid(const Recording& recording, replay::Progress* progress, const std::function<void(SharedGridCounts)>& so_far) {
  LaunchRequest request = launch_of(recording);
  request.engine = Engine::cpu;
  request.replay_blocks = {};
  request.event_blocks.reset();
  try {
    return count(recording, request, progress, so_far);
  } catch (const std::bad_alloc&) {
    return Counts(nullptr);
  }
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

}  // namespace warplens::app
