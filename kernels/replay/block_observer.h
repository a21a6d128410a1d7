// Keeps details of one block while it runs: the operands of instructions on matrices, copies of tensors.
// Private to the replay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/recording/block_details.h"
#include "kernels/replay/core/machine.h"
#include "kernels/replay/decode/code.h"
#include "kernels/tensor/operand_matrices.h"

namespace warplens::replay {

class BlockRunner;

class BlockObserver {
 public:
  /// `block`: its linear index.
  BlockObserver(const Program::Code& code, std::uint64_t block, std::uint32_t warp);

  /// Returns the PTX instructions that it handles, ascending.
  [[nodiscard]] std::vector<std::uint32_t> instructions() const;
  const Instr* run(Machine& m, const Instr* i);
  void note(const BlockRunner& runner, const TensorCopy& copy);
  /// Adds to the last one where that is of the same instruction, as those of lanes are. Finds the phase.
  void note(const BlockRunner& runner, Sync sync);

  BlockDetails seen;

 private:
  [[nodiscard]] bool read(const Machine& m, const ptx::Operand& operand, std::size_t bytes,
                          std::byte* to) const;
  void read(const Machine& m, const std::vector<tensor::OperandMatrix>& matrices, bool written,
            MatrixExecution& execution) const;
  void read_shared(const Machine& m, const Instr& i, const std::vector<tensor::OperandMatrix>& matrices,
                   MatrixExecution& execution) const;

  const Program::Code& code_;
  std::uint64_t block_;
  std::uint32_t warp_;
  std::vector<Handler> handlers_;
  std::map<std::uint32_t, std::vector<tensor::OperandMatrix>> matrices_;  ///< By PTX instruction
  std::uint64_t bytes_ = 0;
  std::map<std::uint32_t, std::uint32_t> phases_;  ///< Ended, by mbarrier
};

}  // namespace warplens::replay
