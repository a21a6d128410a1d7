// Registers of a warp that executes one ldmatrix and one mma of f16, for tests of the Fragments view.
#pragma once

#include <cstring>
#include <memory>

#include "kernels/arithmetic/half.h"
#include "kernels/recording/block_details.h"
#include "viz/analysis/matrix_instructions.h"

namespace warplens::test {

inline constexpr const char* kMatrixPtx =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
    ".reg .b32 %r<32>; .reg .f32 %f<16>; .shared .align 16 .b8 tile[1024];\n"
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [tile];\n"
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, "
    "%r6}, "
    "{%f5, %f6, %f7, %f8};\nret;\n}\n";

inline const std::vector<analysis::MatrixInstruction>& matrix_instructions() {
  static const std::vector<analysis::MatrixInstruction> instructions = [] {
    Recording recording;
    recording.entry = "k";
    recording.ptx = kMatrixPtx;
    return analysis::matrix_instructions(recording);
  }();
  return instructions;
}

/// Returns that warp's executions: A[i][k] is 1 + i / 1,024, B[k][j] is 1 / (1 + k), C is 1,000. Sums lose
/// bits.
inline std::shared_ptr<const BlockDetails> block_details(Dim3 block, std::uint32_t warp) {
  auto matrices =
      std::make_shared<BlockDetails>(BlockDetails{.block = block, .warp = warp, .executions = {}});
  for (const analysis::MatrixInstruction& instruction : matrix_instructions()) {
    MatrixExecution execution{.instruction = instruction.instruction};
    for (const tensor::OperandMatrix& matrix : instruction.matrices) {
      std::vector<std::byte> registers(matrix.registers.size() * 4 * kWarpSize);
      for (std::size_t row = 0; row < matrix.fragment.rows; ++row) {
        for (std::size_t column = 0; column < matrix.fragment.columns; ++column) {
          const std::size_t place = matrix.fragment.places[row * matrix.fragment.columns + column];
          const double value = matrix.name == 'B' ? 1 / (1 + static_cast<double>(row))
                               : matrix.name == 'C' || matrix.name == 'D'
                                   ? 1000
                                   : 1 + static_cast<double>(row) / 1024;
          if (matrix.fragment.element_bits == 16) {
            const std::uint16_t half = arithmetic::Float16::narrow(value);
            std::memcpy(registers.data() + place * 2, &half, 2);
          } else {
            const auto single = static_cast<float>(value);
            std::memcpy(registers.data() + place * 4, &single, 4);
          }
        }
      }
      execution.registers.insert(execution.registers.end(), registers.begin(), registers.end());
    }
    matrices->executions.push_back(std::move(execution));
  }
  return matrices;
}

}  // namespace warplens::test
