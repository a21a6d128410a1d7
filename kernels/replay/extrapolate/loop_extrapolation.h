// Loop extrapolation: iterations whose addresses advance by a constant stride are executed once and counted N
// times.
//
//   1. All warps stop at the loop header twice. The difference of their registers gives each one's increment.
//   2. block_shift.h proves, over iterations in place of blocks, that all addresses then shift by constants,
//   and
//      which operands have to stay within bounds for that.
//   3. One more iteration is watched (watcher.h), which bounds the number of further iterations that do the
//      same.
//   4. These are skipped: counted with the watched one, and the registers advanced past them. The last of
//   them
//      is run, so that all that was skipped lies between two iterations that were observed.
//
// A block that has, or may have, findings is run again without stops: findings name the first iteration that
// has them, and skipped iterations are not observed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/recording/recording.h"
#include "kernels/replay/decode/code.h"
#include "kernels/replay/extrapolate/block_shift.h"
#include "kernels/replay/extrapolate/watcher.h"

namespace warplens::replay {

/// The values of the registers that are live at the loop header, of all warps of the block.
struct IterationSample {
  struct Warp {
    std::uint32_t number = 0, alive = 0;
    std::vector<std::array<std::uint64_t, kWarpSize>> registers;  ///< By LoopExtrapolation::live
    friend bool operator==(const Warp&, const Warp&) = default;
  };
  std::vector<Warp> warps;
};

class LoopExtrapolation {
 public:
  /// Extrapolates the outermost loops of `code`, which must outlive it, as must the parameters. `exposed`:
  /// PTX instructions, ascending, whose places are recorded (block_watch.h); in iterations that are skipped
  /// they access the same places again. `progress`: of the replay; may be null.
  LoopExtrapolation(const Program::Code& code, const Launch& launch, std::span<const std::byte> parameters,
                    std::vector<std::uint32_t> exposed, const Progress* progress);

  /// Returns the PTX instructions, ascending, that `watcher` has to see before they run, and after which a
  /// warp asks `stops`.
  [[nodiscard]] const std::vector<std::uint32_t>& watched() const { return watched_; }
  [[nodiscard]] Watcher* watcher() { return watching_ ? &*watcher_ : nullptr; }

  /// `wanted`: iterations of the block may be skipped.
  void begin_block(bool wanted);
  /// Returns whether the block's warps have waited for each other at a loop header.
  [[nodiscard]] bool have_stopped() const { return have_stopped_; }
  /// Returns the number of iterations skipped.
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

  /// Returns whether a warp that goes from `from` to `to` waits there for the others of its block.
  [[nodiscard]] bool stops(const Machine& m, const Instr& from, const Instr& to) const;
  /// Returns the PTX registers that a sample at this loop header holds.
  [[nodiscard]] const std::vector<std::uint32_t>& live(const Instr& begin);

  enum class Next : std::uint8_t { nothing, count_iteration, skip };
  /// Called when all warps are at the loop header; returns what to do before they go on. `shared_is_settled`:
  /// all of shared memory is initialised, and not stored to since the last barrier.
  Next come(const Instr& begin, IterationSample sample, bool shared_is_settled);
  /// Called when the warps cannot meet at the loop header, or are in different states.
  void give_up(const Instr& begin);
  /// Returns, for Next::skip, how many iterations do the same as the one that was counted.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Returns each register's increment per iteration, by `live`; 0 too where it does not matter.
  [[nodiscard]] const std::vector<std::int64_t>& steps() const { return steps_; }
  /// Returns whether skipped iterations load from other places in shared memory than the counted one.
  [[nodiscard]] bool move_in_shared() const;
  /// Returns the increment per iteration of the address of a PTX instruction.
  [[nodiscard]] std::int64_t step_of_access(std::uint32_t instruction) const {
    return shifts_.of_access[instruction].x;
  }

 private:
  struct TrackedLoop {
    Loop loop;
    std::vector<std::uint32_t> live;
    bool open = true;
  };
  [[nodiscard]] TrackedLoop& loop_at(const Instr& begin);
  [[nodiscard]] bool find_shifts(const TrackedLoop& found, const IterationSample& sample);
  [[nodiscard]] bool still_so(const TrackedLoop& found, const IterationSample& sample) const;
  [[nodiscard]] std::uint64_t count_alike() const;
  void close(TrackedLoop& found);

  const Program::Code& code_;
  const Launch& launch_;
  std::span<const std::byte> parameters_;
  const Progress* progress_;
  std::vector<std::uint32_t> exposed_;
  std::vector<TrackedLoop> loops_;
  std::vector<std::uint32_t> loop_ended_by_;  ///< By PTX instruction: 1 + index of the loop whose iteration a
                                              ///< branch may end; 0: none
  std::vector<std::uint32_t> watched_;
  std::vector<Handler> handlers_;

  // Of the block that runs
  TrackedLoop* current_ = nullptr;  ///< The loop at whose header warps meet
  std::uint32_t samples_ = 0;       ///< How often they have met
  IterationSample last_;
  std::vector<LoopRegister> registers_;  ///< By PTX register
  std::vector<std::int64_t> steps_;
  BlockShifts shifts_;
  std::optional<Watcher> watcher_;
  bool watching_ = false, have_stopped_ = false;
  std::uint64_t count_ = 0, skipped_ = 0;
};

}  // namespace warplens::replay
