// The state of a warp between its turns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "kernels/replay/core/machine.h"
#include "kernels/replay/decode/waits.h"

namespace warplens::replay {

enum class WarpStatus : std::uint8_t {
  ready,
  waiting,
  at_iteration_end,  ///< Waits at a loop header for the other warps (loop_extrapolation.h)
  done
};

/// Offsets of a recursive function's parameters and variables from the start of a lane's memory, in bytes.
struct PieceBase {
  std::uint64_t call_params = 0, local = 0;
};
/// A call that has not returned yet.
struct CallFrame {
  std::uint32_t base = 0;  ///< Index on the warp's stack of the suspended caller
  std::uint32_t piece = 0, lanes = 0;
  std::uint64_t call_params_top = 0, local_top = 0;  ///< The warp's, before the call
  PieceBase before;                                  ///< The function's
  std::vector<std::byte> registers;                  ///< Saved registers of the function
};

/// Lanes that have arrived at an instruction whose member mask names others, which may still arrive.
struct AwaitedLanes {
  std::uint32_t instruction = 0, mask = 0;  ///< Index of the PTX instruction
  std::uint32_t came = 0, absent = 0;
};

/// A cp.async of a warp that has not landed for all its lanes.
struct PendingCopy {
  std::uint32_t order = 0;                       ///< Of its event in shared memory, if events are recorded
  std::uint32_t serial = 0;                      ///< Numbers the copies of the warp's block, from 1 on
  std::uint32_t instruction = 0;                 ///< Index of the PTX instruction
  CopyRequest request;                           ///< `mask`: lanes for which it has not landed
  std::array<std::uint32_t, kWarpSize> group{};  ///< By lane: groups that it had committed before
  std::array<std::array<std::byte, 16>, kWarpSize> data{};  ///< What is copied, read at issue
};

/// A lane's arrival at an mbarrier, made once its copies up to `serial` have landed.
struct PendingArrival {
  std::uint32_t instruction = 0;  ///< Index of the PTX instruction
  std::uint32_t lane = 0;
  std::uint32_t address = 0;  ///< Of the mbarrier, in shared memory
  std::uint32_t serial = 0;   ///< PendingCopy::serial
};

/// The copies of a warp. Groups complete in order, each for the thread that committed it. PTX ISA,
/// "cp.async.commit_group", "cp.async.wait_group".
struct WarpCopies {
  std::vector<PendingCopy> pending;                  ///< In the order of issue
  std::vector<PendingArrival> arrivals;              ///< The same
  std::array<std::uint32_t, kWarpSize> committed{};  ///< Groups, by lane
};

/// The state of a warp between its turns.
struct WarpState {
  std::byte* registers = nullptr;
  std::byte* local = nullptr;
  std::byte* call_params = nullptr;
  std::vector<CallFrame> calls;
  std::vector<PieceBase> bases;                      ///< By piece
  std::uint64_t call_params_top = 0, local_top = 0;  ///< Memory in use by recursive calls
  WarpStatus status = WarpStatus::ready;
  std::uint32_t launched = 0, active = 0, alive = 0;
  const Instr* join = nullptr;
  const Instr* resume = nullptr;
  const Instr* waits_at = nullptr;
  std::uint32_t waits_on = 0;  ///< Barrier number
  std::vector<Suspended> stack;
  std::uint32_t depth = 0;
  std::vector<std::uint64_t> suspended;
  std::uint32_t phase = 0;
  std::uint64_t executed = 0;  ///< Warp instructions so far
  std::uint32_t alive_at_barrier =
      0;  ///< Lanes alive when part of the warp last arrived at a barrier before the rest had run
  std::uint32_t gone = 0;  ///< As Machine::gone
  std::vector<AwaitedLanes> awaited;
  WarpCopies copies;
  std::uint32_t product_groups = 0;   ///< That it has committed (wgmma.commit_group)
  std::uint32_t products_waited = 0;  ///< Of those, how many it has waited for (wgmma.wait_group)
  /// Header of a loop that waits for memory to change, where the last turn ended; null: it ended elsewhere
  const Instr* polls_at = nullptr;
  std::uint32_t arrived_in_cluster = 0;  ///< Lanes that have arrived at the cluster's barrier in its phase
  std::uint32_t cluster_phases = 0;      ///< Phases of that barrier that the warp has waited for
  std::uint32_t mbarrier = 0;            ///< Where it last found a phase that has not ended
  std::uint64_t others_ran =
      0;  ///< BlockRunner::phases_ended_ when other lanes last ran before those that wait
};

struct StateHash {
  std::uint64_t a = 0, b = 0;
  friend bool operator==(const StateHash&, const StateHash&) = default;
  friend bool operator<(const StateHash& x, const StateHash& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }
};

/// What a warp does while its block makes no progress.
struct Standing {
  std::uint32_t lanes = 0;     ///< Active lanes
  std::set<StateHash> states;  ///< The warp's states at its backward branches
  std::optional<Wait> wait;    ///< nullopt: the warp does not run
};

}  // namespace warplens::replay
