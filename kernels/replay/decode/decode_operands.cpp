// The register file, and operands as places in it.
#include "kernels/replay/decode/decoder.h"

#include <bit>
#include <utility>

#include "kernels/base/texts.h"

namespace warplens::replay {

Decoder::Width Decoder::width_of_type(Type type) {
  return type == Type::pred ? 1 : ptx::size_of(type) == 8 ? 8 : 4;
}

Decoder::Width Decoder::operand_width(const ptx::Instruction& instruction, std::size_t k) {
  using Holds = ptx::OperandForm::Holds;
  const Width type = width_of_type(instruction.type);
  switch (ptx::form_of_operand(instruction, k).holds) {
    case Holds::type: return type;
    case Holds::second_type: return width_of_type(instruction.source_type);
    case Holds::widened:
      return instruction.mul != ptx::MulMode::wide ? type : ptx::size_of(instruction.type) >= 4 ? 8 : 4;
    case Holds::predicate: return 1;
    case Holds::bits32: return 4;
    case Holds::bits64: return 8;
    case Holds::any_but_predicate: break;
  }
  return 0;
}

void Decoder::number_heads() {
  for (const SlotClass c : slots_.slots) {
    HeadPlan plan;
    plan.wide = c == SlotClass::wide;
    plan.lanes_offset = c == SlotClass::predicate ? 0 : 1;  // placed later
    code_->heads.push_back(plan);
  }
  code_->head_of_register = slots_.slot_of;
  code_->live_words = slots_.live_in.empty() ? 0 : slots_.live_in.front().size();
  for (const auto& live : slots_.live_in)
    code_->live_heads.insert(code_->live_heads.end(), live.begin(), live.end());
  condition_code_ = add_head({});
}

std::uint32_t Decoder::add_head(HeadPlan plan) {
  code_->heads.push_back(plan);
  return slot_head(static_cast<std::uint32_t>(code_->heads.size() - 1));
}

std::uint32_t Decoder::constant(std::uint64_t bits, bool in_shared) {
  const auto [entry, is_new] = constants_.try_emplace({bits, in_shared}, 0u);
  if (is_new) entry->second = add_head({.initial = bits, .in_shared = in_shared});
  return entry->second;
}

std::uint32_t Decoder::variable(const ptx::Operand& operand, std::int64_t offset) {
  const StateSpace space = function().variables[operand.variable].space;
  const bool in_shared = space == StateSpace::shared;
  if ((space == StateSpace::local || space == StateSpace::param) &&
      code_->pieces[linked_.piece_of_variable[operand.variable]].is_recursive)
    return in_call(operand.variable, offset);
  return constant(variable_address_[operand.variable] + static_cast<std::uint64_t>(offset), in_shared);
}

std::uint32_t Decoder::special(ptx::SpecialRegister which, Width width) {
  const auto [entry, is_new] = specials_.try_emplace({which, width}, 0u);
  if (is_new) entry->second = add_head({.lanes_offset = 1, .wide = width == 8, .special = which});
  return entry->second;
}

void Decoder::place_heads() {
  auto at = static_cast<std::uint32_t>((code_->heads.size() * sizeof(Head) + 63) / 64 * 64);
  for (HeadPlan& plan : code_->heads) {
    if (plan.lanes_offset == 0) continue;
    plan.lanes_offset = at;
    at += plan.wide ? 256 : 128;
  }
  code_->register_file_bytes = at;
}

void Decoder::fail(std::string reason) {
  if (!reason_.empty()) return;
  reason_ = std::move(reason);
  kind_ = RefusalKind::form;
}

void Decoder::refuse(const ptx::Instruction& instruction) {
  Refusal refusal = refusal_of(instruction);
  fail(std::move(refusal.reason));
  kind_ = refusal.kind;
}

Decoder::Width Decoder::register_width(const ptx::Operand& operand) const {
  switch (slot_class(function().registers[static_cast<std::uint32_t>(operand.reg)].type)) {
    case SlotClass::predicate: return 1;
    case SlotClass::narrow: return 4;
    case SlotClass::wide: return 8;
  }
  return 0;
}

std::uint64_t Decoder::immediate_bits(const ptx::Operand& operand, Type type) {
  if (operand.immediate_type == Type::f64 && type == Type::f32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
  switch (ptx::size_of(type)) {
    case 1: return type == Type::pred ? (operand.bits != 0 ? 0xffffffffu : 0u) : operand.bits & 0xffu;
    case 2: return operand.bits & 0xffffu;
    case 8: return operand.bits;
    default: return operand.bits & 0xffffffffu;
  }
}

std::uint32_t Decoder::operand_head(const ptx::Operand& operand, Width width, Type type) {
  switch (operand.kind) {
    case Kind::reg: {
      const Width actual = register_width(operand);
      if (width != 0 ? actual != width : actual == 1)
        fail(tr("an operand has another width than the instruction"));
      return slot_head(slots_.slot_of[static_cast<std::uint32_t>(operand.reg)]);
    }
    case Kind::immediate:
      return constant(immediate_bits(operand, width == 4 && ptx::size_of(type) > 4 ? Type::b32 : type));
    case Kind::special: return special(operand.special, width == 8 ? 8 : 4);
    case Kind::variable: return variable(operand, operand.offset);
    case Kind::function:
      if (const auto piece = linked_.piece_of.find(operand.text); piece != linked_.piece_of.end())
        return constant(address_of_piece(piece->second));
      fail(tr("the file has no body of the function"));
      return kNoOperand;
    case Kind::none:
    case Kind::sink: return kNoOperand;
    default: fail(tr("an operand of a kind that the replay does not know")); return kNoOperand;
  }
}

std::uint32_t Decoder::source(const ptx::Instruction& instruction, std::size_t k) {
  if (k >= instruction.operands.size()) return kNoOperand;
  const Width width = operand_width(instruction, k);
  const Type own = ptx::size_of(instruction.type) == 2 || width == 0 ? instruction.type
                   : width == 8                                      ? Type::b64
                   : width == 1                                      ? Type::pred
                                                                     : Type::b32;
  const bool is_float = ptx::is_float(instruction.type) && width == width_of_type(instruction.type);
  const std::uint32_t head = operand_head(instruction.operands[k], width, is_float ? instruction.type : own);
  if (head == kNoOperand) fail(tr("an operand is missing"));
  return head;
}

std::uint32_t Decoder::destination(const ptx::Instruction& instruction, std::size_t k) {
  const ptx::Operand& operand = instruction.operands[k];
  if (operand.kind != Kind::reg && operand.kind != Kind::sink && operand.kind != Kind::none)
    fail(tr("the destination is not a register"));
  return operand.kind == Kind::reg ? operand_head(operand, operand_width(instruction, k), instruction.type)
                                   : kNoOperand;
}

bool Decoder::negated(const ptx::Instruction& instruction, std::size_t k) const {
  return k < instruction.operands.size() && instruction.operands[k].negated;
}

void Decoder::set_more(Instr& instr, const std::vector<std::uint32_t>& list) {
  more_of_.emplace_back(code_->instructions.size(), code_->operand_lists.size());
  code_->operand_lists.insert(code_->operand_lists.end(), list.begin(), list.end());
  instr.more = nullptr;
}

std::uint8_t Decoder::exact_bytes(const ptx::Operand& operand) const {
  return operand.kind == Kind::reg ? static_cast<std::uint8_t>(ptx::size_of(
                                         function().registers[static_cast<std::uint32_t>(operand.reg)].type))
                                   : std::uint8_t{0};
}

}  // namespace warplens::replay
