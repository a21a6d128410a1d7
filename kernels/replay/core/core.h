// A core is the interpreter compiled for one instruction set. All cores give the same results bit for bit.
#pragma once

#include "kernels/ptx/module.h"
#include "kernels/replay/core/machine.h"

namespace warplens::replay {

/// What of an instruction decides its handler: plain data, so that no library code is compiled inside a core.
struct Traits {
  ptx::Opcode opcode = ptx::Opcode::unsupported;
  ptx::Type type = ptx::Type::none, source_type = ptx::Type::none, b_type = ptx::Type::none;
  ptx::StateSpace space = ptx::StateSpace::none, to_space = ptx::StateSpace::none;
  ptx::Rounding rounding = ptx::Rounding::none;
  ptx::Compare compare = ptx::Compare::none;
  ptx::BoolOp bool_op = ptx::BoolOp::none;
  ptx::AtomicOp atomic = ptx::AtomicOp::none;
  ptx::ShuffleMode shuffle = ptx::ShuffleMode::none;
  ptx::VoteMode vote = ptx::VoteMode::none;
  ptx::MulMode mul = ptx::MulMode::none;
  ptx::BarrierMode barrier = ptx::BarrierMode::none;
  ptx::PermuteMode permute = ptx::PermuteMode::none;
  ptx::FloatTest test = ptx::FloatTest::none;
  bool ftz = false, sat = false, approx = false, full = false, relu = false, wrap = false, left = false,
       carry_out = false, nan = false, xor_sign = false, absolute = false, shiftamt = false,
       sat_finite = false;
  std::uint8_t vector = 1;
  std::uint8_t sources = 0;           ///< Of an instruction that does nothing but compute
  std::uint8_t register_bytes = 0;    ///< Of the destination (stores: of the data); 0 if there is none
  std::uint8_t source_bytes = 0;      ///< Of the first source register
  std::uint8_t pack = 0, unpack = 0;  ///< mov of {..}: number of elements
  bool conditional = false;           ///< bra, ret, exit: guarded
  bool backward = false;              ///< bra: to an earlier instruction
  bool clock = false;                 ///< mov from %clock and its like
  bool strong = false;                ///< Memory: volatile, relaxed, acquire, release
  bool grouped = false;               ///< ld: of a LoadGroup
};

struct Core {
  const char* name = nullptr;
  Handler (*select)(const Traits& traits) = nullptr;  ///< Null if the instruction cannot be run
  Handler by_lane = nullptr, test_by_lane = nullptr,
          compare_by_lane = nullptr;  ///< Run a LaneFunction (lane_functions.h) on each lane
  Handler compare_pairs_by_lane = nullptr,
          set_by_lane = nullptr;  ///< The same, of comparisons that give a bit for each of two halves
  Handler video = nullptr;        ///< Runs a VideoForm (video.h)
  Handler join = nullptr;         ///< Before the first instruction of a block where lanes may meet
  Handler guard = nullptr;  ///< Before a guarded instruction: runs it for the lanes whose predicate holds
  Handler (*begin_loads)(bool in_shared, int bytes) =
      nullptr;  ///< Before the first of a LoadGroup, whose loads have that many bytes a lane each
  Handler (*add_up)(bool wide) = nullptr;  ///< Before the first instruction of a ProductSumPlan
  Handler unsupported = nullptr;           ///< Stops the warp
  Handler call = nullptr, after_call = nullptr, return_from_call = nullptr;
  Handler load_call_param = nullptr, store_call_param = nullptr;  ///< Parameters of calls
  Handler multiply_in_warpgroup = nullptr;                        ///< wgmma.mma_async
  Handler multiply_matrices = nullptr;                            ///< mma, mma.sp, wmma.mma
  void (*run)(Machine& m, const Instr* start) = nullptr;
  /// True if this warp's accesses of the interval (SharedShadow::read, written, strong) conflict with those
  /// of the others.
  bool (*conflicts)(const Machine& m, const std::uint64_t* others_read, const std::uint64_t* others_written,
                    const std::uint64_t* others_strong) = nullptr;
  /// Adds this warp's accesses to the others', and clears its own.
  void (*merge_shadow)(Machine& m, std::uint64_t* others_read, std::uint64_t* others_written,
                       std::uint64_t* others_strong) = nullptr;
};

/// Does together what the `imm` - 1 instructions behind it do (product_sums.h).
[[nodiscard]] inline bool runs_ahead(const Core& core, const Instr& instr) {
  return instr.run == core.add_up(false) || instr.run == core.add_up(true);
}
/// Does nothing: stands in place of instructions that are not run.
const Instr* nop(Machine& m, const Instr* i);

extern const Core kCoreV2, kCoreV3, kCoreV4;

/// The widest that this machine runs; WARPLENS_SIMD (v2, v3, v4) lowers it.
[[nodiscard]] const Core& best_core();

}  // namespace warplens::replay
