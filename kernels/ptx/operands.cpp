// The instructions of a body: the part of BodyParser that reads opcodes and operands.

#include <bit>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/body_parser.h"
#include "kernels/ptx/literals.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/special_registers.h"
#include "kernels/ptx/suffixes.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

bool fits(const OperandForm& form, const Operand& operand) {
  if ((!operand.part.empty() || operand.minus) && !form.may_be_part) return false;
  const bool is_destination = form.kind == OperandForm::Kind::destination, is_source = form.kind == OperandForm::Kind::source;
  switch (operand.kind) {
    case Kind::reg: return is_source || (is_destination && !operand.negated);
    case Kind::sink: return is_destination;
    case Kind::vector: return form.may_be_vector;
    case Kind::address: return form.kind == OperandForm::Kind::address;
    case Kind::immediate:
    case Kind::special:
    case Kind::variable:
    case Kind::function: return is_source;
    case Kind::none:
    case Kind::label: break;
  }
  return false;
}

/// Loads and stores have as many elements as their suffix says; matrices as many registers. What mov and mma hold varies.
bool vectors_fit(const Instruction& instruction) {
  const Effect effect = effect_of(instruction);
  const bool is_matrix = effect == Effect::load_matrices || effect == Effect::store_matrices;
  if (!is_matrix && !is_access(instruction)) return true;
  const std::size_t expected = is_matrix ? instruction.matrices : instruction.vector;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == Kind::vector && operand.elements.size() != expected) return false;
    if (operand.kind == Kind::vector && expected == 1 && !is_matrix) return false;
  }
  const Operand& data = data_of(instruction);
  return expected == 1 || data.kind == Kind::vector || data.kind == Kind::sink;
}

/// Behind a number: an expression of constants, which nvcc never writes.
bool begins_operator(const Token& token) {
  return token.kind == Token::Kind::punctuation && std::string_view("+-*/%<>&^|?=!").find(token.text[0]) != std::string_view::npos;
}

/// Comments and blanks between an opcode and its suffixes do not count.
std::string without_blanks(std::string_view written) {
  std::string text;
  append_normalised(written, text);
  std::erase(text, ' ');
  return text;
}

/// A literal with a point means the type that it is used as: in an f32 instruction, a float.
void narrow_literals(Instruction& instruction) {
  if (instruction.type != Type::f32 || (instruction.source_type != Type::none && instruction.source_type != Type::f32)) return;
  for (Operand& operand : instruction.operands) {
    if (operand.kind != Kind::immediate || operand.immediate_type != Type::f64) continue;
    operand.bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
    operand.immediate_type = Type::f32;
  }
}

}  // namespace

bool BodyParser::parse_guard(Operand& guard) {
  const Token at = cursor_.peek();
  const bool negated = cursor_.accept('!');
  const Token name = cursor_.peek();
  if (!cursor_.expect_word(marked("a predicate register")) || resolve(name, guard) == Outcome::error) return false;
  const bool is_predicate = guard.kind == Kind::reg && function_->registers[static_cast<std::uint32_t>(guard.reg)].type == Type::pred;
  if (!is_predicate) return cursor_.fail(at.line, tr("{name} is not a predicate register", "name"_a = quoted(name.text)));
  guard.negated = negated;
  return true;
}

/// Blanks may stand before a suffix: `xor .b32`.
std::string_view BodyParser::parse_suffixes(std::string_view word) {
  const char* end = word.data() + word.size();
  while (cursor_.peek().kind == Token::Kind::directive) {
    const std::string_view suffix = cursor_.take().text;
    end = suffix.data() + suffix.size();
  }
  return {word.data(), static_cast<std::size_t>(end - word.data())};
}

bool BodyParser::parse_instruction(Operand guard, const Token& opcode) {
  const std::string_view written = parse_suffixes(opcode.text);
  const auto [entry, is_new] = prototypes_.try_emplace(written);
  if (is_new) entry->second = decode_opcode(without_blanks(written));
  const std::size_t references = scopes_.back().references.size();
  Instruction instruction = entry->second;
  Outcome outcome = Outcome::unsupported;
  if (instruction.opcode == Opcode::call) {
    outcome = parse_call(instruction);
  } else if (instruction.opcode != Opcode::unsupported) {
    outcome = parse_operands(instruction);
  }
  if (outcome == Outcome::error) return false;
  if (outcome == Outcome::good && cursor_.peek().is(',')) outcome = Outcome::unsupported;
  if (outcome == Outcome::unsupported || !vectors_fit(instruction)) {
    instruction = {};
    scopes_.back().references.resize(references);
    if (!cursor_.skip_to(';')) return false;
  }
  const Token end = cursor_.peek();
  if (!cursor_.expect(';')) return false;
  narrow_literals(instruction);
  instruction.guard = std::move(guard);
  instruction.location = lines_.current();
  instruction.ptx_line = opcode.line;
  append_normalised({opcode.text.data(), static_cast<std::size_t>(end.text.data() - opcode.text.data())}, instruction.text);
  function_->instructions.push_back(std::move(instruction));
  return true;
}

BodyParser::Outcome BodyParser::parse_operands(Instruction& instruction) {
  for (const OperandForm& form : forms_of_operands(instruction)) {
    if (form.is_paired) {
      instruction.paired_destination = cursor_.accept('|');
      if (!instruction.paired_destination) continue;
    } else if (!instruction.operands.empty() && !cursor_.accept(',')) {
      if (form.may_be_missing) return Outcome::good;
      if (cursor_.peek().is(';')) return Outcome::unsupported;
      cursor_.fail_here("`,`");
      return Outcome::error;
    }
    if (form.opens && !cursor_.accept('[')) return Outcome::unsupported;
    const Outcome outcome = parse_operand(form, instruction);
    if (outcome != Outcome::good) return outcome;
    if (form.closes && !cursor_.accept(']')) return Outcome::unsupported;
  }
  return Outcome::good;
}

BodyParser::Outcome BodyParser::parse_operand(const OperandForm& form, Instruction& instruction) {
  if (form.kind == OperandForm::Kind::label) return parse_label_operand(instruction);
  if (form.kind == OperandForm::Kind::targets) return parse_table_operand(instruction);
  if (cursor_.peek().is(';')) return Outcome::unsupported;
  Operand& operand = instruction.operands.emplace_back();
  const Outcome outcome = parse_value(operand);
  if (outcome != Outcome::good) return outcome;
  return fits(form, operand) ? Outcome::good : Outcome::unsupported;
}

BodyParser::Outcome BodyParser::parse_label_operand(Instruction& instruction) {
  const Token label = cursor_.peek();
  if (!cursor_.expect_word(marked("a label"))) return Outcome::error;
  instruction.operands.emplace_back().kind = Kind::label;
  scopes_.back().references.push_back({label.text, static_cast<std::uint32_t>(function_->instructions.size()),
                                       static_cast<std::uint32_t>(instruction.operands.size() - 1), kNoElement, label.line});
  return Outcome::good;
}

BodyParser::Outcome BodyParser::parse_table_operand(Instruction& instruction) {
  const Token name = cursor_.peek();
  if (!cursor_.expect_word(marked("a table of branch targets"))) return Outcome::error;
  const Symbol* const symbol = symbols_.find(name.text);
  if (symbol == nullptr || symbol->kind != Symbol::Kind::branch_targets) {
    cursor_.fail(name.line, tr("{name} is not a table of branch targets", "name"_a = quoted(name.text)));
    return Outcome::error;
  }
  const std::vector<std::string_view>& labels = branch_targets_[symbol->index];
  if (!cursor_.spend(labels.size() * (sizeof(Operand) + sizeof(LabelReference)), name.line)) return Outcome::error;
  Operand& table = instruction.operands.emplace_back();
  table.kind = Kind::vector;
  table.elements.resize(labels.size());
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    table.elements[i].kind = Kind::label;
    scopes_.back().references.push_back({labels[i], static_cast<std::uint32_t>(function_->instructions.size()),
                                         static_cast<std::uint32_t>(instruction.operands.size() - 1), i, name.line});
  }
  return Outcome::good;
}

// call[.uni] [(returned), ] callee [, (arguments) [, prototype or targets]];
BodyParser::Outcome BodyParser::parse_call(Instruction& instruction) {
  instruction.operands.resize(3);
  Operand &returned = instruction.operands[0], &callee = instruction.operands[1], &arguments = instruction.operands[2];
  returned.kind = arguments.kind = Kind::vector;
  if (cursor_.peek().is('(')) {
    const Outcome outcome = parse_call_list(returned);
    if (outcome != Outcome::good) return outcome;
    if (!cursor_.expect(',')) return Outcome::error;
  }
  const Token name = cursor_.peek();
  if (!cursor_.expect_word(marked("the function to call"))) return Outcome::error;
  callee.kind = Kind::function;
  callee.text = name.text;
  const Symbol* const symbol = symbols_.find(name.text);
  if (name.text.starts_with('%') || (symbol != nullptr && symbol->kind == Symbol::Kind::reg)) {
    const Outcome outcome = resolve(name, callee);
    if (outcome != Outcome::good) return outcome;
  }
  if (!cursor_.accept(',')) return Outcome::good;
  if (cursor_.peek().is('(')) {
    const Outcome outcome = parse_call_list(arguments);
    if (outcome != Outcome::good || !cursor_.accept(',')) return outcome;
  }
  return cursor_.expect_word(marked("a prototype")) ? Outcome::good : Outcome::error;
}

BodyParser::Outcome BodyParser::parse_call_list(Operand& list) {
  cursor_.take();
  if (cursor_.accept(')')) return Outcome::good;
  do {
    Operand& element = list.elements.emplace_back();
    const Outcome outcome = parse_value(element);
    if (outcome != Outcome::good) return outcome;
    if (!element.part.empty() || element.minus) return Outcome::unsupported;
  } while (cursor_.accept(','));
  return cursor_.expect(')') ? Outcome::good : Outcome::error;
}

BodyParser::Outcome BodyParser::parse_value(Operand& operand) {
  if (cursor_.accept('[')) return parse_address(operand);
  if (cursor_.accept('{')) return parse_vector(operand);
  if (cursor_.peek().is('(') || cursor_.peek().is('~')) return Outcome::unsupported;  // An expression
  if (cursor_.peek().kind == Token::Kind::word || cursor_.peek().is('!')) return parse_name(operand);
  const bool negative = cursor_.accept('-');
  if (negative && cursor_.peek().is('(')) return Outcome::unsupported;
  if (negative && cursor_.peek().kind == Token::Kind::word) {
    operand.minus = true;
    const Outcome outcome = parse_name(operand);
    return outcome == Outcome::good && operand.kind != Kind::reg ? Outcome::unsupported : outcome;
  }
  if (cursor_.peek().kind == Token::Kind::number) {
    if (const auto number = parse_number(cursor_.peek().text, negative)) {
      operand = *number;
      cursor_.take();
      return begins_operator(cursor_.peek()) ? Outcome::unsupported : Outcome::good;
    }
  }
  cursor_.fail_here(tr("an operand"));
  return Outcome::error;
}

// %r1, !%p1, %tid.x, _, variable, variable+4
BodyParser::Outcome BodyParser::parse_name(Operand& operand) {
  const bool negated = cursor_.accept('!');
  const Token name = cursor_.peek();
  if (negated && (name.kind == Token::Kind::number || name.is('('))) return Outcome::unsupported;
  if (!cursor_.expect_word(marked("a register"))) return Outcome::error;
  if (name.text == "generic" && cursor_.peek().is('(')) return Outcome::unsupported;
  const Token whole = take_part(name, operand);
  const Outcome outcome = resolve(whole, operand);
  if (outcome != Outcome::good) return outcome;
  if (negated && operand.kind != Kind::reg) return Outcome::unsupported;
  operand.negated = negated;
  if (operand.kind == Kind::immediate && begins_operator(cursor_.peek())) return Outcome::unsupported;
  if (operand.kind == Kind::variable && !parse_offset(operand.offset)) return Outcome::error;
  return Outcome::good;
}

/// Of `%r1.b0` the register's name; the part goes to the operand.
Token BodyParser::take_part(const Token& name, Operand& operand) const {
  const std::size_t dot = name.text.find('.');
  if (dot == std::string_view::npos || !is_part_of_register(name.text) || symbols_.find(name.text) != nullptr) return name;
  const std::string_view part = name.text.substr(dot + 1);
  const bool names_parts = part.size() >= 2 && (part[0] == 'b' || part[0] == 'h') && part.find_first_not_of("01234567", 1) == std::string_view::npos;
  if (!names_parts) return name;
  operand.part = part;
  Token whole = name;
  whole.text = name.text.substr(0, dot);
  return whole;
}

BodyParser::Outcome BodyParser::parse_vector(Operand& operand) {
  operand.kind = Kind::vector;
  do {
    Operand& element = operand.elements.emplace_back();
    const bool is_nested = cursor_.peek().is('{') || cursor_.peek().is('[');
    Outcome outcome = is_nested ? Outcome::unsupported : parse_value(element);
    if (outcome == Outcome::good && (!element.part.empty() || element.minus)) outcome = Outcome::unsupported;
    if (outcome == Outcome::unsupported && cursor_.skip_to('}') && cursor_.accept('}')) return outcome;  // What follows is read outside the braces
    if (outcome != Outcome::good) return Outcome::error;
    if (element.kind == Kind::sink) element.kind = Kind::none;
  } while (cursor_.accept(','));
  return cursor_.expect('}') ? Outcome::good : Outcome::error;
}

// Behind `[`: a register, variable or number, and an offset.
BodyParser::Outcome BodyParser::parse_address(Operand& operand) {
  const Token base = cursor_.peek();
  if (base.kind == Token::Kind::number) {
    const auto number = parse_number(base.text, false);
    if (number) operand = *number;
    cursor_.take();
  } else if (!cursor_.expect_word(marked("an address"))) {
    return Outcome::error;
  } else if (const Outcome outcome = resolve(base, operand); outcome != Outcome::good) {
    return outcome;
  }
  if (operand.kind != Kind::reg && operand.kind != Kind::variable && operand.kind != Kind::immediate) return Outcome::unsupported;
  operand.address_base = operand.kind;
  operand.kind = Kind::address;
  if (!parse_offset(operand.offset)) return Outcome::error;
  if (cursor_.peek().is(',') || begins_operator(cursor_.peek())) return Outcome::unsupported;  // Coordinates of a tensor; an expression
  return cursor_.expect(']') ? Outcome::good : Outcome::error;
}

/// "", "+4", "-4" or "+-4".
bool BodyParser::parse_offset(std::int64_t& offset) {
  const bool is_negative = cursor_.peek().is('-');
  if (!is_negative && !cursor_.peek().is('+')) return true;
  cursor_.take();
  const bool is_flipped = cursor_.accept('-');
  const auto magnitude = cursor_.expect_unsigned(marked("an offset"), ~0ull);
  if (!magnitude) return false;
  offset = static_cast<std::int64_t>(is_negative != is_flipped ? 0 - *magnitude : *magnitude);
  return true;
}

BodyParser::Outcome BodyParser::resolve(const Token& name, Operand& operand) {
  const Symbol* const symbol = symbols_.find(name.text);
  const auto in_range = find_in_ranges(name.text);
  if (in_range && (symbol == nullptr || symbol->depth < ranges_[in_range->range].depth)) {
    operand.kind = Kind::reg;
    operand.reg = RegisterId{register_of(*in_range, name.text)};
    return Outcome::good;
  }
  if (symbol != nullptr) {
    switch (symbol->kind) {
      case Symbol::Kind::reg:
        operand.kind = Kind::reg;
        operand.reg = RegisterId{symbol->index};
        return Outcome::good;
      case Symbol::Kind::variable:
        operand.kind = Kind::variable;
        operand.variable = symbol->index;
        return Outcome::good;
      case Symbol::Kind::module_variable:
        operand.kind = Kind::variable;
        return copy_module_variable(symbol->index, name.line, operand.variable) ? Outcome::good : Outcome::error;
      case Symbol::Kind::function:
        operand.kind = Kind::function;
        operand.text = name.text;
        return Outcome::good;
      default: return Outcome::unsupported;
    }
  }
  return resolve_predefined(name, operand);
}

/// A component of a vector register, `%v.x`, or bytes or halves of a register, `%r1.b3210`.
bool BodyParser::is_part_of_register(std::string_view name) const {
  const std::string_view whole = name.substr(0, name.find('.'));
  if (find_in_ranges(whole)) return true;
  const Symbol* const symbol = symbols_.find(whole);
  return symbol != nullptr && (symbol->kind == Symbol::Kind::opaque || symbol->kind == Symbol::Kind::reg);
}

BodyParser::Outcome BodyParser::resolve_predefined(const Token& name, Operand& operand) {
  if (name.text == "_") {
    operand.kind = Kind::sink;
    return Outcome::good;
  }
  if (name.text == "WARP_SZ") {
    operand = *parse_number("32", false);
    return Outcome::good;
  }
  operand.special = find_special_register(name.text);
  if (operand.special != SpecialRegister::none) {
    operand.kind = Kind::special;
    return Outcome::good;
  }
  if (is_part_of_register(name.text) || is_other_special_register(name.text)) return Outcome::unsupported;
  cursor_.fail(name.line, tr("{name} is not declared", "name"_a = quoted(name.text)),
               tr("Declare it before it is used, with .reg or a state space."));
  return Outcome::error;
}

}  // namespace warplens::ptx
