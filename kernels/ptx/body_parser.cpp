#include "kernels/ptx/body_parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/declarations.h"
#include "kernels/ptx/literals.h"
#include "kernels/ptx/opcodes.h"

namespace warplens::ptx {
namespace {

/// To clear a table, as `= {}` does, takes as long as the largest body before has made it.
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
  highest_target_ = 0;
  lines_.reset();
  open_scope();
  std::uint32_t last_line = 0;
  while (!scopes_.empty()) {
    last_line = cursor_.peek().line;
    if (!parse_statement()) return false;
  }
  complete_body(last_line);
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
      return cursor_.fail(reference.line, tr("label {label} is not defined", "label"_a = quoted(reference.label)));
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
    if (scopes_.size() >= Limits::kNesting) return cursor_.fail(token.line, tr("more than {most} nested scopes", "most"_a = Limits::kNesting));
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
  if (directive.text == ".reg") return parse_registers();
  if (directive.text == ".pragma") return cursor_.skip_to(';') && cursor_.expect(';');
  const StateSpace space = space_of_directive(directive.text);
  if (space != StateSpace::none) return parse_variables(space);
  return cursor_.fail(directive.line, tr("unknown directive {directive} in a function", "directive"_a = quoted(directive.text)));
}

bool BodyParser::parse_registers() {
  Type type = Type::none;
  bool is_vector = false;
  while (cursor_.peek().kind == Token::Kind::directive) {
    const Token directive = cursor_.take();
    if (directive.text == ".v2" || directive.text == ".v4") {
      is_vector = true;
    } else if ((type = type_of_directive(directive.text)) == Type::none) {
      return cursor_.fail(directive.line, tr("unknown register type {type}", "type"_a = quoted(directive.text)));
    }
  }
  if (type == Type::none) return cursor_.fail_here(tr("a type such as `.b32`"));
  do {
    const auto name = cursor_.expect_word(marked("the name of a register"));
    if (!name) return false;
    if (cursor_.accept('<')) {
      if (!parse_register_range(*name, type)) return false;
    } else if (is_vector) {
      symbols_.declare(*name, {Symbol::Kind::opaque});
    } else {
      symbols_.declare(*name, {Symbol::Kind::reg, add_register(*name, type)});
    }
  } while (cursor_.accept(','));
  return cursor_.expect(';');
}

bool BodyParser::parse_register_range(std::string_view prefix, Type type) {
  const auto count = cursor_.expect_unsigned(marked("a number of registers"), Limits::kRegisterRange);
  if (!count || !cursor_.expect('>')) return false;
  const Symbol* const hidden = ranges_by_prefix_.find(prefix);
  ranges_.push_back({type, *count, symbols_.depth(), hidden == nullptr ? std::nullopt : std::optional(hidden->index)});
  ranges_by_prefix_.declare(prefix, {Symbol::Kind::register_range, static_cast<std::uint32_t>(ranges_.size() - 1)});
  return true;
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
      symbols_.declare(name, {Symbol::Kind::variable, static_cast<std::uint32_t>(function_->variables.size())});
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
  const auto ends_control = [](const Instruction& last) { return last.guard.kind == Operand::Kind::none && ends_block(last); };
  if (!instructions.empty() && ends_control(instructions.back()) && highest_target_ < instructions.size()) return;
  Instruction ret;
  ret.opcode = Opcode::ret;
  ret.text = "ret";
  ret.ptx_line = last_line;
  ret.location = lines_.current();
  instructions.push_back(std::move(ret));
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
  if (std::from_chars(name.data() + prefix, name.data() + name.size(), number).ec != std::errc()) return std::nullopt;
  std::optional<std::uint32_t> index = range->index;
  while (index && number >= ranges_[*index].count) index = ranges_[*index].hidden;
  return index ? std::optional(InRange{*index, number}) : std::nullopt;
}

std::uint32_t BodyParser::register_of(InRange place, std::string_view name) {
  const auto [entry, is_new] = registers_of_ranges_.try_emplace(std::uint64_t{place.range} << 32 | place.number);
  if (is_new) entry->second = add_register(name, ranges_[place.range].type);
  return entry->second;
}

bool BodyParser::copy_module_variable(std::uint32_t index, std::uint32_t line, std::uint32_t& variable) {
  const auto [entry, is_new] = copies_.try_emplace(index, static_cast<std::uint32_t>(function_->variables.size()));
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
