// Bulk copies, and what concerns clusters.
#include "kernels/base/texts.h"
#include "kernels/replay/decode/decoder.h"

namespace warplens::replay {

AddressOperand Decoder::address_operand(const ptx::Operand& address) {
  Instr instr{};
  fill_address(address, instr);
  return {.head = instr.a, .wide = (instr.flags & kWideAddress) != 0, .offset = instr.imm};
}

void Decoder::fill_bulk_copy(const ptx::Instruction& instruction, Instr& instr) {
  if (instruction.im2col) return refuse(instruction);
  const std::vector<ptx::Operand>& operands = instruction.operands;
  BulkCopy copy{.from = instruction.space,
                .to = instruction.to_space,
                .is_tensor = instruction.dimensions != 0,
                .completes_at_mbarrier = instruction.completes_at_mbarrier,
                .reduction = instruction.atomic,
                .type = instruction.type};
  const bool to_global = copy.to == StateSpace::global;
  if (copy.is_tensor) {
    const std::size_t map = to_global ? 0 : 1;
    copy.map = operand_head(operands[map], 8, Type::b64);
    const ptx::Operand& coordinates = operands[map + 1];
    const std::vector<ptx::Operand> single{coordinates};
    for (const ptx::Operand& one : coordinates.kind == Kind::vector ? coordinates.elements : single)
      copy.coordinates.push_back(operand_head(one, 4, Type::s32));
    if (copy.coordinates.size() != instruction.dimensions) return refuse(instruction);
    copy.shared = address_operand(operands[to_global ? 2 : 0]);
  } else {
    copy.bytes = operand_head(operands[2], 4, Type::u32);
    copy.shared = address_operand(operands[to_global ? 1 : 0]);
    if (copy.from == copy.to) {
      copy.shared_source = address_operand(operands[1]);
    } else {
      copy.global = address_operand(operands[to_global ? 0 : 1]);
    }
  }
  if (copy.completes_at_mbarrier) copy.mbarrier = address_operand(operands[3]);
  copy.is_multicast = instruction.multicast;
  if (copy.is_multicast) {
    constexpr std::size_t kRanks = 4;
    if (operands.size() <= kRanks || to_global) return refuse(instruction);
    copy.ranks = operand_head(operands[kRanks], 4, Type::u16);
  }
  instr.bytes = 16;  // Of a piece
  instr.register_bytes = 0;
  instr.site = first_site_[index_];
  instr.run = copy_in_bulk;
  instr.imm = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(
      code_->bulk_copies.emplace_back(std::make_shared<const BulkCopy>(std::move(copy))).get()));
}

void Decoder::fill_cluster_barrier(const ptx::Instruction& instruction, Instr& instr) {
  const bool waits = instruction.opcode == Opcode::barrier_cluster_wait;
  instr.detail = static_cast<std::uint8_t>(waits ? ptx::BarrierMode::sync : ptx::BarrierMode::arrive);
  code_->uses_cluster = true;
}

/// Loads, stores and atomics of addresses that may lie in another block's shared memory.
void Decoder::reach_cluster(const ptx::Instruction& instruction, Instr& instr) {
  const bool is_mapped = instruction.space == StateSpace::generic && maps_generic_addresses_;
  if (!ptx::is_access(instruction) || (!instruction.of_cluster && !is_mapped)) return;
  code_->cluster_handlers.resize(function().instructions.size());
  code_->cluster_handlers[index_] = instr.run;
  code_->uses_cluster = true;
  instr.run = access_in_cluster;
}

void Decoder::fill_cluster_address(const ptx::Instruction& instruction, Instr& instr) {
  const bool maps = instruction.opcode == Opcode::mapa;
  instr.d = destination(instruction, 0);
  instr.a = source(instruction, 1);
  if (maps) instr.b = source(instruction, 2);
  instr.space = static_cast<std::uint8_t>(instruction.space);
  instr.register_bytes = static_cast<std::uint8_t>(ptx::size_of(instruction.type));
  instr.run = maps ? map_shared_address : rank_of_shared_address;
  code_->uses_cluster = true;
}

}  // namespace warplens::replay
