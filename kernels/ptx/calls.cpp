#include "kernels/ptx/calls.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

bool calls_one_of(const Instruction& instruction, std::initializer_list<std::string_view> names) {
  return effect_of(instruction) == Effect::call && instruction.operands[1].kind == Kind::function &&
         std::find(names.begin(), names.end(), instruction.operands[1].text) != names.end();
}

/// A load or store of one of the parameters in a call's list.
bool passes(const Instruction& instruction, Effect effect, const Operand& list) {
  if (effect_of(instruction) != effect || instruction.space != StateSpace::param) return false;
  const Operand& address = address_of(instruction);
  return address.address_base == Kind::variable &&
         std::any_of(list.elements.begin(), list.elements.end(), [&](const Operand& parameter) {
           return parameter.kind == Kind::variable && parameter.variable == address.variable;
         });
}

bool ends_straight_code(const Instruction& instruction) {
  return ends_block(instruction) || is_barrier(instruction) || effect_of(instruction) == Effect::call;
}

}  // namespace

bool calls_code(const Instruction& instruction) {
  return effect_of(instruction) == Effect::call &&
         !calls_one_of(instruction, {"vprintf", "__assertfail", "malloc", "free"});
}
bool calls_code(const Function& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(),
                     [](const Instruction& i) { return calls_code(i); });
}

void find_callees_that_exit(Module& module) {
  std::unordered_set<std::string_view> exit;  // Names of functions
  const auto is_found = [&](const Instruction& i) {
    if (i.opcode == Opcode::exit) return true;
    if (!calls_code(i) || exit.empty()) return false;
    return i.operands[1].kind != Kind::function || exit.contains(i.operands[1].text);
  };
  for (bool more = true; std::exchange(more, false);) {
    for (const Function& function : module.functions) {
      if (!function.is_entry &&
          std::any_of(function.instructions.begin(), function.instructions.end(), is_found)) {
        more |= exit.insert(function.name).second;
      }
    }
  }
  if (exit.empty()) return;
  for (Function& function : module.functions) {
    for (Instruction& i : function.instructions) i.callee_may_exit = calls_code(i) && is_found(i);
  }
}

bool allocates(const Instruction& instruction) {
  return calls_one_of(instruction, {"malloc", "free"});
}

CallSequence find_call_sequence(const Function& function, std::uint32_t call) {
  const std::vector<Instruction>& code = function.instructions;
  CallSequence sequence{call, call + 1};
  for (std::uint32_t i = call; i-- > 0 && !ends_straight_code(code[i]);) {
    if (passes(code[i], Effect::store, code[call].operands[2])) sequence.first = i;
  }
  for (std::uint32_t i = call + 1; i < code.size() && !ends_straight_code(code[i]); ++i) {
    if (passes(code[i], Effect::load, code[call].operands[0])) sequence.end = i + 1;
  }
  return sequence;
}

Result<Done> check_call_sequence(const Module& module, const Function& function, std::uint32_t call) {
  const CallSequence sequence = find_call_sequence(function, call);
  const Instruction& instruction = function.instructions[call];
  const std::vector<std::uint32_t> decide = register_use(instruction).reads;
  for (std::uint32_t i = sequence.first; i < sequence.end; ++i) {
    if (i == call) continue;
    const Instruction& amid = function.instructions[i];
    const bool is_accessed = accesses_texels(amid) || (is_access(amid) && amid.space != StateSpace::param &&
                                                       amid.space != StateSpace::constant);
    const std::vector<std::uint32_t> writes = register_use(amid).writes;
    const bool is_decided =
        i < call &&
        std::any_of(
            writes.begin(), writes.end(),
            [&](std::uint32_t r) { return std::find(decide.begin(), decide.end(), r) != decide.end(); });
    if (!is_accessed && !is_decided) continue;
    return Error{tr("`{instruction}` cannot be recorded on the GPU: it stands amid what passes the "
                    "parameters of `{call}`",
                    "instruction"_a = amid.text, "call"_a = instruction.text),
                 fmt::format("{}:{}", module.name, amid.ptx_line),
                 tr("The CPU replay takes it: --engine cpu.")};
  }
  return Done{};
}

}  // namespace warplens::ptx
