// Functions that are called: where their parameters and variables lie, and calls.
#include "kernels/replay/decode/decoder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/register_use.h"

namespace warplens::replay {

void Decoder::lay_out_calls() {
  code_->pieces.resize(linked_.pieces.size());
  for (std::uint32_t p = 0; p < linked_.pieces.size(); ++p)
    code_->pieces[p].is_recursive = linked_.pieces[p].is_recursive;
  for (std::uint32_t v = 0; v < function().variables.size(); ++v) {
    const ptx::Variable& variable = function().variables[v];
    CalledPiece& piece = code_->pieces[linked_.piece_of_variable[v]];
    const bool is_local = variable.space == StateSpace::local && piece.is_recursive;
    if (!is_call_param(v) && !is_local) continue;
    std::uint64_t& bytes = is_local             ? piece.local_bytes
                           : piece.is_recursive ? piece.call_param_bytes
                                                : code_->call_param_bytes;
    variable_address_[v] = place_in(bytes, variable);
  }
  const auto has = [&](std::uint64_t CalledPiece::* bytes) {
    return std::any_of(code_->pieces.begin(), code_->pieces.end(),
                       [&](const CalledPiece& piece) { return piece.is_recursive && piece.*bytes != 0; });
  };
  code_->lane_call_param_bytes =
      (code_->call_param_bytes + 15) / 16 * 16 + (has(&CalledPiece::call_param_bytes) ? kStackBytes : 0);
  code_->lane_local_bytes = code_->local.bytes + (has(&CalledPiece::local_bytes) ? kStackBytes : 0);
  for (std::uint32_t p = 0; p < linked_.pieces.size(); ++p) {
    if (p != 0)
      code_->called.push_back(
          {linked_.pieces[p].name, linked_.pieces[p].first_instruction, linked_.pieces[p].variables});
  }
}

void Decoder::pass_parameters() {
  for (std::uint32_t p = 0; p < linked_.pieces.size(); ++p) {
    for (const std::uint32_t v : linked_.pieces[p].parameters)
      code_->pieces[p].parameters.push_back(call_parameter(v, slots_.live_at_entry[p]));
    for (const std::uint32_t v : linked_.pieces[p].returns)
      code_->pieces[p].returns.push_back(call_parameter(v, std::nullopt));
  }
}

std::uint64_t Decoder::place_in(std::uint64_t& bytes, const ptx::Variable& variable) {
  const std::uint64_t alignment = std::max<std::uint64_t>(
      {1, variable.alignment, static_cast<std::uint64_t>(ptx::size_of(variable.type))});
  const std::uint64_t offset = (bytes + alignment - 1) / alignment * alignment;
  bytes = std::min(kEndlessBytes, offset + std::min(variable.bytes(), kEndlessBytes));
  return offset;
}

CallArgument Decoder::call_argument_in(std::uint32_t v) const {
  return {.piece = linked_.piece_of_variable[v],
          .offset = variable_address_[v],
          .bytes = function().variables[v].bytes()};
}

/// `live`: registers that are read before they are written; what is passed to others is of no use.
CallArgument Decoder::call_parameter(std::uint32_t v,
                                     const std::optional<std::vector<std::uint32_t>>& live) const {
  CallArgument value = call_argument_in(v);
  const ptx::Variable& variable = function().variables[v];
  const auto r = static_cast<std::uint32_t>(variable.reg);
  const bool is_used = !live || std::ranges::binary_search(*live, r);
  if (variable.space == StateSpace::reg && is_used) value.kept_in = slot_head(slots_.slot_of[r]);
  return value;
}

bool Decoder::is_call_param(std::uint32_t v) const {
  const ptx::Variable& variable = function().variables[v];
  const std::vector<std::uint32_t>& of_kernel = function().parameters;
  if (variable.space == StateSpace::reg) return true;
  return variable.space == StateSpace::param && !variable.is_hidden &&
         std::find(of_kernel.begin(), of_kernel.end(), v) == of_kernel.end();
}

bool Decoder::is_call_param(const ptx::Operand& address) const {
  return address.address_base == Kind::variable && is_call_param(address.variable);
}

std::uint64_t Decoder::address_of_piece(std::uint32_t piece) {
  return kFunctionWindow + kFunctionStride * piece;
}

void Decoder::set_initial_addresses() {
  std::map<std::string, std::uint32_t> variable_of;
  for (std::uint32_t v = 0; v < function().variables.size(); ++v) {
    if (function().variables[v].of_module) variable_of.emplace(function().variables[v].name, v);
  }
  for (VariableSpace* const space : {&code_->global, &code_->constant}) {
    for (VariableSpace::Placed& placed : space->variables) {
      for (const ptx::InitialAddress& address : function().variables[placed.variable].initial_addresses) {
        std::uint64_t value = 0;
        if (const auto variable = variable_of.find(address.name); variable != variable_of.end()) {
          value = variable_address_[variable->second];
          if (address.is_generic && function().variables[variable->second].space == StateSpace::constant)
            value += kConstantWindow;
        } else if (const auto piece = linked_.piece_of.find(address.name); piece != linked_.piece_of.end()) {
          value = address_of_piece(piece->second);
        } else {
          continue;
        }
        value += static_cast<std::uint64_t>(address.addend);
        if (address.offset + sizeof value <= placed.initial.size())
          std::memcpy(placed.initial.data() + address.offset, &value, sizeof value);
      }
    }
  }
}

std::uint32_t Decoder::in_call(std::uint32_t v, std::int64_t offset) {
  CalledPiece& piece = code_->pieces[linked_.piece_of_variable[v]];
  auto& bases =
      function().variables[v].space == StateSpace::local ? piece.local_bases : piece.call_param_bases;
  const std::uint64_t at = variable_address_[v] + static_cast<std::uint64_t>(offset);
  for (const CalledPiece::Base& base : bases) {
    if (base.offset == at) return slot_head(base.head);
  }
  const std::uint32_t head = add_head({.initial = at});
  bases.push_back({head / static_cast<std::uint32_t>(sizeof(Head)), at});
  return head;
}

void Decoder::finish_pieces() {
  std::vector<bool> seen(slots_.slots.size());
  std::uint32_t i = 0;
  for (std::uint32_t p = 0; p < linked_.pieces.size(); ++p) {
    CalledPiece& piece = code_->pieces[p];
    piece.entry = code_->instructions.data() + position_[linked_.pieces[p].first_instruction];
    const bool is_last = p + 1 == linked_.pieces.size();
    const auto end = is_last ? static_cast<std::uint32_t>(function().instructions.size())
                             : linked_.pieces[p + 1].first_instruction;
    for (; piece.is_recursive && i < end; ++i) {
      const ptx::RegisterUse use = ptx::register_use(function().instructions[i]);
      for (const auto* const list : {&use.reads, &use.writes}) {
        for (const std::uint32_t r : *list) {
          if (!seen[slots_.slot_of[r]]) piece.registers.push_back(slots_.slot_of[r]);
          seen[slots_.slot_of[r]] = true;
        }
      }
    }
    i = end;
  }
}

std::uint32_t Decoder::piece_at(std::uint32_t index) const {
  const auto after =
      std::upper_bound(linked_.pieces.begin(), linked_.pieces.end(), index,
                       [](std::uint32_t i, const Piece& piece) { return i < piece.first_instruction; });
  return static_cast<std::uint32_t>(after - linked_.pieces.begin()) - 1;
}

void Decoder::fill_call(const ptx::Instruction& instruction, Instr& instr) {
  const ptx::Operand &returned = instruction.operands[0], &callee = instruction.operands[1],
                     &arguments = instruction.operands[2];
  CallSite site;
  if (callee.kind == Kind::reg) {
    site.target = operand_head(callee, 8, Type::b64);
  } else if (const auto piece = linked_.piece_of.find(callee.text);
             piece != linked_.piece_of.end() && piece->second != 0) {
    site.piece = piece->second;
  } else if ((site.system = system_function(callee.text))) {
    // Who allocates first gets the lowest addresses
    if (*site.system == SystemFunction::allocate || *site.system == SystemFunction::release)
      code_->sequential = true;
  } else {
    fail(tr("the file has no body of the function"));
    kind_ = RefusalKind::calls;
    return;
  }
  for (const ptx::Operand& argument : arguments.elements) site.arguments.push_back(call_operand(argument));
  for (const ptx::Operand& result : returned.elements) site.results.push_back(call_operand(result));
  if (site.piece != kByAddress && !site.system) {
    const CalledPiece& piece = code_->pieces[site.piece];
    const bool fits = site.arguments.size() == piece.parameters.size() &&
                      (site.results.empty() || site.results.size() == piece.returns.size());
    if (!fits) fail(tr("the function has another number of parameters"));
  }
  instr.imm = static_cast<std::int64_t>(code_->calls.size());
  instr.a = instruction.guard.kind == Kind::reg ? operand_head(instruction.guard, 1, Type::pred) : kNoOperand;
  if (instruction.guard.negated) instr.flags |= kNegateGuard;
  instr.run = code_->core->call;
  code_->calls.push_back(std::move(site));
}

CallArgument Decoder::call_operand(const ptx::Operand& operand) {
  if (operand.kind == Kind::sink) return {};
  if (operand.kind == Kind::variable) {
    const bool is_whole =
        function().variables[operand.variable].space == StateSpace::param && operand.offset == 0;
    if (!is_whole) fail(tr("an argument of a call is not a parameter"));
    return call_argument_in(operand.variable);
  }
  CallArgument value{.in_register = true, .bytes = sizeof(std::uint64_t)};
  if (operand.kind == Kind::reg) value.bytes = register_width(operand) == 8 ? 8 : 4;
  value.head = operand_head(operand, 0, Type::b64);
  if (value.head == kNoOperand) fail(tr("an operand is missing"));
  return value;
}

}  // namespace warplens::replay
