// The operands of which a recorder keeps the values, where one address stands for any number of accesses:
// bulk copies, and products of a warpgroup (MemoryEffect::Lanes::pieces). The accesses follow from the
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/ptx/module.h"

namespace warplens::ptx {

struct RecordedOperand {
  enum class Holds : std::uint8_t { number, shared_address, global_address, address_of_map };
  Operand operand;  ///< A register or a number; an address
  Holds holds = Holds::number;
};

/// Of one instruction.
struct OperandGroup {
  std::uint32_t instruction = 0;
  Operand guard;                          ///< Kind none if there is none
  std::vector<RecordedOperand> operands;  ///< As recorded_operands() returns them
  bool is_of_warp = false;                ///< They hold the same in all lanes, which execute it together
};

/// Returns, of a bulk copy: the address in shared memory; of tensors the address of the map and the
/// coordinates, innermost first, and of loads in im2col mode the offsets, else the other address and the
/// bytes; and of a multicast the mask of the blocks. Of a product of a warpgroup: the matrix descriptors of
/// what is in shared memory, A before B. Empty for other instructions.
[[nodiscard]] std::vector<RecordedOperand> recorded_operands(const Instruction& instruction);

}  // namespace warplens::ptx
