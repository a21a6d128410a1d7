// Bulk copies, and what concerns clusters.
#include <span>

#include "kernels/base/texts.h"
#include "kernels/replay/decode/decoder.h"

namespace warplens::replay {

AddressOperand Decoder::address_operand(const ptx::Operand& address) {
  Instr instr{};
  fill_address(address, instr);
  return {.head = instr.a, .wide = (instr.flags & kWideAddress) != 0, .offset = instr.imm};
}

namespace {

/// The elements of a vector, or the operand itself.
std::span<const ptx::Operand> elements_of(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::vector ? std::span<const ptx::Operand>(operand.elements)
                                                    : std::span(&operand, 1);
}

}  // namespace

void Decoder::fill_bulk_copy(const ptx::Instruction& instruction, Instr& instr) {
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
    for (const ptx::Operand& one : elements_of(operands[map + 1]))
      copy.coordinates.push_back(operand_head(one, 4, Type::s32));
    if (copy.coordinates.size() != instruction.dimensions) return refuse(instruction);
    copy.is_im2col = instruction.im2col;
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
  std::size_t behind = 4;  // Offsets of im2col mode, blocks of a multicast
  if (copy.is_im2col && !to_global) {
    if (operands.size() <= behind) return refuse(instruction);
    for (const ptx::Operand& one : elements_of(operands[behind++]))
      copy.offsets.push_back(operand_head(one, 4, Type::u16));
    if (copy.offsets.size() + 2 != instruction.dimensions) return refuse(instruction);
  }
  copy.is_multicast = instruction.multicast;
  if (copy.is_multicast) {
    if (operands.size() <= behind || to_global) return refuse(instruction);
    copy.ranks = operand_head(operands[behind], 4, Type::u16);
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
  const bool may_be_remote = instruction.of_cluster || is_mapped || instruction.completes_at_mbarrier;
  if (!ptx::is_access(instruction) || !may_be_remote) return;
  code_->cluster_handlers.resize(function().instructions.size());
  code_->cluster_handlers[index_] = instr.run;
  code_->uses_cluster = true;
  instr.run = access_in_cluster;
  if (!instruction.completes_at_mbarrier) return;
  code_->completions.emplace(index_, address_operand(instruction.operands[2]));
  instr.run = access_asynchronously;
}

/// tensormap.replace [map]{, ordinal}, value: Instr::b is the value, c the ordinal. tensormap.cp_fenceproxy
/// [to], [from], 128: Instr::more is where the map comes from (Head, offset, whether the Head is wide).
void Decoder::fill_tensor_map(const ptx::Instruction& instruction, Instr& instr) {
  const std::vector<ptx::Operand>& operands = instruction.operands;
  fill_address(operands[0], instr);
  if (instruction.opcode == Opcode::tensormap_copy) {
    if (operands[2].kind != Kind::immediate || operands[2].bits != kTensorMapBytes)
      return refuse(instruction);
    const AddressOperand from = address_operand(operands[1]);
    const auto offset = static_cast<std::uint64_t>(from.offset);
    set_more(instr, {from.head, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset >> 32),
                     from.wide ? 1u : 0u});
    instr.run = copy_tensor_map;
    return;
  }
  using Field = TensorMapField;
  const Field field = instruction.map_field;
  const bool has_ordinal = field == Field::box_dim || field == Field::global_dim ||
                           field == Field::global_stride || field == Field::element_stride;
  if (operands.size() != (has_ordinal ? 3 : 2)) return refuse(instruction);
  if (has_ordinal && operands[1].kind != Kind::immediate) return refuse(instruction);
  const bool is_wide = ptx::size_of(instruction.type) == 8;
  instr.b = operand_head(operands.back(), is_wide ? 8 : 4, is_wide ? Type::b64 : Type::b32);
  instr.c = has_ordinal ? static_cast<std::uint32_t>(operands[1].bits) : 0;
  instr.register_bytes = is_wide ? 8 : 4;
  instr.space = static_cast<std::uint8_t>(instruction.space);
  instr.detail = static_cast<std::uint8_t>(field);
  instr.run = replace_in_tensor_map;
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
