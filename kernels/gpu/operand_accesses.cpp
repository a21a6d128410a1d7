#include "kernels/gpu/operand_accesses.h"

#include <bit>

#include "kernels/base/bulk_accesses.h"
#include "kernels/ptx/instrument/record_frame.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/replay/decode/warpgroup_flags.h"
#include "kernels/tensor/shared_matrix.h"

namespace warplens::gpu {

OperandAccesses::OperandAccesses(const replay::Program::Code& code, std::span<const std::byte> parameters,
                                 const replay::Memory& memory, Dim3 cluster, std::uint32_t shared_base)
    : code_(code),
      parameters_(parameters),
      memory_(memory),
      cluster_blocks_(static_cast<std::uint32_t>(cluster.count())),
      shared_base_(shared_base) {}

std::optional<std::vector<OperandAccess>> OperandAccesses::of(const ptx::OperandGroup& group,
                                                              std::span<const std::uint64_t> values,
                                                              std::uint32_t warp) const {
  const ptx::Instruction& instruction = code_.function.instructions[group.instruction];
  if (ptx::is_bulk_copy(instruction)) return of_bulk_copy(instruction, values);
  return of_product(instruction, values, warp);
}

std::optional<TensorMap> OperandAccesses::map_at(std::uint64_t address) const {
  std::span<const std::byte> bytes = parameters_;
  if (ptx::is_parameter_place(address)) {
    address = code_.parameter_offsets[ptx::parameter_of(address)] + ptx::byte_of(address);
  } else {
    const auto& buffers = memory_.buffers();
    std::uint32_t b = 0;
    while (b < buffers.size() && address - buffers[b].base >= buffers[b].bytes) ++b;
    if (b == buffers.size()) return std::nullopt;
    bytes = memory_.bytes(b);
    address -= buffers[b].base;
  }
  if (address > bytes.size() || bytes.size() - address < kTensorMapBytes) return std::nullopt;
  return decode_tensor_map(bytes.subspan(address).first<kTensorMapBytes>());
}

std::optional<std::vector<OperandAccess>> OperandAccesses::of_bulk_copy(
    const ptx::Instruction& instruction, std::span<const std::uint64_t> values) const {
  // A swizzle is of addresses, which begin at the base.
  const auto shared = static_cast<std::uint32_t>(values[0]) + shared_base_;
  const bool loads = instruction.to_space == ptx::StateSpace::shared;
  std::vector<BoxPiece> pieces;
  if (instruction.dimensions != 0) {
    const std::optional<TensorMap> map = map_at(values[1]);
    if (!map || map->rank != instruction.dimensions) return std::nullopt;
    std::array<std::int32_t, kMaxTensorRank> start{};
    for (std::size_t d = 0; d < map->rank; ++d) start.at(d) = static_cast<std::int32_t>(values[2 + d]);
    if (map->im2col.has_value() != instruction.im2col) return std::nullopt;
    Im2colOffsets offsets{};
    for (std::size_t k = 0; loads && instruction.im2col && k + 2 < map->rank; ++k)
      offsets.at(k) = static_cast<std::uint16_t>(values[2 + map->rank + k]);
    pieces = pieces_of_box(*map, start, shared, offsets);
  } else {
    pieces = pieces_of_row(shared, values[1], static_cast<std::uint32_t>(values[2]));
  }
  std::uint32_t copies = 1;
  if (instruction.multicast && cluster_blocks_ > 1)
    copies = static_cast<std::uint32_t>(
        std::popcount(values.back() & ((std::uint64_t{1} << cluster_blocks_) - 1)));

  std::vector<OperandAccess> accesses;
  for (const BulkAccess& access : accesses_of(pieces)) {
    if (access.in_tensor != 0)
      accesses.push_back({.site = 0, .mask = access.in_tensor, .addresses = access.global});
    OperandAccess in_shared{
        .site = 1, .mask = loads ? access.pieces : access.in_tensor, .addresses = access.shared};
    for (std::uint64_t& address : in_shared.addresses) address -= shared_base_;
    for (std::uint32_t copy = 0; in_shared.mask != 0 && copy < copies; ++copy) accesses.push_back(in_shared);
  }
  return accesses;
}

std::vector<OperandAccess> OperandAccesses::of_product(const ptx::Instruction& instruction,
                                                       std::span<const std::uint64_t> values,
                                                       std::uint32_t warp) const {
  const replay::WarpgroupFlags flags = *replay::warpgroup_flags_of(instruction);
  std::vector<OperandAccess> accesses;
  const auto add = [&](std::uint32_t site, bool is_mn_major, std::uint32_t first_block, std::uint32_t blocks,
                       std::uint32_t pieces) {
    const auto matrix = tensor::SharedMatrix::of(values[site], is_mn_major);
    std::uint32_t count = 0;
    tensor::for_each_piece(
        matrix, first_block, blocks,
        [&](std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t address) {
          if (count % kWarpSize == 0) accesses.push_back({.site = site});
          OperandAccess& access = accesses.back();
          access.mask |= 1u << count % kWarpSize;
          access.addresses.at(count++ % kWarpSize) = address - shared_base_;
        },
        pieces);
  };
  constexpr std::uint32_t kBlocksOfA = 2;  // Of eight rows, of a warp
  if (!flags.a_is_in_registers)
    add(0, flags.a_is_mn_major, kBlocksOfA * warp, kBlocksOfA, tensor::kPiecesOfRow);
  // B is the same for all warps of a warpgroup.
  if (warp == 0)
    add(flags.a_is_in_registers ? 0 : 1, flags.b_is_mn_major, 0, instruction.n / tensor::kCoreRows,
        tensor::kPiecesOfRow * (flags.is_sparse ? 2 : 1));
  return accesses;
}

}  // namespace warplens::gpu
