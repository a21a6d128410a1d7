// Blocks run on several threads, and what they leave in the recording.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/outline.h"

namespace warplens::replay {

/// A thread for each runner. Blocks are claimed in ascending order, so of several errors the one of the
/// lowest block is everyone's. A block that waits for what another one does keeps its runner, and goes on
/// when all others have ended or wait, as often as that brings any of them further.
class Team {
 public:
  /// `count` blocks: those listed, of clusters all, or the first of the grid. `job`, `totals` and the list
  /// must live as long.
  Team(Job& job, PatternTotals& totals, std::uint64_t count, const std::vector<std::uint64_t>* blocks,
       unsigned threads);

  [[nodiscard]] std::optional<Error> run();

  std::vector<std::unique_ptr<BlockRunner>>
      runners;  ///< One for each thread, and one more for each block that had to wait

 private:
  [[nodiscard]] bool runs_clusters() const;
  void work(std::vector<BlockRunner*> team);
  void run_clusters(const std::vector<BlockRunner*>& team);
  void run_blocks(BlockRunner*& runner);
  [[nodiscard]] BlockRunner* leave_waiting(BlockRunner& runner);
  [[nodiscard]] bool open_grid_barrier();
  [[nodiscard]] std::optional<Error> resume_waiting();
  void note(std::uint64_t block, Error error);

  Job& job_;
  std::uint64_t count_;
  const std::vector<std::uint64_t>* blocks_;
  PatternTotals& totals_;
  std::vector<BlockRunner*> waiting_;
  bool in_turn_ = false;  ///< One thread runs all blocks
  std::atomic<std::uint64_t> next_{0};
  std::mutex mutex_;
  std::optional<Error> error_;
  std::uint64_t error_block_ = 0;
};

[[nodiscard]] Error out_of_memory();

/// Returns as many threads as are wanted, but no more than there are blocks.
[[nodiscard]] unsigned count_threads(const Options& options, std::uint64_t blocks);

/// Fills in a job's memory, and what its launch's outline says. `contents`: by buffer; they and the module's
/// variables must live as long as the job.
void set_up(Job& job, const Outline& outline, const std::vector<Buffer>& buffers,
            const std::vector<std::byte*>& contents, const ZeroPages& module_bytes);

/// Adds a runner's phases, each `times` times.
void add_phases(const BlockRunner& runner, std::uint64_t times, std::vector<PhaseRow>& rows);
/// The events of a team whose blocks have run: behind the recording's totals, whose shapes it has already. An
/// error: more shapes than may be.
[[nodiscard]] std::optional<Error> gather_events_of(const Team& team, const Job& job, Recording& recording);

}  // namespace warplens::replay
