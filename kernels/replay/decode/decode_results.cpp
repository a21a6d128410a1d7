// Instructions that do nothing but compute.
#include "kernels/replay/decode/decoder.h"

#include <algorithm>

#include "kernels/base/texts.h"
#include "kernels/replay/decode/layout.h"

namespace warplens::replay {

void Decoder::fill_result(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
  switch (instruction.opcode) {
    case Opcode::mov: return fill_move(instruction, instr, traits);
    case Opcode::setp:
    case Opcode::set: return fill_comparison(instruction, instr);
    case Opcode::shfl: return fill_shuffle(instruction, instr);
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect: return fill_warp(instruction, instr);
    case Opcode::cvta: return fill_cvta(instruction, instr);
    case Opcode::mapa:
    case Opcode::getctarank: return fill_cluster_address(instruction, instr);
    case Opcode::mma:
    case Opcode::mma_sp:
    case Opcode::mma_sp_ordered:
    case Opcode::wmma_mma: return fill_product(instruction, instr);
    default: break;
  }
  if (VideoForm form; find_video_form(instruction, form)) return fill_video(instruction, form, instr);
  fill_plain(instruction, instr, traits);
}

void Decoder::fill_video(const ptx::Instruction& instruction, const VideoForm& form, Instr& instr) {
  const auto& kept = code_->video_forms.emplace_back(std::make_shared<const VideoForm>(form));
  instr.d = destination(instruction, 0);
  if (instr.d == kNoOperand) return fail(tr("the destination is not a register"));
  instr.a = source(instruction, 1);
  instr.b = source(instruction, 2);
  instr.c = instruction.operands.size() > 3 ? source(instruction, 3) : constant(0);
  instr.imm = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(kept.get()));
  instr.run = code_->core->video;
}

void Decoder::fill_plain(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
  const std::size_t n = instruction.operands.size();
  if (n == 0) return fail(tr("the replay does not run this form of the instruction"));
  if (instruction.opcode == Opcode::lop3 && instruction.bool_op != ptx::BoolOp::none)
    return fill_lop3_test(instruction, instr);
  instr.d = destination(instruction, 0);
  if (instr.d == kNoOperand) return fail(tr("the destination is not a register"));
  traits.register_bytes = instr.register_bytes = exact_bytes(instruction.operands[0]);
  traits.sources = static_cast<std::uint8_t>(n - 1);
  if (n > 1) traits.source_bytes = exact_bytes(instruction.operands[1]);
  const bool has_table = instruction.opcode == Opcode::lop3;
  const bool odd_source = instruction.opcode == Opcode::cvt;
  if (n > 1)
    instr.a = odd_source ? operand_head(instruction.operands[1], 0, instruction.source_type)
                         : source(instruction, 1);
  if (n > 2)
    instr.b = odd_source ? operand_head(instruction.operands[2], 0, instruction.source_type)
                         : source(instruction, 2);
  if (n > 3) instr.c = source(instruction, 3);
  if (has_table && n > 4) {
    if (instruction.operands[4].kind != Kind::immediate)
      return fail(tr("the table of lop3 is not a constant"));
    instr.imm = static_cast<std::int64_t>(instruction.operands[4].bits);
  } else if (n > 4) {
    set_more(instr, {source(instruction, 4)});
  }
  if (instruction.carry_out || ptx::reads_carry(instruction)) set_more(instr, {condition_code_});
  if (instruction.opcode == Opcode::selp && negated(instruction, 3)) instr.flags |= kSecondNegated;
  if (negated(instruction, 1)) instr.flags |= kNegateGuard;
  if (negated(instruction, 2)) instr.flags |= kSecondNegated;
  if (instruction.opcode == Opcode::isspacep) instr.detail = static_cast<std::uint8_t>(instruction.space);
}

void Decoder::fill_lop3_test(const ptx::Instruction& instruction, Instr& instr) {
  if (!instruction.paired_destination || instruction.operands.size() != 7) return refuse(instruction);
  instr.d = destination(instruction, 0);
  instr.a = source(instruction, 2);
  instr.b = source(instruction, 3);
  instr.c = source(instruction, 4);
  if (instruction.operands[5].kind != Kind::immediate) return fail(tr("the table of lop3 is not a constant"));
  instr.imm = static_cast<std::int64_t>(instruction.operands[5].bits);
  instr.detail = static_cast<std::uint8_t>(instruction.bool_op);
  if (negated(instruction, 6)) instr.flags |= kSecondNegated;
  set_more(instr, {destination(instruction, 1), operand_head(instruction.operands[6], 1, Type::pred)});
}

void Decoder::fill_idle(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
  if (instruction.opcode == Opcode::bar_warp_sync) {
    instr.a = operand_head(instruction.operands[0], 4, Type::b32);
    if (instr.a == kNoOperand) fail(tr("an operand is missing"));
    return;
  }
  if (ptx::count_destinations(instruction) == 0) {
    instr.run = instruction.fences_async_proxy ? fence_async_proxy : nop;
    return;
  }
  instr.d = destination(instruction, 0);
  instr.a = constant(0);
  if (instr.d == kNoOperand) return fail(tr("the destination is not a register"));
  traits.opcode = Opcode::mov;
  traits.register_bytes = exact_bytes(instruction.operands[0]);
}

void Decoder::fill_move(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
  const ptx::Operand &to = instruction.operands[0], &from = instruction.operands[1];
  if (to.kind == Kind::vector && from.kind == Kind::vector)
    return fill_move_of_elements(instruction, instr, traits);
  if (to.kind == Kind::vector || from.kind == Kind::vector) {
    const ptx::Operand &elements = to.kind == Kind::vector ? to : from,
                       &whole = to.kind == Kind::vector ? from : to;
    const std::size_t n = elements.elements.size();
    const int bytes = ptx::size_of(instruction.type);
    if (bytes > 8 || n == 0 || bytes % static_cast<int>(n) != 0)
      return fail(tr("the replay does not run this form of the instruction"));
    instr.bytes = static_cast<std::uint8_t>(bytes / static_cast<int>(n));
    instr.count = static_cast<std::uint8_t>(n);
    instr.register_bytes = static_cast<std::uint8_t>(bytes);
    const Type part = instr.bytes == 4 ? Type::b32 : instr.bytes == 2 ? Type::b16 : Type::b8;
    std::vector<std::uint32_t> list;
    for (const ptx::Operand& element : elements.elements)
      list.push_back(operand_head(element, instr.bytes == 8 ? 8 : 4, part));
    set_more(instr, list);
    const std::uint32_t head = operand_head(whole, bytes == 8 ? 8 : 4, instruction.type);
    if (head == kNoOperand) return fail(tr("an operand is missing"));
    (to.kind == Kind::vector ? instr.a : instr.d) = head;
    (to.kind == Kind::vector ? traits.unpack : traits.pack) = static_cast<std::uint8_t>(n);
    if (traits.pack != 0 && std::find(list.begin(), list.end(), kNoOperand) != list.end())
      fail(tr("an operand is missing"));
    return;
  }
  if (to.kind != Kind::reg) return fail(tr("the destination is not a register"));
  const Width width = register_width(to);
  instr.d = operand_head(to, width, instruction.type);
  traits.register_bytes = instr.register_bytes = exact_bytes(to);
  if (from.kind == Kind::special && fill_clock(from.special, instr, traits)) return;
  instr.a = operand_head(from, width,
                         width == 8 && ptx::size_of(instruction.type) != 8 ? Type::b64 : instruction.type);
  if (instr.a == kNoOperand) fail(tr("an operand is missing"));
  if (from.negated) instr.flags |= kNegateGuard;
}

// Of vectors, and of registers of 128 bits, which are pairs.
void Decoder::fill_move_of_elements(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
  const std::size_t n = instruction.operands[0].elements.size();
  const bool is_pair = instruction.type == Type::b128 && n == 2,
             is_vector = instruction.vector > 1 && n == instruction.vector;
  if ((!is_pair && !is_vector) || instruction.operands[1].elements.size() != n) return refuse(instruction);
  const Type type = is_pair ? Type::b64 : instruction.type;
  instr.bytes = static_cast<std::uint8_t>(ptx::size_of(type));
  instr.count = static_cast<std::uint8_t>(n);
  std::vector<std::uint32_t> list;
  for (const ptx::Operand& operand : instruction.operands) {
    for (const ptx::Operand& element : operand.elements)
      list.push_back(operand_head(element, instr.bytes == 8 ? 8 : 4, type));
  }
  if (std::find(list.begin() + static_cast<std::ptrdiff_t>(n), list.end(), kNoOperand) != list.end())
    return fail(tr("an operand is missing"));
  traits.pack = traits.unpack = static_cast<std::uint8_t>(n);
  set_more(instr, list);
}

bool Decoder::fill_clock(ptx::SpecialRegister which, Instr& instr, Traits& traits) {
  using S = ptx::SpecialRegister;
  if (which != S::clock && which != S::clock_hi && which != S::clock64 && which != S::globaltimer)
    return false;
  traits.clock = true;
  instr.imm = which == S::clock_hi ? 1 : 0;
  return true;
}

std::int64_t Decoder::one_of(Type type) {
  switch (type) {
    case Type::f32: return 0x3f800000;
    case Type::f16: return 0x3c00;
    case Type::f16x2: return 0x3c003c00;
    case Type::bf16: return 0x3f80;
    case Type::bf16x2: return 0x3f803f80;
    case Type::u16:
    case Type::s16: return 0xffff;
    default: return 0xffffffff;
  }
}

void Decoder::fill_comparison(const ptx::Instruction& instruction, Instr& instr) {
  const bool paired = instruction.paired_destination;
  const std::size_t first = paired ? 2 : 1;
  instr.d = destination(instruction, 0);
  const Type type = instruction.opcode == Opcode::set ? instruction.source_type : instruction.type;
  instr.a = operand_head(instruction.operands[first], width_of_type(type), type);
  instr.b = operand_head(instruction.operands[first + 1], width_of_type(type), type);
  if (instr.a == kNoOperand || instr.b == kNoOperand) return fail(tr("an operand is missing"));
  const bool combined = instruction.operands.size() > first + 2;
  if (combined || paired || instr.d == kNoOperand) {
    const std::uint32_t other =
        combined ? operand_head(instruction.operands[first + 2], 1, Type::pred) : kNoOperand;
    set_more(instr, {paired ? destination(instruction, 1) : kNoOperand, other});
    if (combined && instruction.operands[first + 2].negated) instr.flags |= kSecondNegated;
    instr.detail = static_cast<std::uint8_t>(combined ? instruction.bool_op : ptx::BoolOp::none);
  }
  if (instruction.opcode == Opcode::set && instr.d == kNoOperand)
    return fail(tr("the destination is not a register"));
  if (instruction.opcode == Opcode::set) instr.imm = one_of(instruction.type);
}

void Decoder::fill_shuffle(const ptx::Instruction& instruction, Instr& instr) {
  const std::size_t first = instruction.paired_destination ? 2 : 1;
  instr.d = destination(instruction, 0);
  instr.a = source(instruction, first);
  instr.b = source(instruction, first + 1);
  const std::uint32_t c = source(instruction, first + 2);
  const std::uint32_t mask =
      instruction.sync ? operand_head(instruction.operands.back(), 4, Type::b32) : constant(0xffffffffu);
  set_more(instr, {c, mask, instruction.paired_destination ? destination(instruction, 1) : kNoOperand});
  if (!instruction.sync) instr.flags |= kWithoutSync;
}

void Decoder::fill_warp(const ptx::Instruction& instruction, Instr& instr) {
  const std::size_t first = instruction.paired_destination ? 2 : 1;
  const std::size_t last = instruction.operands.size() - 1;
  instr.d = destination(instruction, 0);
  const bool has_mask = instruction.opcode != Opcode::vote || instruction.sync;
  if (instruction.opcode != Opcode::elect) instr.a = source(instruction, first);
  instr.b = has_mask ? operand_head(instruction.operands[last], 4, Type::b32) : constant(0xffffffffu);
  if (negated(instruction, first)) instr.flags |= kSecondNegated;
  if (!has_mask) instr.flags |= kWithoutSync;
  if (instruction.opcode == Opcode::match || instruction.opcode == Opcode::elect) {
    set_more(instr, {instruction.paired_destination ? destination(instruction, 1) : kNoOperand});
  } else if (instr.d == kNoOperand) {
    fail(tr("the destination is not a register"));
  }
}

void Decoder::fill_cvta(const ptx::Instruction& instruction, Instr& instr) {
  const StateSpace space =
      instruction.space == StateSpace::generic ? instruction.to_space : instruction.space;
  instr.d = destination(instruction, 0);
  if (instr.d == kNoOperand || ptx::size_of(instruction.type) != 8)
    return fail(tr("the replay does not run this form of the instruction"));
  instr.a = operand_head(instruction.operands[1], 8, Type::b64);
  switch (space) {
    case StateSpace::shared: instr.imm = static_cast<std::int64_t>(kSharedWindow); break;
    case StateSpace::local: instr.imm = static_cast<std::int64_t>(kLocalWindow); break;
    case StateSpace::constant: instr.imm = static_cast<std::int64_t>(kConstantWindow); break;
    case StateSpace::param: instr.imm = static_cast<std::int64_t>(kParameterWindow); break;
    case StateSpace::none:
    case StateSpace::generic:
    case StateSpace::global:
    case StateSpace::reg: instr.imm = 0; break;
  }
}

}  // namespace warplens::replay
