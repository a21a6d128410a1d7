// The matrices that an instruction reads and writes, whichever instruction it is: in the registers of a warp,
// or, of wgmma, in shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/ptx/module.h"
#include "kernels/tensor/fragments.h"

namespace warplens::tensor {

struct OperandMatrix {
  /// 'A', 'B', 'C' or 'D' of a product and of what loads or stores one of its matrices; '0' to '3' of the
  /// matrices of ldmatrix and stmatrix.
  char name = 'D';
  bool is_written = false;  ///< By the instruction; else it is read
  ptx::Type type = ptx::Type::none;
  /// Of a matrix in shared memory: its elements row by row, in as many words as registers would take.
  Fragment fragment;
  std::vector<ptx::Operand> registers;  ///< fragment.registers of them: registers or constants, or sinks
  std::optional<ptx::Operand> descriptor =
      std::nullopt;          ///< Of a matrix in shared memory; it has no registers
  bool is_mn_major = false;  ///< Of a matrix in shared memory
  bool is_negated = false;   ///< Its elements are multiplied by -1
};

/// In the order of the operands: of mma D, A, B, C. Those of wgmma are what one warp multiplies, 16 rows of D
/// and A; its C is what D held before. Empty for any other instruction than mma, mma.sp, wmma, wgmma,
/// ldmatrix, stmatrix and movmatrix, and for forms of these that do not exist.
[[nodiscard]] std::vector<OperandMatrix> operand_matrices(const ptx::Instruction& instruction);

}  // namespace warplens::tensor
