// `alloca`, `stacksave` and `stackrestore`, as instructions on a variable in local memory and a register with
// the bytes of it that are in use: what follows from them, others see as they see it of any register. PTX
// ISA, "Stack Manipulation Instructions".
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/ptx/body_parser.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/suffixes.h"

namespace warplens::ptx {
namespace {

/// Of a call of one function. The stack of a GPU's thread has 1 KiB unless the launch asks for more.
constexpr std::uint64_t kStackBytes = 4096;
constexpr std::uint64_t kDefaultAlignment = 8, kHighestAlignment = 128;

Operand number_of_64_bits(std::uint64_t value) {
  return {.kind = Operand::Kind::immediate, .immediate_type = Type::s64, .bits = value};
}

/// The instruction keeps its text and becomes another one.
void become(Instruction& instruction, const char* opcode, std::vector<Operand> operands) {
  instruction = decode_opcode(opcode);
  instruction.operands = std::move(operands);
}

void shift_labels(Operand& operand) {
  if (operand.kind == Operand::Kind::label) ++operand.label;
  std::ranges::for_each(operand.elements, shift_labels);
}

}  // namespace

Operand BodyParser::stack_pointer() {
  if (!stack_pointer_) stack_pointer_ = add_register("", Type::b64);
  return {.kind = Operand::Kind::reg, .reg = RegisterId{*stack_pointer_}};
}

Operand BodyParser::widened_to_64(const Operand& value) {
  if (value.kind != Operand::Kind::reg) return value;
  const int bytes = size_of(function_->registers[static_cast<std::uint32_t>(value.reg)].type);
  if (bytes == 8) return value;
  return emit_computed(bytes == 4 ? "cvt.u64.u32" : "cvt.u64.u16", Type::b64, {value});
}

/// `instruction` is one of the three, and comes behind what is emitted here.
void BodyParser::use_stack(Instruction& instruction, const Operand& guard) {
  const bool wide = size_of(instruction.type) == 8;
  const char* const narrow_or_move = wide ? "mov.u64" : "cvt.u32.u64";
  if (instruction.opcode == Opcode::stacksave)
    return become(instruction, narrow_or_move, {instruction.operands[0], stack_pointer()});
  if (instruction.opcode == Opcode::stackrestore)
    return become(instruction, "mov.u64", {stack_pointer(), widened_to_64(instruction.operands[0])});
  if (!stack_) {
    stack_ = static_cast<std::uint32_t>(function_->variables.size());
    function_->variables.push_back({.name = "",
                                    .space = StateSpace::local,
                                    .type = Type::b8,
                                    .elements = kStackBytes,
                                    .alignment = kHighestAlignment});
  }
  const bool says_alignment = instruction.operands.size() > 2 && instruction.operands[2].bits != 0;
  const std::uint64_t alignment =
      says_alignment ? std::min(instruction.operands[2].bits, kHighestAlignment) : kDefaultAlignment;
  const Operand rounded_up =
      emit_computed("add.u64", Type::b64, {stack_pointer(), number_of_64_bits(alignment - 1)});
  const Operand begin =
      emit_computed("and.b64", Type::b64, {rounded_up, number_of_64_bits(~(alignment - 1))});
  const Operand size = widened_to_64(instruction.operands[1]);
  emit_generated("add.u64", {stack_pointer(), begin, size}, guard);
  const Operand variable{.kind = Operand::Kind::variable, .variable = *stack_};
  if (wide) return become(instruction, "add.u64", {instruction.operands[0], begin, variable});
  const Operand address = emit_computed("add.u64", Type::b64, {begin, variable});
  become(instruction, "cvt.u32.u64", {instruction.operands[0], address});
}

/// What a call allocates is free again when the function returns.
void BodyParser::clear_stack_at_entry() {
  std::vector<Instruction>& instructions = function_->instructions;
  for (Instruction& instruction : instructions) std::ranges::for_each(instruction.operands, shift_labels);
  emit_generated("mov.u64", {stack_pointer(), number_of_64_bits(0)}, {});
  Instruction& clear = instructions.back();
  clear.location = instructions.front().location;
  clear.ptx_line = instructions.front().ptx_line;
  std::rotate(instructions.begin(), instructions.end() - 1, instructions.end());
}

}  // namespace warplens::ptx
