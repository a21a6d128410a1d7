// The accesses that follow from what operands hold (kernels/ptx/instrument/operand_groups.h), as the replay
// records them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/base/tensor_map.h"
#include "kernels/ptx/instrument/operand_groups.h"
#include "kernels/ptx/module.h"
#include "kernels/replay/decode/code.h"
#include "kernels/replay/replay.h"

namespace warplens::gpu {

/// Up to 32 pieces of 16 bytes, each in place of a lane.
struct OperandAccess {
  std::uint32_t site = 0;  ///< 0: the first of the instruction's sites
  std::uint32_t mask = 0;
  std::array<std::uint64_t, kWarpSize> addresses{};  ///< As recordings have them
};

/// Of one launch.
class OperandAccesses {
 public:
  /// `parameters`: as pass_arguments lays them out, with tensor maps as encode_tensor_map makes them.
  /// `shared_base`: address at which shared memory begins. What it is given must live as long.
  OperandAccesses(const replay::Program::Code& code, std::span<const std::byte> parameters,
                  const replay::Memory& memory, Dim3 cluster, std::uint32_t shared_base);

  /// Returns the accesses in the replay's order. `values`: of the group's operands, addresses as recordings
  /// have them, that of a tensor map in the parameters as a parameter_place(). `warp`: in its warpgroup.
  /// Nullopt if no tensor map lies where one is named.
  [[nodiscard]] std::optional<std::vector<OperandAccess>> of(const ptx::OperandGroup& group,
                                                             std::span<const std::uint64_t> values,
                                                             std::uint32_t warp) const;

 private:
  [[nodiscard]] std::optional<std::vector<OperandAccess>> of_bulk_copy(
      const ptx::Instruction& instruction, std::span<const std::uint64_t> values) const;
  [[nodiscard]] std::vector<OperandAccess> of_product(const ptx::Instruction& instruction,
                                                      std::span<const std::uint64_t> values,
                                                      std::uint32_t warp) const;
  [[nodiscard]] std::optional<TensorMap> map_at(std::uint64_t address) const;

  const replay::Program::Code& code_;
  std::span<const std::byte> parameters_;
  const replay::Memory& memory_;
  std::uint32_t cluster_blocks_;
  std::uint32_t shared_base_;
};

}  // namespace warplens::gpu
