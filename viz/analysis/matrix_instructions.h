// The instructions of a kernel that work on matrices, where these lie in registers or in shared memory, and
// how one element of a product comes about.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/recording/block_details.h"
#include "kernels/recording/recording.h"
#include "kernels/tensor/dot_product.h"
#include "kernels/tensor/operand_matrices.h"
#include "kernels/tensor/shared_matrix.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

struct MatrixInstruction {
  std::uint32_t instruction = 0;  ///< As Site::instruction
  std::uint32_t file = 0, line = 0;
  ptx::Instruction ptx;
  std::vector<tensor::OperandMatrix> matrices;           ///< tensor::operand_matrices
  std::vector<std::vector<std::string>> register_names;  ///< By matrix, then by register
  bool is_of_warpgroup = false;                          ///< wgmma: a warp has 16 of the 64 rows of D and A

  [[nodiscard]] bool is_product() const;
  /// Rows of D and A that belong to the warps before: 16 for each in its warpgroup.
  [[nodiscard]] std::uint32_t rows_before(std::uint32_t warp) const;
  /// The index of its matrix of that name; nullopt: it has none.
  [[nodiscard]] std::optional<std::size_t> matrix(char name) const;
};
/// Lists the matrix instructions of the recorded entry in the order of its PTX.
[[nodiscard]] std::vector<MatrixInstruction> matrix_instructions(const Recording& recording);

/// Finds the instruction to show for an access: its own if it loads or stores matrices, else the next product
/// in the PTX, else the last one, of those that the warp executes. `warp`: null if its executions are not
/// known. Returns an index into `instructions`, which are not empty.
[[nodiscard]] std::size_t nearest_instruction(std::span<const MatrixInstruction> instructions,
                                              const Recording& recording, std::optional<std::size_t> event,
                                              const BlockDetails* warp);
/// Finds the first execution at or after the access, else the last one before. Returns null if the warp does
/// not execute the instruction, or if the execution was not kept (BlockDetails::cut).
[[nodiscard]] const MatrixExecution* nearest_execution(const BlockDetails& warp, std::uint32_t instruction,
                                                       std::uint32_t order);

/// Where an element is held: in one register of one lane.
struct RegisterPlace {
  std::uint32_t lane = 0, reg = 0;  ///< `reg`: of the matrix
  std::uint32_t value = 0;          ///< From the lowest bits of the register
};
[[nodiscard]] RegisterPlace place_of(const tensor::Fragment& fragment, std::size_t row, std::size_t column);
struct MatrixPosition {
  std::uint32_t row = 0, column = 0;
  std::uint32_t reg = 0;  ///< The register of the matrix that holds the element
};
/// Lists the elements that a lane holds, row by row.
[[nodiscard]] std::vector<MatrixPosition> elements_of_lane(const tensor::Fragment& fragment, int lane);
/// Where the matrix lies in shared memory; nullopt: it does not, or it is not known.
[[nodiscard]] std::optional<tensor::SharedMatrix> shared_matrix_of(const MatrixInstruction& instruction,
                                                                   const MatrixExecution* execution,
                                                                   std::size_t matrix);
/// The address of an element of such a matrix in shared memory, as the kernel sees it; `row` counts from the
/// first row of the warp.
[[nodiscard]] std::uint32_t address_of_element(const MatrixInstruction& instruction,
                                               const tensor::SharedMatrix& shared, std::size_t matrix,
                                               std::uint32_t warp, std::size_t row, std::size_t column);
/// The bits of an element in an execution; nullopt: they are not known.
[[nodiscard]] std::optional<std::uint64_t> element_bits(const MatrixInstruction& instruction,
                                                        const MatrixExecution& execution, std::size_t matrix,
                                                        std::size_t row, std::size_t column);
/// Whether elements of a type stand for numbers: those of b1 and b16 are bits alone.
[[nodiscard]] bool holds_numbers(ptx::Type type);
/// The number that the bits of an element stand for, where they stand for one.
[[nodiscard]] double number_of(ptx::Type type, std::uint64_t bits);

/// A product of one element of A and one of B, of those that are added up to an element of D.
struct ProductTerm {
  std::size_t a_column = 0, b_row = 0;  ///< A[row][a_column] * B[b_row][column]
  std::uint64_t a = 0, b = 0;           ///< Their bits
};
/// The products of D[row][column] in the order in which they are added under a compute capability, and the
/// element. Values need an execution, and so do the terms of mma.sp: else there are none.
struct ElementSum {
  tensor::SumRule rule;
  std::vector<ProductTerm> terms;
  std::optional<std::uint64_t> c, d;
  std::vector<tensor::AlignedBlock> blocks;  ///< tensor::aligned_blocks
};
[[nodiscard]] ElementSum element_sum(const MatrixInstruction& instruction, const MatrixExecution* execution,
                                     ComputeCapability cc, std::size_t row, std::size_t column);

}  // namespace warplens::analysis
