// Abstract interpretation of a kernel over affine functions of the block index: by how much each address
// shifts from one block to the next. Found from the PTX and one launch, without running a block.
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

/// An instruction whose outcome is the same in another block only while its operands stay within bounds. The
/// operands met while a representative block runs give these bounds.
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

/// Why blocks cannot be proved to behave alike.
struct Obstacle {
  enum class Kind : std::uint8_t { address, control_flow, size, cancelled };
  Kind kind = Kind::address;
  std::uint32_t instruction =
      0;  ///< Its address, or the control flow it decides on, may change by more than a shift
  std::optional<std::uint32_t> cause;  ///< The instruction that produces the value that it depends on
};

struct BlockShifts {
  std::vector<Shift> of_access;  ///< By PTX instruction: of its address
  std::vector<Watch> watches;    ///< By instruction, at most one each
  std::optional<Obstacle> obstacle;

  /// Of the addresses of a site. Of an asynchronous copy only the source shifts.
  [[nodiscard]] Shift of_site(const Site& site) const;
};

/// Propagates blockIdx through the code's integer arithmetic, with the launch's extents and arguments as
/// constants, to a fixed point. Loaded values are unknown: an address or a branch that depends on one is an
/// obstacle.
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
/// What a register holds at the loop header, in all lanes of all warps.
struct LoopRegister {
  std::optional<std::int64_t> step;       ///< Its increment per iteration; nullopt: not known
  std::optional<std::uint64_t> constant;  ///< Its value, the same in each iteration
};
/// The same analysis over the iterations of a loop in place of blocks: Shift::x is per iteration. Loads of
/// shared memory may shift, too.
///
/// `registers`: by PTX register, as two consecutive iterations have shown. Registers whose increment is not
/// proved for further iterations are reset to unknown.
[[nodiscard]] BlockShifts find_iteration_shifts(const Program::Code& code, const Launch& launch,
                                                std::span<const std::byte> parameters, const Loop& loop,
                                                std::vector<LoopRegister>& registers,
                                                const Progress* progress);

}  // namespace warplens::replay
