// How what a kernel computes follows from the index of the block: found from its PTX and one launch, whatever
// blocks run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/block_classes.h"
#include "kernels/replay/decode/code.h"
#include "kernels/replay/replay.h"

namespace warplens::replay {

/// An instruction that does in another block what it does in this one only as long as its operands keep
/// within bounds: those that are met while the block runs say which.
struct Watch {
  enum class Kind : std::uint8_t {
    comparison,  ///< of operands `a` and `b`: each lane's outcome must stay
    range,       ///< of operand `operand`: it must not leave what its type holds
    extreme,     ///< min or max of `a` and `b`: every lane must take operand `operand`
    selection,   ///< by a predicate: every lane must take operand `operand`
    access       ///< its address must stay in its buffer, and what lanes store must not go to one place
  };
  Kind kind = Kind::range;
  std::uint32_t instruction = 0;  ///< Index in ptx::Function::instructions
  ptx::Compare compare = ptx::Compare::none;
  bool is_signed = false;
  std::uint8_t bytes = 4;    ///< Of an operand: 4 or 8. Of an access: what a lane accesses
  std::uint8_t operand = 0;  ///< 0 or 1: Instr::a or Instr::b
  bool is_max = false;       ///< Of an extreme
  bool stores = false;       ///< Of an access
  bool in_shared = false;    ///< Of an access: it must stay in shared memory
  Shift a, b;                ///< Of the operands; of an access, `a` of the address
};

/// Why blocks cannot be told to behave alike.
struct Obstacle {
  enum class Kind : std::uint8_t { address, way, size, cancelled };
  Kind kind = Kind::address;
  std::uint32_t instruction =
      0;  ///< Whose address, or whose way through the code, may differ otherwise than by a shift
  std::optional<std::uint32_t> cause;  ///< The instruction that makes the value that it depends on
};

struct BlockShifts {
  std::vector<Shift> of_access;  ///< By PTX instruction: of its address
  std::vector<Watch> watches;    ///< By instruction, at most one each
  std::optional<Obstacle> obstacle;
};

/// Follows blockIdx through the code's integer arithmetic, with the launch's extents and arguments as
/// constants. Values that are loaded are not followed: where one decides on an address or on the way through
/// the code, that is an obstacle.
///
/// `axes`: shifts along others are 0.
/// `parameters`: as pass_arguments lays them out.
/// `takes_second`: by PTX instruction, those of min, max and selp that are supposed to take their second
/// operand; others are to take their first. `progress`: whose `cancel` ends it, with an obstacle; may be
/// null.
[[nodiscard]] BlockShifts find_block_shifts(const Program::Code& code, const Launch& launch,
                                            std::span<const std::byte> parameters,
                                            const std::vector<bool>& takes_second, const Axes& axes,
                                            const Progress* progress);

/// A loop, by basic block.
struct Loop {
  std::uint32_t header = 0;
  std::vector<bool> blocks;
};
/// What a register holds where a lap of a loop begins, in all lanes of all warps.
struct LapRegister {
  std::optional<std::int64_t> step;       ///< By how much it grows in a lap; nullopt: not known
  std::optional<std::uint64_t> constant;  ///< What it holds, lap after lap
};
/// The same of what one block does in the laps of a loop: Shift::x is by a lap. Loads of shared memory may
/// shift, too.
///
/// `registers`: by PTX register, as two laps that follow each other have shown. Of those that need not grow
/// so in a third one nothing is known then.
[[nodiscard]] BlockShifts find_lap_shifts(const Program::Code& code, const Launch& launch,
                                          std::span<const std::byte> parameters, const Loop& loop,
                                          std::vector<LapRegister>& registers, const Progress* progress);

}  // namespace warplens::replay
