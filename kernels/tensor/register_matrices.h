// The matrices that an instruction reads from and writes to the registers of a warp, whichever instruction it
// is.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/module.h"
#include "kernels/tensor/fragments.h"

namespace warplens::tensor {

struct RegisterMatrix {
  /// 'A', 'B', 'C' or 'D' of a product and of what loads or stores one of its matrices; '0' to '3' of the
  /// matrices of ldmatrix and stmatrix.
  char name = 'D';
  bool is_written = false;  ///< By the instruction; else it is read
  ptx::Type type = ptx::Type::none;
  Fragment fragment;
  std::vector<ptx::Operand> registers;  ///< fragment.registers of them: registers or constants, or sinks
};

/// In the order of the operands: of mma D, A, B, C. Empty for any other instruction than mma, mma.sp, wmma,
/// ldmatrix, stmatrix and movmatrix, and for forms of these that do not exist.
[[nodiscard]] std::vector<RegisterMatrix> register_matrices(const ptx::Instruction& instruction);

}  // namespace warplens::tensor
