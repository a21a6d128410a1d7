// Basic blocks whose memory accesses a recorder logs, and the register values that determine these accesses.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/instrument/operand_groups.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// A register times a factor, added to something.
struct Term {
  Operand reg;  ///< Kind reg
  std::int64_t factor = 1;
};

/// A number per lane: constant + by_group * (lane / 4) + by_lane * (lane % 4); by_group or by_lane is 0.
struct LaneNumber {
  std::uint32_t constant = 0, by_group = 0, by_lane = 0;
};
/// One access of a wmma.load or wmma.store: each lane accesses one piece of the matrix.
struct MatrixPiece {
  LaneNumber line;   ///< Row of the piece, or column in the column-major layout
  LaneNumber bytes;  ///< Byte offset within that row or column
  Operand stride;    ///< Of a row or column, in elements: a register or number
  std::uint32_t element_bits = 0;
};
/// Returns the pieces that an instruction accesses, in order; empty if they are not known. Called for
/// wmma.load and wmma.store only.
using PiecesOf = std::function<std::vector<MatrixPiece>(const Instruction&)>;

/// Accesses of a segment whose addresses are one value plus constants, under one guard: what is known of the
/// value is known of all of them.
struct AccessGroup {
  struct Member {
    std::uint32_t instruction = 0;
    std::int64_t offset = 0;  ///< Added to the value, in bytes; 0 for the first
  };
  StateSpace space = StateSpace::generic;  ///< global, shared, local or generic; none: of texels
  Operand address;                         ///< Of the first member: its base and offset make the value
  Operand guard;                           ///< Kind none if there is none
  bool wide = true;                        ///< The value has 64 bits, else 32
  bool as_generic =
      false;  ///< The value is the generic address of what lies there (SegmentRules::in_several_functions)
  std::vector<Member> members;  ///< In the order of the code
  // Of ldmatrix, stmatrix and cp.async not all lanes that execute it access memory:
  std::uint32_t lanes = kWarpSize;  ///< The lowest so many do
  Operand read_bytes;       ///< Those do for which it is not 0 (a register or number), or does not hold (a
                            ///< predicate); Kind none: all
  bool is_partial = false;  ///< It is such an access: who executes it is counted by itself
  std::optional<MatrixPiece> piece;  ///< Of wmma.load and wmma.store: the sampled value is the address of the
                                     ///< lane's piece, `address` that of the matrix
  // Of texels: the value is where recordings have one of those that a lane's coordinates mean, which the
  // recorder knows.
  std::uint32_t texel_site = 0;  ///< Of the kernel's tex, tld4, suld and sust, in the order of the code
  std::uint32_t texel = 0;       ///< Of the texels of a lane
  [[nodiscard]] bool is_of_texels() const { return space == StateSpace::none; }
  /// An earlier group, under the same guard, from which the value differs by a constant and registers that
  /// its loop leaves alone: while these stay as they are, the two values go on together.
  std::optional<std::uint32_t> root;
  std::vector<Term> from_root;
  std::int64_t distance = 0;
};

/// Other instructions that hang on one value of a predicate: what part of the warp they count for.
struct GuardGroup {
  Operand guard;
  std::vector<std::uint32_t> instructions;
};

/// Consecutive instructions [first, end) that are always executed together by the same lanes: a basic block,
/// or its part up to a barrier or a call of a function with a body.
struct Segment {
  std::uint32_t first = 0, end = 0;
  std::uint32_t block = 0;  ///< The basic block
  std::vector<AccessGroup> accesses;
  /// Groups with a root whose distance from it is the same in all threads of a launch, whenever they come
  /// here: once it is known, all of them are.
  std::vector<AccessGroup> shifted;
  std::vector<OperandGroup> operands;
  std::vector<GuardGroup> guards;   ///< But not of a branch at the end whose takers follow from the counts of
                                    ///< blocks (edge_counts.h)
  std::vector<Operand> invariants;  ///< The registers that AccessGroup::from_root names
  std::uint32_t unguarded = 0;      ///< Instructions without a guard
  bool counts_block = false;  ///< Of those of blocks that are executed together (equivalent_blocks.h), the
                              ///< one whose executions stand for all
  bool in_loop = false;       ///< May be executed more than once by a thread
  bool ends_at_barrier =
      false;  ///< The last instruction is a barrier at which the warp waits: a new phase follows
  bool ends_outer_loop = false;  ///< The last instruction is a branch back to the header of an outermost loop
  bool ends_at_call = false;     ///< The last instruction is a call of a function with a body
  bool repeats_call = false;  ///< None of the code: further executions of a call, by lanes that call another
                              ///< function than the first of them
};

struct SegmentRules {
  /// The kernel calls functions, of which this is one. Where their shared and local variables lie is known
  /// when they are called: such accesses are looked at by generic addresses, each by its own.
  bool in_several_functions = false;
  bool has_barrier = false;     ///< Some other of the functions: phases do not follow from loops
  bool waits_for_grid = false;  ///< Lanes whose address is in the driver's workspace make no access: no
                                ///< address follows from another's
  std::span<const std::uint32_t> texels = {};  ///< InstrumentOptions::texels
  PiecesOf pieces_of = {};                     ///< InstrumentOptions::pieces_of
};

/// Finds the segments in the order of the code; every instruction is in one of them.
[[nodiscard]] std::vector<Segment> find_segments(const Function& function, const ControlFlow& flow,
                                                 const SegmentRules& rules = {});

}  // namespace warplens::ptx
