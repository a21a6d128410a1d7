// Any bytes give a module or an error; and in a module every index is in range, whatever the bytes were.
#include <cstdint>
#include <string_view>

#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/parser.h"
#include "require.h"

namespace {

using warplens::ptx::Function;
using warplens::ptx::Instruction;
using warplens::ptx::Module;
using warplens::ptx::Operand;

void check_operand(const Function& function, const Operand& operand) {
  using Kind = Operand::Kind;
  const Kind kind = operand.kind == Kind::address ? operand.address_base : operand.kind;
  if (kind == Kind::reg)
    require(static_cast<std::uint32_t>(operand.reg) < function.registers.size(), "a register's index");
  if (kind == Kind::variable) require(operand.variable < function.variables.size(), "a variable's index");
  if (kind == Kind::label) require(operand.label < function.instructions.size(), "a label's index");
  for (const Operand& element : operand.elements) check_operand(function, element);
}

void check_function(const Module& module, const Function& function) {
  require(!function.instructions.empty(), "a body is never empty");
  for (const Instruction& instruction : function.instructions) {
    check_operand(function, instruction.guard);
    for (const Operand& operand : instruction.operands) check_operand(function, operand);
    require(instruction.location.file < module.files.size() &&
                instruction.location.outer_file < module.files.size(),
            "a file's index");
  }
  const warplens::ptx::ControlFlow flow = warplens::ptx::analyse_control_flow(function);
  require(flow.block_of.size() == function.instructions.size(), "a block for each instruction");
  for (const auto& block : flow.blocks)
    require(block.leaves || !block.successors.empty(), "each block leads somewhere");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto module = warplens::ptx::parse({reinterpret_cast<const char*>(data), size}, "fuzz.ptx");
  if (!module) {
    require(!module.error().what.empty(), "an error says what");
    return 0;
  }
  for (const auto& variable : module->variables)
    require(variable.initial.size() <= variable.bytes(), "initial values fit");
  for (const Function& function : module->functions) check_function(*module, function);
  (void)module->find_entry("tiled");
  return 0;
}
