// The instructions of a body: the part of BodyParser that reads opcodes and operands.

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/body_parser.h"
#include "kernels/ptx/expressions.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/special_registers.h"
#include "kernels/ptx/suffixes.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

bool fits(const OperandForm& form, const Operand& operand) {
  if ((!operand.part.empty() || operand.minus) && !form.may_be_part) return false;
  const bool is_destination = form.kind == OperandForm::Kind::destination,
             is_source = form.kind == OperandForm::Kind::source;
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

/// Loads and stores have as many elements as their suffix says; matrices as many registers. What mov and mma
/// hold varies.
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

/// `{%r1}` of a load, store or move without `.v2` is the register itself.
void unwrap_vectors_of_one(Instruction& instruction) {
  const Effect effect = effect_of(instruction);
  if (effect != Effect::load && effect != Effect::store && instruction.opcode != Opcode::mov) return;
  for (Operand& operand : instruction.operands) {
    if (operand.kind != Kind::vector || operand.elements.size() != 1 ||
        operand.elements[0].kind == Kind::none)
      continue;
    operand = Operand(std::move(operand.elements[0]));
  }
}

/// Returns the number of a vector register's component: 0 for `x` or `r`. More than any vector has if the
/// suffix names none.
std::size_t component_of(std::string_view suffix) {
  const std::size_t found =
      suffix.size() == 1 ? std::string_view("xyzwrgba").find(suffix) : std::string_view::npos;
  return found == std::string_view::npos ? found : found % 4;
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
  if (instruction.type != Type::f32 ||
      (instruction.source_type != Type::none && instruction.source_type != Type::f32))
    return;
  for (Operand& operand : instruction.operands) {
    if (operand.kind != Kind::immediate || operand.immediate_type != Type::f64) continue;
    operand.bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
    operand.immediate_type = Type::f32;
  }
}

bool is_of_stack(Opcode opcode) {
  return opcode == Opcode::alloca || opcode == Opcode::stacksave || opcode == Opcode::stackrestore;
}

}  // namespace

bool BodyParser::parse_guard(Operand& guard) {
  const Token at = cursor_.peek();
  const bool negated = cursor_.accept('!');
  const Token name = cursor_.peek();
  if (!cursor_.expect_word(marked("a predicate register")) || resolve(name, guard) == Outcome::error)
    return false;
  const bool is_predicate = guard.kind == Kind::reg &&
                            function_->registers[static_cast<std::uint32_t>(guard.reg)].type == Type::pred;
  if (!is_predicate)
    return cursor_.fail(at.line, tr("{name} is not a predicate register", "name"_a = quoted(name.text)));
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
  if (outcome == Outcome::good) unwrap_vectors_of_one(instruction);
  if (outcome == Outcome::good && instruction.opcode == Opcode::ret) read_returned_registers(instruction);
  if (outcome == Outcome::unsupported || !vectors_fit(instruction)) {
    instruction = {};
    scopes_.back().references.resize(references);
    if (!cursor_.skip_to(';')) return false;
  }
  const Token end = cursor_.peek();
  if (!cursor_.expect(';') || !check_address(instruction, opcode)) return false;
  narrow_literals(instruction);
  if (is_of_stack(instruction.opcode)) use_stack(instruction, guard);
  instruction.guard = std::move(guard);
  instruction.location = lines_.current();
  instruction.ptx_line = opcode.line;
  append_normalised({opcode.text.data(), static_cast<std::size_t>(end.text.data() - opcode.text.data())},
                    instruction.text);
  function_->instructions.push_back(std::move(instruction));
  return true;
}

/// An address in global memory has 64 bits. ptxas takes a register of 32 for a sign of a module of 32-bit
/// addresses, which may not say so itself.
bool BodyParser::check_address(const Instruction& instruction, const Token& opcode) {
  if (!is_access(instruction) ||
      (instruction.space != StateSpace::global && instruction.space != StateSpace::generic))
    return true;
  const Operand& address = address_of(instruction);
  const bool is_narrow = address.address_base == Kind::reg &&
                         size_of(function_->registers[static_cast<std::uint32_t>(address.reg)].type) < 8;
  return !is_narrow || fail_of_address_size(cursor_, opcode.line);
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
  const std::vector<Instruction>& before = function_->instructions;
  const bool is_indexed = operand.kind == Kind::reg && !before.empty() && before.back().is_generated &&
                          before.back().operands.front().reg == operand.reg;
  if (form.kind == OperandForm::Kind::address && (operand.kind == Kind::variable || is_indexed)) {
    operand.address_base = operand.kind;  // `ld.shared.u32 %r1, table[3];`
    operand.kind = Kind::address;
  } else if (is_indexed && size_of(instruction.type) == 4) {  // `mov.u32 %r1, table[%r2];`
    operand = emit_computed("cvt.u32.u64", Type::b32, {operand});
  }
  return fits(form, operand) ? Outcome::good : Outcome::unsupported;
}

BodyParser::Outcome BodyParser::parse_label_operand(Instruction& instruction) {
  const Token label = cursor_.peek();
  if (!cursor_.expect_word(marked("a label"))) return Outcome::error;
  instruction.operands.emplace_back().kind = Kind::label;
  scopes_.back().references.push_back({label.text, static_cast<std::uint32_t>(function_->instructions.size()),
                                       static_cast<std::uint32_t>(instruction.operands.size() - 1),
                                       kNoElement, label.line});
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
  if (!cursor_.spend(labels.size() * (sizeof(Operand) + sizeof(LabelReference)), name.line))
    return Outcome::error;
  Operand& table = instruction.operands.emplace_back();
  table.kind = Kind::vector;
  table.elements.resize(labels.size());
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    table.elements[i].kind = Kind::label;
    scopes_.back().references.push_back(
        {labels[i], static_cast<std::uint32_t>(function_->instructions.size()),
         static_cast<std::uint32_t>(instruction.operands.size() - 1), i, name.line});
  }
  return Outcome::good;
}

// call[.uni] [(returned), ] callee [, (arguments) [, prototype or targets]];
BodyParser::Outcome BodyParser::parse_call(Instruction& instruction) {
  instruction.operands.resize(3);
  Operand &returned = instruction.operands[0], &callee = instruction.operands[1],
          &arguments = instruction.operands[2];
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
    Operand element;
    const Outcome outcome = parse_value(element);
    if (outcome != Outcome::good) return outcome;
    if (!element.part.empty() || element.minus) return Outcome::unsupported;
    if (element.kind == Kind::vector) {
      list.elements.insert(list.elements.end(), element.elements.begin(), element.elements.end());
    } else {
      list.elements.push_back(std::move(element));
    }
  } while (cursor_.accept(','));
  return cursor_.expect(')') ? Outcome::good : Outcome::error;
}

BodyParser::Outcome BodyParser::parse_value(Operand& operand) {
  if (cursor_.accept('[')) return parse_address(operand);
  if (cursor_.accept('{')) return parse_vector(operand);
  if (begins_constant(cursor_.peek())) return take_constant(parse_constant(cursor_), operand);
  const bool negated = cursor_.accept('!'), minus = !negated && cursor_.accept('-');
  if (cursor_.peek().kind == Token::Kind::word && cursor_.peek().text != "WARP_SZ") {
    const Outcome outcome = parse_name(operand, negated);
    operand.minus = minus;
    return outcome == Outcome::good && minus && operand.kind != Kind::reg ? Outcome::unsupported : outcome;
  }
  if (negated || minus) return take_constant(parse_constant_after(cursor_, negated ? '!' : '-'), operand);
  cursor_.fail_here(tr("an operand"));
  return Outcome::error;
}

BodyParser::Outcome BodyParser::take_constant(const std::optional<Operand>& value, Operand& operand) const {
  if (!value) return cursor_.error() ? Outcome::error : Outcome::unsupported;
  operand = *value;
  return Outcome::good;
}

// %r1, !%p1, %tid.x, _, variable, variable+4, variable[3]
BodyParser::Outcome BodyParser::parse_name(Operand& operand, bool negated) {
  const Token name = cursor_.peek();
  if (!cursor_.expect_word(marked("a register"))) return Outcome::error;
  if (name.text == "generic" && cursor_.peek().is('(')) return Outcome::unsupported;
  const Token whole = take_part(name, operand);
  const Outcome outcome = resolve(whole, operand);
  if (outcome != Outcome::good) return outcome;
  if (negated && operand.kind != Kind::reg) return Outcome::unsupported;
  operand.negated = negated;
  if (operand.kind != Kind::variable) return Outcome::good;
  return cursor_.accept('[') ? parse_index(operand) : parse_offset(operand.offset);
}

/// Parses the index after `variable[`: the number of an element, `3`, `%r1` or `%r1+3`. ptxas counts the
/// components of vectors one by one.
BodyParser::Outcome BodyParser::parse_index(Operand& operand) {
  Operand index;
  if (const Outcome outcome = parse_value(index); outcome != Outcome::good) return outcome;
  const int element_bytes = size_of(function_->variables[operand.variable].type);
  if (index.kind == Kind::reg) {
    if (const Outcome outcome = parse_offset(index.offset); outcome != Outcome::good) return outcome;
    operand = address_of_element(index, element_bytes, operand);
  } else if (index.kind == Kind::immediate) {
    operand.offset = static_cast<std::int64_t>(index.bits * static_cast<std::uint64_t>(element_bytes));
  } else {
    return Outcome::unsupported;
  }
  return cursor_.expect(']') ? Outcome::good : Outcome::error;
}

/// Appends an instruction that computes an operand of the one being parsed, and returns its result register.
Operand BodyParser::emit_computed(const char* opcode, Type type, std::vector<Operand> operands) {
  const Operand result{.kind = Kind::reg, .reg = RegisterId{add_register("", type)}};
  operands.insert(operands.begin(), result);
  emit_generated(opcode, std::move(operands), {});
  return result;
}

void BodyParser::emit_generated(const char* opcode, std::vector<Operand> operands, const Operand& guard) {
  Instruction& instruction = function_->instructions.emplace_back(decode_opcode(opcode));
  instruction.operands = std::move(operands);
  instruction.guard = guard;
  instruction.location = lines_.current();
  instruction.ptx_line = cursor_.peek().line;
  instruction.text = opcode;
  instruction.is_generated = true;
}

/// Emits the address computation of `variable[%r1+3]`. The offset is added to the index in 32 bits, as
/// ptxas does.
Operand BodyParser::address_of_element(const Operand& index, int element_bytes, const Operand& variable) {
  const auto number = [](std::int64_t value) {
    return Operand{
        .kind = Kind::immediate, .immediate_type = Type::s64, .bits = static_cast<std::uint64_t>(value)};
  };
  const int index_bytes = size_of(function_->registers[static_cast<std::uint32_t>(index.reg)].type);
  Operand element{.kind = Kind::reg, .reg = index.reg};
  if (index_bytes != 4)
    element = emit_computed(index_bytes == 8 ? "cvt.u32.u64" : "cvt.u32.u16", Type::b32, {element});
  if (index.offset != 0) element = emit_computed("add.u32", Type::b32, {element, number(index.offset)});
  return emit_computed("mad.wide.u32", Type::b64, {element, number(element_bytes), variable});
}

/// Returns the register's name in `%r1.b0`, and keeps the part in the operand.
Token BodyParser::take_part(const Token& name, Operand& operand) const {
  const std::size_t dot = name.text.find('.');
  if (dot == std::string_view::npos || !is_part_of_register(name.text) || symbols_.find(name.text) != nullptr)
    return name;
  const std::string_view part = name.text.substr(dot + 1);
  const bool names_parts = part.size() >= 2 && (part[0] == 'b' || part[0] == 'h') &&
                           part.find_first_not_of("01234567", 1) == std::string_view::npos;
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
    const bool is_plain = element.part.empty() && !element.minus && element.kind != Kind::vector;
    if (outcome == Outcome::good && !is_plain) outcome = Outcome::unsupported;
    if (outcome == Outcome::unsupported && cursor_.skip_to('}') && cursor_.accept('}'))
      return outcome;  // What follows is read outside the braces
    if (outcome != Outcome::good) return Outcome::error;
    if (element.kind == Kind::sink) element.kind = Kind::none;
  } while (cursor_.accept(','));
  return cursor_.expect('}') ? Outcome::good : Outcome::error;
}

// Behind `[`: a register, variable or number, and an offset.
BodyParser::Outcome BodyParser::parse_address(Operand& operand) {
  const Token base = cursor_.peek();
  if (begins_constant(base)) {
    if (const Outcome outcome = take_constant(parse_constant(cursor_), operand); outcome != Outcome::good)
      return outcome;
  } else if (!cursor_.expect_word(marked("an address"))) {
    return Outcome::error;
  } else if (const Outcome outcome = resolve(base, operand); outcome != Outcome::good) {
    return outcome;
  }
  if (operand.kind != Kind::reg && operand.kind != Kind::variable && operand.kind != Kind::immediate)
    return Outcome::unsupported;
  operand.address_base = operand.kind;
  operand.kind = Kind::address;
  if (const Outcome outcome = parse_offset(operand.offset); outcome != Outcome::good) return outcome;
  if (cursor_.peek().is(',')) return Outcome::unsupported;  // Coordinates of a tensor
  return cursor_.expect(']') ? Outcome::good : Outcome::error;
}

/// "", "+4", "-4", "+-4", "+(1 << 4)".
BodyParser::Outcome BodyParser::parse_offset(std::int64_t& offset) {
  if (!cursor_.peek().is('-') && !cursor_.peek().is('+')) return Outcome::good;
  Operand value;
  const std::uint32_t line = cursor_.peek().line;
  const Outcome outcome = take_constant(parse_constant(cursor_), value);
  if (outcome == Outcome::good && value.immediate_type != Type::s64 && value.immediate_type != Type::u64) {
    cursor_.fail(line, tr("an offset is a whole number"));
    return Outcome::error;
  }
  offset = static_cast<std::int64_t>(value.bits);
  return outcome;
}

BodyParser::Outcome BodyParser::resolve(const Token& name, Operand& operand) {
  const Symbol* const symbol = symbols_.find(name.text);
  const auto in_range = find_in_ranges(name.text);
  if (in_range && (symbol == nullptr || symbol->depth < ranges_[in_range->range].depth)) {
    if (ranges_[in_range->range].is_opaque) return Outcome::unsupported;
    use_range(*in_range, name.text, operand);
    return Outcome::good;
  }
  if (symbol != nullptr) {
    switch (symbol->kind) {
      case Symbol::Kind::reg:
        operand.kind = Kind::reg;
        operand.reg = RegisterId{symbol->index};
        return Outcome::good;
      case Symbol::Kind::vector:
        use_registers(symbol->index, symbol->elements, operand);
        return Outcome::good;
      case Symbol::Kind::variable:
        operand.kind = Kind::variable;
        operand.variable = symbol->index;
        return Outcome::good;
      case Symbol::Kind::module_variable:
        operand.kind = Kind::variable;
        return copy_module_variable(symbol->index, name.line, operand.variable) ? Outcome::good
                                                                                : Outcome::error;
      case Symbol::Kind::function:
        operand.kind = Kind::function;
        operand.text = name.text;
        return Outcome::good;
      default: return Outcome::unsupported;
    }
  }
  return resolve_predefined(name, operand);
}

/// `%v.x`
BodyParser::Outcome BodyParser::resolve_component(const Token& name, Operand& operand) {
  Token whole = name;
  whole.text = name.text.substr(0, name.text.find('.'));
  Operand vector;
  if (const Outcome outcome = resolve(whole, vector); outcome != Outcome::good) return outcome;
  const std::size_t component =
      component_of(name.text.substr(std::min(whole.text.size() + 1, name.text.size())));
  if (vector.kind != Kind::vector || component >= vector.elements.size()) return Outcome::unsupported;
  operand = vector.elements[component];
  return Outcome::good;
}

/// A component of a vector register, `%v.x`, or bytes or halves of a register, `%r1.b3210`.
bool BodyParser::is_part_of_register(std::string_view name) const {
  const std::string_view whole = name.substr(0, name.find('.'));
  if (find_in_ranges(whole)) return true;
  const Symbol* const symbol = symbols_.find(whole);
  return symbol != nullptr && (symbol->kind == Symbol::Kind::opaque || symbol->kind == Symbol::Kind::reg ||
                               symbol->kind == Symbol::Kind::vector);
}

BodyParser::Outcome BodyParser::resolve_predefined(const Token& name, Operand& operand) {
  if (name.text == "_") {
    operand.kind = Kind::sink;
    return Outcome::good;
  }
  operand.special = find_special_register(name.text);
  if (operand.special != SpecialRegister::none) {
    operand.kind = Kind::special;
    return Outcome::good;
  }
  if (is_part_of_register(name.text)) return resolve_component(name, operand);
  if (const auto components = find_special_vector(name.text); !components.empty()) {
    operand.kind = Kind::vector;
    for (const SpecialRegister component : components)
      operand.elements.push_back({.kind = Kind::special, .special = component});
    return Outcome::good;
  }
  if (is_other_special_register(name.text)) return Outcome::unsupported;
  cursor_.fail(name.line, tr("{name} is not declared", "name"_a = quoted(name.text)),
               tr("Declare it before it is used, with .reg or a state space."));
  return Outcome::error;
}

}  // namespace warplens::ptx
