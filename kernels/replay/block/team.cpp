#include "kernels/replay/block/team.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "kernels/base/clusters.h"
#include "kernels/base/texts.h"
#include "kernels/replay/block/cluster.h"
#include "kernels/replay/block/event_log.h"

namespace warplens::replay {
namespace {

/// An H100 has room for 4,224 blocks at a time, if they are small.
constexpr std::size_t kMaxWaiting = 4224;
constexpr std::uint64_t kMaxBytesWaiting = std::uint64_t{1} << 30;

/// Logs have the addresses that the kernel saw, recordings offsets in the block's own shared memory.
void count_from_shared_base(Recording& recording) {
  EventColumns& events = recording.events;
  for (std::size_t event = 0; recording.shared_base != 0 && event < events.size(); ++event) {
    if (recording.sites[events.site[event]].space == Space::shared)
      events.base[event] -= recording.shared_base;
  }
}

}  // namespace

Error out_of_memory() {
  return {tr("not enough memory for the replay"), "", tr("Replay fewer blocks, or record events of fewer.")};
}

unsigned count_threads(const Options& options, std::uint64_t blocks) {
  const unsigned wanted =
      options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, wanted));
}

void set_up(Job& job, const Outline& outline, const std::vector<Buffer>& buffers,
            const std::vector<std::byte*>& contents, const ZeroPages& module_bytes) {
  const auto add_region = [&](std::uint64_t base, std::uint64_t bytes, std::byte* data, const char* what,
                              ElementNames elements) {
    job.regions.push_back({base, bytes, data, static_cast<std::uint32_t>(job.region_names.size())});
    job.region_names.push_back(what + elements.name);
    job.elements.push_back(std::move(elements));
  };
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const Buffer& buffer = buffers[b];
    add_region(buffer.base, buffer.bytes, contents[b], "buffer ",
               {.name = buffer.name,
                .element_bytes = static_cast<std::uint32_t>(size_of(buffer.type)),
                .pitch = buffer.rows > 1 ? buffer.pitch : 0});
  }
  for (const auto& variable : job.code.global.variables) {
    add_region(kModuleBase + variable.offset, variable.bytes, module_bytes.data() + variable.offset,
               "variable ", {.name = variable.name, .element_bytes = variable.element_bytes});
  }
  job.textures.resize(job.launch.arguments.size());
  for (std::size_t k = 0; k < job.textures.size(); ++k) {
    const auto* const argument = std::get_if<TextureArgument>(&job.launch.arguments[k]);
    if (argument != nullptr)
      job.textures[k] = {argument->texture, buffers[argument->buffer].base, contents[argument->buffer]};
  }
  if (job.code.waits_for_grid) {
    job.grid_workspace.assign(kGridWorkspaceBytes, std::byte{0});
    add_region(kGridWorkspace, kGridWorkspaceBytes, job.grid_workspace.data(), "",
               {.name = "workspace of the grid's barrier"});
  }
  job.constants = job.code.constant.contents(job.launch.variables);
  job.shared_begin = job.options.shared_base;
  job.shared_end = job.options.shared_base + outline.shared_bytes;
  job.warps = outline.warps;
  job.cluster = outline.cluster;
  job.event_blocks = outline.event_blocks;
  job.instructions_left = job.options.limit;
}

Team::Team(Job& job, PatternTotals& totals, std::uint64_t count, const std::vector<std::uint64_t>* blocks,
           unsigned threads)
    : job_(job), count_(count), blocks_(blocks), totals_(totals), in_turn_(threads == 1) {
  const std::uint64_t each = runs_clusters() ? job.cluster.count() : 1;
  for (std::uint64_t k = 0; k < threads * each; ++k)
    runners.push_back(std::make_unique<BlockRunner>(job, totals));
}

bool Team::runs_clusters() const {
  return job_.code.uses_cluster && job_.cluster.count() > 1;
}

std::optional<Error> Team::run() {
  const std::size_t each = runs_clusters() ? job_.cluster.count() : 1;
  std::vector<std::vector<BlockRunner*>> teams;  // By thread
  for (std::size_t k = 0; k < runners.size(); ++k) {
    if (k % each == 0) teams.emplace_back();
    teams.back().push_back(runners[k].get());
  }
  std::vector<std::thread> threads;
  for (std::size_t t = 1; t < teams.size(); ++t)
    threads.emplace_back([this, team = teams[t]] { work(team); });
  work(teams[0]);
  for (std::thread& thread : threads) thread.join();
  if (error_ || waiting_.empty()) return std::move(error_);
  auto error = resume_waiting();
  for (BlockRunner* const runner : waiting_) runner->finish();
  return error;
}

void Team::work(std::vector<BlockRunner*> team) {
  try {
    if (team.size() > 1) {
      run_clusters(team);
    } else {
      run_blocks(team.front());
    }
    for (BlockRunner* const runner : team) runner->finish();
  } catch (const std::bad_alloc&) {
    note(count_, out_of_memory());
  }
}

void Team::run_blocks(BlockRunner*& runner) {
  Progress* progress = job_.options.progress;
  for (;;) {
    const std::uint64_t k = next_.fetch_add(1, std::memory_order_relaxed);
    if (k >= count_) break;
    if (job_.at_limit()) {
      runner->end_launch();
      break;
    }
    const std::uint64_t block = blocks_ != nullptr ? (*blocks_)[k] : k;
    std::optional<Error> error = runner->run_block(block, in_turn_ && !waiting_.empty());
    if (!error && progress != nullptr && progress->cancel.load(std::memory_order_relaxed))
      error = runner->cancelled_error();
    if (error) {
      note(block, std::move(*error));
      break;
    }
    if (runner->waits()) {
      runner = leave_waiting(*runner);
    } else if (progress != nullptr) {
      progress->blocks_done.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

/// The chosen blocks are whole clusters (outline.h).
void Team::run_clusters(const std::vector<BlockRunner*>& team) {
  const Dim3 grid = job_.launch.grid, size = job_.cluster;
  const std::vector<std::uint64_t> chosen =
      blocks_ == nullptr ? std::vector<std::uint64_t>() : clusters_of(grid, size, *blocks_);
  const std::uint64_t count = blocks_ == nullptr ? grid.count() / size.count() : chosen.size();
  Progress* const progress = job_.options.progress;
  Cluster cluster(team);
  for (;;) {
    const std::uint64_t k = next_.fetch_add(1, std::memory_order_relaxed);
    if (k >= count) break;
    const std::vector<std::uint64_t> blocks =
        blocks_of_cluster(grid, size, blocks_ == nullptr ? k : chosen[k]);
    if (std::optional<Error> error = cluster.run(blocks)) return note(blocks.front(), std::move(*error));
    if (progress != nullptr) progress->blocks_done.fetch_add(blocks.size(), std::memory_order_relaxed);
  }
}

/// The runner to go on with: as a GPU has room for so many blocks and no more, there are so many that can
/// wait.
BlockRunner* Team::leave_waiting(BlockRunner& runner) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= std::min<std::uint64_t>(kMaxWaiting, kMaxBytesWaiting / runner.bytes_kept())) {
    runner.end_waiting(false);
    return &runner;
  }
  waiting_.push_back(&runner);
  runners.push_back(std::make_unique<BlockRunner>(job_, totals_));
  return runners.back().get();
}

/// Opens the grid barrier. If only some of the grid's blocks are run, the others are taken to have come to
/// it: those that wait there may go on. False if none has come since it was opened last.
bool Team::open_grid_barrier() {
  if (blocks_ == nullptr || job_.grid_workspace.empty() || count_ == job_.launch.grid.count()) return false;
  constexpr std::uint32_t kSide = 0x80000000u;
  std::uint32_t barrier = 0;
  std::memcpy(&barrier, job_.grid_workspace.data() + kGridBarrier, sizeof barrier);
  if ((barrier & ~kSide) == 0) return false;
  barrier = ~barrier & kSide;
  std::memcpy(job_.grid_workspace.data() + kGridBarrier, &barrier, sizeof barrier);
  return true;
}

std::optional<Error> Team::resume_waiting() {
  std::ranges::sort(waiting_, {}, &BlockRunner::block);
  for (bool any_progressed = true; any_progressed || open_grid_barrier();) {
    any_progressed = false;
    for (BlockRunner* const runner : waiting_) {
      if (!runner->waits() || job_.ended) continue;
      bool progressed = false;
      if (auto error = runner->resume_block(progressed)) return error;
      any_progressed |= progressed;
      if (!runner->waits() && job_.options.progress != nullptr)
        job_.options.progress->blocks_done.fetch_add(1, std::memory_order_relaxed);
    }
  }
  for (BlockRunner* const runner : waiting_) {
    if (runner->waits()) runner->end_waiting(true);
  }
  return std::nullopt;
}

void Team::note(std::uint64_t block, Error error) {
  const std::lock_guard lock(mutex_);
  next_.store(count_, std::memory_order_relaxed);
  if (error_ && block >= error_block_) return;
  error_ = std::move(error);
  error_block_ = block;
}

void add_phases(const BlockRunner& runner, std::uint64_t times, std::vector<PhaseRow>& rows) {
  if (runner.phases.size() > rows.size()) rows.resize(runner.phases.size());
  for (std::size_t k = 0; k < runner.phases.size(); ++k) {
    for (std::size_t column = 0; column < kPhaseColumns; ++column)
      rows[k][column] += times * runner.phases[k][column];
  }
}

std::optional<Error> gather_events_of(const Team& team, const Job& job, Recording& recording) {
  const std::size_t shapes_of_totals = recording.shapes.size();
  std::vector<EventLog*> logs;
  for (const auto& runner : team.runners) logs.push_back(&runner->event_log);
  gather_events(recording, logs, job.event_blocks, count_threads(job.options, logs.size()));
  count_from_shared_base(recording);
  if (recording.shapes.size() > kMaxEventShapes + shapes_of_totals) return too_many_shapes(job.code);
  return std::nullopt;
}

}  // namespace warplens::replay
