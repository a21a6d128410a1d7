#include "kernels/ptx/body_parser.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/declarations.h"
#include "kernels/ptx/literals.h"
#include "kernels/ptx/opcodes.h"

namespace warplens::ptx {
namespace {

/// Clears a table. `= {}` would take as long as the largest body before has made it.
template <class Table>
void renew(Table& table) {
  table = Table();
}

}  // namespace

bool BodyParser::parse(Function& function) {
  function_ = &function;
  scopes_.clear();
  ranges_by_prefix_ = {};
  ranges_.clear();
  renew(registers_of_ranges_);
  branch_targets_.clear();
  renew(copies_);
  stack_.reset();
  stack_pointer_.reset();
  highest_target_ = 0;
  lines_.reset();
  open_scope();
  declare_registers_of_module();
  std::uint32_t last_line = 0;
  while (!scopes_.empty()) {
    last_line = cursor_.peek().line;
    if (!parse_statement()) return false;
  }
  complete_body(last_line);
  if (stack_pointer_) clear_stack_at_entry();
  return true;
}

void BodyParser::open_scope() {
  scopes_.emplace_back();
  symbols_.open_scope();
  ranges_by_prefix_.open_scope();
}

bool BodyParser::close_scope() {
  symbols_.close_scope();
  ranges_by_prefix_.close_scope();
  const Scope closed = std::move(scopes_.back());
  scopes_.pop_back();
  for (const LabelReference& reference : closed.references) {
    if (const auto label = closed.labels.find(reference.label); label != closed.labels.end()) {
      Operand& operand = function_->instructions[reference.instruction].operands[reference.operand];
      (reference.element == kNoElement ? operand : operand.elements[reference.element]).label = label->second;
      highest_target_ = std::max(highest_target_, label->second);
    } else if (scopes_.empty()) {
      return cursor_.fail(reference.line,
                          tr("label {label} is not defined", "label"_a = quoted(reference.label)));
    } else {
      scopes_.back().references.push_back(reference);
    }
  }
  return true;
}

bool BodyParser::parse_statement() {
  const Token token = cursor_.peek();
  if (token.kind == Token::Kind::directive) return parse_directive();
  if (cursor_.accept(';')) return true;
  if (cursor_.accept('}')) return close_scope();
  if (cursor_.accept('{')) {
    if (scopes_.size() >= Limits::kNesting)
      return cursor_.fail(token.line, tr("more than {most} nested scopes", "most"_a = Limits::kNesting));
    open_scope();
    return true;
  }
  Operand guard;
  if (cursor_.accept('@') && !parse_guard(guard)) return false;
  const Token word = cursor_.peek();
  if (!cursor_.expect_word(marked("an instruction"))) return false;
  if (guard.kind == Operand::Kind::none && cursor_.accept(':')) return parse_label(word);
  return parse_instruction(std::move(guard), word);
}

bool BodyParser::parse_directive() {
  const Token directive = cursor_.take();
  if (directive.text == ".loc") return lines_.parse(cursor_);
  if (directive.text == ".reg") {
    const auto declarations = parse_registers(cursor_);
    for (const RegisterDeclaration& declaration : declarations.value_or(std::vector<RegisterDeclaration>()))
      declare(declaration, false);
    return declarations.has_value();
  }
  if (directive.text == ".pragma") return cursor_.skip_to(';') && cursor_.expect(';');
  const StateSpace space = space_of_directive(directive.text);
  if (space != StateSpace::none) return parse_variables(space);
  return cursor_.fail(directive.line, tr("unknown directive {directive} in a function",
                                         "directive"_a = quoted(directive.text)));
}

void BodyParser::declare_in_module(std::vector<RegisterDeclaration> registers) {
  of_module_.insert(of_module_.end(), registers.begin(), registers.end());
}

/// A kernel has them for itself. What a function leaves in them its caller would see, which is not run:
/// instructions that use them are unsupported.
void BodyParser::declare_registers_of_module() {
  for (const RegisterDeclaration& declaration : of_module_) declare(declaration, !function_->is_entry);
}

void BodyParser::declare(const RegisterDeclaration& declaration, bool is_opaque) {
  const auto [name, type, elements, count] = declaration;
  if (count) {
    const Symbol* const hidden = ranges_by_prefix_.find(name);
    ranges_.push_back({type, elements, is_opaque, *count, symbols_.depth(),
                       hidden == nullptr ? std::nullopt : std::optional(hidden->index)});
    ranges_by_prefix_.declare(name,
                              {Symbol::Kind::register_range, static_cast<std::uint32_t>(ranges_.size() - 1)});
  } else if (is_opaque) {
    symbols_.declare(name, {Symbol::Kind::opaque});
  } else if (elements > 1) {
    symbols_.declare(name, {Symbol::Kind::vector, add_vector(name, type, elements), elements});
  } else {
    symbols_.declare(name, {Symbol::Kind::reg, add_register(name, type)});
  }
}

bool BodyParser::parse_variables(StateSpace space) {
  const auto attributes = parse_attributes(cursor_, space);
  if (!attributes) return false;
  do {
    auto declaration = parse_declarator(cursor_, *attributes);
    if (!declaration) return false;
    const std::string_view name = declaration->name;
    if (declaration->is_opaque) {
      symbols_.declare(name, {Symbol::Kind::opaque});
    } else {
      symbols_.declare(name,
                       {Symbol::Kind::variable, static_cast<std::uint32_t>(function_->variables.size())});
      function_->variables.push_back(std::move(declaration->variable));
    }
  } while (cursor_.accept(','));
  return cursor_.expect(';');
}

bool BodyParser::parse_label(const Token& name) {
  if (cursor_.accept(".branchtargets")) return parse_branch_targets(name.text);
  if (cursor_.peek().text == ".callprototype" || cursor_.peek().text == ".calltargets") {
    symbols_.declare(name.text, {Symbol::Kind::opaque});
    return cursor_.skip_to(';') && cursor_.expect(';');
  }
  const auto next = static_cast<std::uint32_t>(function_->instructions.size());
  if (scopes_.back().labels.emplace(name.text, next).second) return true;
  return cursor_.fail(name.line, tr("label {label} is defined twice", "label"_a = quoted(name.text)));
}

bool BodyParser::parse_branch_targets(std::string_view name) {
  std::vector<std::string_view> labels;
  do {
    const auto label = cursor_.expect_word(marked("a label"));
    if (!label) return false;
    labels.push_back(*label);
  } while (cursor_.accept(','));
  symbols_.declare(name, {Symbol::Kind::branch_targets, static_cast<std::uint32_t>(branch_targets_.size())});
  branch_targets_.push_back(std::move(labels));
  return cursor_.expect(';');
}

void BodyParser::complete_body(std::uint32_t last_line) {
  std::vector<Instruction>& instructions = function_->instructions;
  const auto ends_control = [](const Instruction& last) {
    return last.guard.kind == Operand::Kind::none && ends_block(last);
  };
  if (!instructions.empty() && ends_control(instructions.back()) && highest_target_ < instructions.size())
    return;
  Instruction ret;
  ret.opcode = Opcode::ret;
  ret.text = "ret";
  ret.ptx_line = last_line;
  ret.location = lines_.current();
  read_returned_registers(ret);
  instructions.push_back(std::move(ret));
}

void BodyParser::use_registers(std::uint32_t first, std::uint32_t elements, Operand& operand) {
  operand.kind = elements > 1 ? Operand::Kind::vector : Operand::Kind::reg;
  operand.reg = RegisterId{first};
  for (std::uint32_t k = 0; elements > 1 && k < elements; ++k) {
    operand.elements.push_back({.kind = Operand::Kind::reg, .reg = RegisterId{first + k}});
  }
}

/// Its components are registers of their own.
std::uint32_t BodyParser::add_vector(std::string_view name, Type type, std::uint32_t elements) {
  const auto first = static_cast<std::uint32_t>(function_->registers.size());
  for (const std::string_view component : std::span(kComponents).first(elements))
    add_register(std::string(name).append(component), type);
  return first;
}

/// A `ret` reads the registers that a function returns its results in.
void BodyParser::read_returned_registers(Instruction& ret) const {
  for (const std::uint32_t v : function_->returns) {
    if (function_->variables[v].space == StateSpace::reg)
      ret.operands.push_back({.kind = Operand::Kind::reg, .reg = function_->variables[v].reg});
  }
}

std::uint32_t BodyParser::add_register(std::string_view name, Type type) {
  function_->registers.push_back({std::string(name), type});
  return static_cast<std::uint32_t>(function_->registers.size() - 1);
}

std::optional<BodyParser::InRange> BodyParser::find_in_ranges(std::string_view name) const {
  const std::size_t prefix = name.find_last_not_of("0123456789") + 1;
  const Symbol* const range = prefix < name.size() ? ranges_by_prefix_.find(name.substr(0, prefix)) : nullptr;
  if (range == nullptr) return std::nullopt;
  std::uint32_t number = 0;
  if (std::from_chars(name.data() + prefix, name.data() + name.size(), number).ec != std::errc())
    return std::nullopt;
  std::optional<std::uint32_t> index = range->index;
  while (index && number >= ranges_[*index].count) index = ranges_[*index].hidden;
  return index ? std::optional(InRange{*index, number}) : std::nullopt;
}

void BodyParser::use_range(InRange place, std::string_view name, Operand& operand) {
  const RegisterRange& range = ranges_[place.range];
  const auto [entry, is_new] =
      registers_of_ranges_.try_emplace(std::uint64_t{place.range} << 32 | place.number);
  if (is_new)
    entry->second =
        range.elements > 1 ? add_vector(name, range.type, range.elements) : add_register(name, range.type);
  use_registers(entry->second, range.elements, operand);
}

bool BodyParser::copy_module_variable(std::uint32_t index, std::uint32_t line, std::uint32_t& variable) {
  const auto [entry, is_new] =
      copies_.try_emplace(index, static_cast<std::uint32_t>(function_->variables.size()));
  if (is_new) {
    const Variable& original = module_.variables[index];
    const std::size_t addresses = original.initial_addresses.size() * sizeof(InitialAddress);
    if (!cursor_.spend(original.initial.size() + original.name.size() + addresses, line)) return false;
    function_->variables.push_back(original);
    function_->variables.back().of_module = true;
  }
  variable = entry->second;
  return true;
}

}  // namespace warplens::ptx
