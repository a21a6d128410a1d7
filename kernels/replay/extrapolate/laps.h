// Loops whose laps only shift: of a block that is run for many, one lap is run for many.
//
// All warps stop where a lap ends, twice. What their registers hold then says by how much each grows in a
// lap; from the code follows whether all that a lap does then shifts, too, and what has to stay as it is for
// that (block_shift.h, by laps in place of blocks). One more lap is watched, and says for how many of the
// following ones that is so (watcher.h). They are left out: counted with it, and the registers moved to where
// the last but one would have left them. The last one is run, so that everything in between lies between what
// two of them have shown.
//
// Where a block has, or may have, findings, it is to be run anew without stops: they are told of the first
// place and counted, and laps that are left out are not looked at.
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

/// What the registers of a block's warps hold at the beginning of a lap: those that are live there.
struct LapSample {
  struct Warp {
    std::uint32_t number = 0, alive = 0;
    std::vector<std::array<std::uint64_t, kWarpSize>> registers;  ///< By Laps::live
    friend bool operator==(const Warp&, const Warp&) = default;
  };
  std::vector<Warp> warps;
};

class Laps {
 public:
  /// Of the outermost loops of a code, which must live as long, as must the launch's parameters. `exposed`:
  /// PTX instructions, ascending, of which it is kept where they access (block_races.h); in a lap that is
  /// left out they access what they have accessed before. `progress`: of the replay; may be null.
  Laps(const Program::Code& code, const Launch& launch, std::span<const std::byte> parameters,
       std::vector<std::uint32_t> exposed, const Progress* progress);

  /// PTX instructions, ascending, at which a warp has to ask `stops` after they ran, and which have to be
  /// told to `watcher` before.
  [[nodiscard]] const std::vector<std::uint32_t>& watched() const { return watched_; }
  [[nodiscard]] Watcher* watcher() { return watching_ ? &*watcher_ : nullptr; }

  /// `wanted`: laps of it are to be left out.
  void begin_block(bool wanted);
  /// Whether its warps have waited for each other where a lap ends.
  [[nodiscard]] bool have_stopped() const { return have_stopped_; }
  /// How many were left out.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

  /// Whether a warp that comes from this instruction to that one waits for the others of its block.
  [[nodiscard]] bool stops(const Machine& m, const Instr& from, const Instr& to) const;
  /// PTX registers of which the beginning of a lap is to say what they hold.
  [[nodiscard]] const std::vector<std::uint32_t>& live(const Instr& begin);

  enum class Next : std::uint8_t { nothing, count_a_lap, leave_out };
  /// All warps have come to the beginning of a lap: what to do before they go on. `shared_is_settled`: all of
  /// shared memory is initialised, and nobody has stored there since the last barrier.
  Next come(const Instr& begin, LapSample sample, bool shared_is_settled);
  /// They cannot, or not all alike.
  void give_up(const Instr& begin);
  /// Of Next::leave_out: how many laps behind the one that was counted do the same.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// By how much what a register holds grows in each; 0 too where that does not matter. By `live`.
  [[nodiscard]] const std::vector<std::int64_t>& steps() const { return steps_; }
  /// Whether they load from other places in shared memory than the one that was counted.
  [[nodiscard]] bool move_in_shared() const;
  /// The same of the addresses of a PTX instruction.
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
  [[nodiscard]] bool find_shifts(const TrackedLoop& found, const LapSample& sample);
  [[nodiscard]] bool still_so(const TrackedLoop& found, const LapSample& sample) const;
  [[nodiscard]] std::uint64_t count_alike() const;
  void close(TrackedLoop& found);

  const Program::Code& code_;
  const Launch& launch_;
  std::span<const std::byte> parameters_;
  const Progress* progress_;
  std::vector<std::uint32_t> exposed_;
  std::vector<TrackedLoop> loops_;
  std::vector<std::uint32_t>
      loop_ended_by_;  ///< By PTX instruction: 1 + which loop's laps a branch may end; 0: none's
  std::vector<std::uint32_t> watched_;
  std::vector<Handler> handlers_;

  // Of the block that runs
  TrackedLoop* current_ = nullptr;  ///< The loop that warps come together in
  std::uint32_t samples_ = 0;       ///< How often they have
  LapSample last_;
  std::vector<LapRegister> registers_;  ///< By PTX register
  std::vector<std::int64_t> steps_;
  BlockShifts shifts_;
  std::optional<Watcher> watcher_;
  bool watching_ = false, have_stopped_ = false;
  std::uint64_t count_ = 0, left_out_ = 0;
};

}  // namespace warplens::replay
