// Which element of a matrix each lane of a warp holds where: PTX ISA, "Matrix Fragments for mma", and of
// wmma, which the PTX ISA leaves open, as measured (docs/tensor_cores.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/ptx/module.h"

namespace warplens::tensor {

enum class MatrixRole : std::uint8_t { a, b, c, d };

/// A matrix in the registers of a warp. mma.m8n8k4 of f16 multiplies four pairs of matrices: theirs lie one
/// behind the other here.
struct Fragment {
  std::uint8_t registers = 0;     ///< A lane's, of 32 bits, or of 64 of f64
  std::uint8_t element_bits = 0;  ///< Of b1: 32 at once
  std::uint16_t rows = 0, columns = 0, matrices = 1;
  /// Where each element is, row by row: (register * 32 + lane) * (elements in a register) + place in it.
  std::vector<std::uint16_t> places;
  /// Rows of all the matrices, one behind the other.
  [[nodiscard]] std::size_t all_rows() const { return std::size_t{rows} * matrices; }
  [[nodiscard]] std::size_t register_bytes() const { return element_bits == 64 ? 8 : 4; }
};

/// Returns the fragment of an mma, mma.sp or wmma.mma whose shape and types exist together. A of mma.sp has
/// half the columns. A and B of f16 in wmma have more registers than they need, and the surplus is left out.
[[nodiscard]] Fragment fragment_of(const ptx::Instruction& instruction, MatrixRole role);
/// How many registers a lane has of it as the instruction is written.
[[nodiscard]] int registers_of(const ptx::Instruction& instruction, MatrixRole role);

[[nodiscard]] ptx::Type element_type(const ptx::Instruction& instruction, MatrixRole role);
[[nodiscard]] bool is_sparse(const ptx::Instruction& instruction);
/// Computes four products: mma.m8n8k4 of f16.
[[nodiscard]] bool has_four_products(const ptx::Instruction& instruction);

}  // namespace warplens::tensor
