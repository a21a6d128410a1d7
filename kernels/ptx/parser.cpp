#include "kernels/ptx/parser.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/body_parser.h"
#include "kernels/ptx/calls.h"
#include "kernels/ptx/cursor.h"
#include "kernels/ptx/declarations.h"
#include "kernels/ptx/demangle.h"
#include "kernels/ptx/line_table.h"
#include "kernels/ptx/statements.h"
#include "kernels/ptx/symbols.h"

namespace warplens::ptx {
namespace {

bool is_linkage(std::string_view directive) {
  return directive == ".visible" || directive == ".extern" || directive == ".weak" || directive == ".common";
}

class ModuleParser {
 public:
  ModuleParser(std::string_view text, std::string name) : cursor_(text, name) {
    module_.name = std::move(name);
    module_.text = text;
  }

  Result<Module> parse() {
    while (cursor_.peek().kind != Token::Kind::end) {
      if (!parse_statement()) return *cursor_.error();
    }
    if (module_.version.empty())
      return Error{tr("no .version directive: this is not PTX"), module_.name,
                   tr("Give the PTX text that nvcc -ptx writes.")};
    const std::size_t files = std::size_t{lines_.highest_file()} + 1;
    module_.files.resize(std::max(module_.files.size(), files));
    resolve_aliases();
    find_callees_that_exit(module_);
    return std::move(module_);
  }

 private:
  bool parse_statement();
  bool parse_version();
  bool parse_target();
  bool parse_address_size();
  bool parse_file();
  bool parse_section();
  bool parse_function(bool is_entry);
  bool parse_parameters(Function& function, std::vector<std::uint32_t>& list);
  void declare_register_parameter(Function& function, const Declaration& parameter,
                                  std::vector<std::uint32_t>& list);
  bool parse_performance_directives(Function& function);
  bool parse_thread_limit(Function& function, std::array<std::uint32_t, 3>& extents);
  bool parse_cluster(Function& function);
  bool parse_variables(StateSpace space, bool is_extern);
  bool parse_alias();
  void resolve_aliases();
  bool parse_registers();
  bool parse_textures();

  Cursor cursor_;
  Module module_;
  SymbolTable symbols_;
  std::unordered_map<std::string, std::string> aliases_;  ///< To the function
  LineTable lines_{module_.inlined_calls};
  BodyParser bodies_{cursor_, module_, symbols_, lines_};
};

bool ModuleParser::parse_statement() {
  bool is_extern = false;
  while (is_linkage(cursor_.peek().text)) is_extern |= cursor_.take().text == ".extern";
  const Token token = cursor_.peek();
  if (token.kind != Token::Kind::directive)
    return cursor_.accept(';') || cursor_.fail_here(tr("a directive such as `.entry`"));
  cursor_.take();
  if (token.text == ".version") return parse_version();
  if (token.text == ".target") return parse_target();
  if (token.text == ".address_size") return parse_address_size();
  if (token.text == ".file") return parse_file();
  if (token.text == ".loc") return lines_.parse(cursor_);
  if (token.text == ".section") return parse_section();
  if (token.text == ".entry" || token.text == ".func") return parse_function(token.text == ".entry");
  if (token.text == ".pragma") return cursor_.skip_to(';') && cursor_.expect(';');
  if (token.text == ".alias") return parse_alias();
  if (token.text == ".reg") return parse_registers();
  if (token.text == ".tex") return parse_textures();
  const StateSpace space = space_of_directive(token.text);
  if (space != StateSpace::none) return parse_variables(space, is_extern);
  return cursor_.fail(token.line, tr("unknown directive {directive}", "directive"_a = quoted(token.text)));
}

/// .alias name, function;
bool ModuleParser::parse_alias() {
  const auto name = cursor_.expect_word(marked("the name of a function"));
  if (!name || !cursor_.expect(',')) return false;
  const auto function = cursor_.expect_word(marked("the name of a function"));
  if (!function || !cursor_.expect(';')) return false;
  symbols_.declare(*name, {Symbol::Kind::function});
  aliases_.insert_or_assign(std::string(*name), std::string(*function));
  return true;
}

/// What is called by an alias is the function itself from here on.
void ModuleParser::resolve_aliases() {
  if (aliases_.empty()) return;
  const auto resolve = [&](std::string& name) {
    if (const auto found = aliases_.find(name); found != aliases_.end()) name = found->second;
  };
  for (Function& function : module_.functions) {
    for (Instruction& instruction : function.instructions) {
      for (Operand& operand : instruction.operands) {
        if (operand.kind == Operand::Kind::function) resolve(operand.text);
      }
    }
  }
  for (Variable& variable : module_.variables) {
    for (InitialAddress& address : variable.initial_addresses) resolve(address.name);
  }
}

/// Registers that each thread has for the whole module (PTX ISA, "Register State Space").
bool ModuleParser::parse_registers() {
  auto registers = ptx::parse_registers(cursor_);
  if (!registers) return false;
  bodies_.declare_in_module(*std::move(registers));
  return true;
}

/// .tex .u64 name; which textures were declared by until PTX 1.4: they are bound by name, so what reads them
/// is not run.
bool ModuleParser::parse_textures() {
  const auto attributes = parse_attributes(cursor_, StateSpace::global);
  if (!attributes) return false;
  do {
    const auto declaration = parse_declarator(cursor_, *attributes);
    if (!declaration) return false;
    symbols_.declare(declaration->name, {Symbol::Kind::opaque});
  } while (cursor_.accept(','));
  return cursor_.expect(';');
}

bool ModuleParser::parse_version() {
  const Token version = cursor_.peek();
  if (version.kind != Token::Kind::number) return cursor_.fail_here(tr("a version such as `9.0`"));
  cursor_.take();
  module_.version = version.text;
  return true;
}

bool ModuleParser::parse_target() {
  const auto target = cursor_.expect_word(marked("a target such as `sm_90`"));
  if (!target) return false;
  module_.target = *target;
  while (cursor_.accept(',')) {  // `debug`, `texmode_unified`
    if (!cursor_.expect_word(marked("an option of the target"))) return false;
  }
  return true;
}

bool ModuleParser::parse_address_size() {
  const std::uint32_t line = cursor_.peek().line;
  const auto bits = cursor_.expect_unsigned(marked("an address size"), 64);
  if (!bits) return false;
  return *bits == 64 || fail_of_address_size(cursor_, line);
}

/// .file index "name" [, timestamp, size]
bool ModuleParser::parse_file() {
  const auto index = cursor_.expect_unsigned(marked("a file number"), Limits::kFileIndex);
  if (!index) return false;
  const Token name = cursor_.peek();
  if (name.kind != Token::Kind::string) return cursor_.fail_here(tr("a file name in quotes"));
  cursor_.take();
  while (cursor_.accept(',')) {
    if (!cursor_.expect_unsigned(marked("a time or size"), std::numeric_limits<std::uint64_t>::max()))
      return false;
  }
  if (module_.files.size() <= *index) module_.files.resize(*index + 1);
  module_.files[*index] = name.text.substr(1, name.text.size() - 2);
  return true;
}

/// .section .debug_str { ... }: for debuggers; what we use of the line table is in .loc and .file.
bool ModuleParser::parse_section() {
  const Token name = cursor_.take();
  if (name.kind != Token::Kind::directive && name.kind != Token::Kind::word)
    return cursor_.fail(name.line, tr("expected the name of a section"));
  return cursor_.expect('{') && cursor_.skip_to('}') && cursor_.expect('}');
}

// .entry name (parameters) directives { body }
// .func (returned) name (parameters) directives { body }, or `;` for a declaration, which may be left out
bool ModuleParser::parse_function(bool is_entry) {
  Function function;
  function.is_entry = is_entry;
  function.ptx_line = cursor_.peek().line;
  symbols_.open_scope();
  if (cursor_.accept(".attribute") && !(cursor_.skip_to(')') && cursor_.expect(')'))) return false;
  if (!is_entry && cursor_.peek().is('(') && !parse_parameters(function, function.returns)) return false;
  const auto name = cursor_.expect_word(marked("the name of a function"));
  if (!name) return false;
  symbols_.declare(*name, {Symbol::Kind::function});  // Its body may name it
  if (cursor_.peek().is('(') && !parse_parameters(function, function.parameters)) return false;
  if (!parse_performance_directives(function)) return false;
  const bool has_body = cursor_.accept('{');
  if (has_body && !bodies_.parse(function)) return false;
  const bool has_ended = has_body || cursor_.accept(';') || cursor_.peek().kind == Token::Kind::end ||
                         begins_module_statement(cursor_.peek().text);
  if (!has_ended) return cursor_.fail_here("`;`");
  symbols_.close_scope();
  symbols_.declare(*name, {Symbol::Kind::function});
  if (has_body) {
    function.name = *name;
    function.plain_name = plain_name(*name);
    module_.functions.push_back(std::move(function));
  }
  return true;
}

bool ModuleParser::parse_parameters(Function& function, std::vector<std::uint32_t>& list) {
  cursor_.take();
  if (cursor_.accept(')')) return true;
  do {
    const bool is_hidden = cursor_.accept(".hidden");
    const Token directive = cursor_.take();
    const StateSpace space = space_of_directive(directive.text);
    if (space != StateSpace::param && space != StateSpace::reg)
      return cursor_.fail(directive.line, tr("expected a parameter, which begins with `.param`"));
    auto parameter = parse_attributes(cursor_, space);
    if (parameter) parameter = parse_declarator(cursor_, std::move(*parameter));
    if (!parameter) return false;
    const auto index = static_cast<std::uint32_t>(function.variables.size());
    Variable& variable = parameter->variable;
    variable.is_hidden = is_hidden;
    if (space == StateSpace::reg) {
      declare_register_parameter(function, *parameter, list);
      continue;
    }
    symbols_.declare(parameter->name,
                     {parameter->is_opaque ? Symbol::Kind::opaque : Symbol::Kind::variable, index});
    if (!is_hidden) list.push_back(index);
    function.variables.push_back(std::move(variable));
  } while (cursor_.accept(','));
  return cursor_.expect(')');
}

/// Each component of a vector is a parameter of its own, as it is an argument of its own in calls.
void ModuleParser::declare_register_parameter(Function& function, const Declaration& parameter,
                                              std::vector<std::uint32_t>& list) {
  const auto first = static_cast<std::uint32_t>(function.registers.size());
  const std::uint32_t count = parameter.variable.vector;
  symbols_.declare(parameter.name, {count > 1 ? Symbol::Kind::vector : Symbol::Kind::reg, first, count});
  for (std::uint32_t k = 0; k < count; ++k) {
    Variable component = parameter.variable;
    component.vector = 1;
    component.elements = 1;
    component.reg = RegisterId{first + k};
    if (count > 1) component.name += kComponents[k];
    function.registers.push_back({component.name, component.type});
    if (!component.is_hidden) list.push_back(static_cast<std::uint32_t>(function.variables.size()));
    function.variables.push_back(std::move(component));
  }
}

/// Between the parameters and the body: `.maxntid 256, 1, 1`, `.minnctapersm 2`, `.noreturn`, `.pragma
/// "nounroll";`
bool ModuleParser::parse_performance_directives(Function& function) {
  while (cursor_.peek().kind == Token::Kind::directive && !begins_module_statement(cursor_.peek().text)) {
    const Token directive = cursor_.take();
    if (directive.text == ".maxntid" || directive.text == ".reqntid") {
      if (!parse_thread_limit(function, directive.text == ".maxntid" ? function.bounds.most_threads
                                                                     : function.bounds.required_threads))
        return false;
    } else if (directive.text == ".reqnctapercluster") {
      if (!parse_cluster(function)) return false;
    } else if (directive.text == ".minnctapersm" || directive.text == ".maxnreg") {
      const auto limit =
          cursor_.expect_unsigned(marked("a number"), std::numeric_limits<std::uint32_t>::max());
      if (!limit) return false;
      (directive.text == ".maxnreg" ? function.bounds.max_registers : function.bounds.min_blocks) =
          static_cast<std::uint32_t>(*limit);
    } else if (directive.text == ".pragma") {
      if (!cursor_.skip_to(';') || !cursor_.expect(';')) return false;
    } else {
      while (cursor_.peek().kind == Token::Kind::number || cursor_.peek().is(',')) cursor_.take();
    }
  }
  return true;
}

bool ModuleParser::parse_thread_limit(Function& function, std::array<std::uint32_t, 3>& extents) {
  constexpr std::uint64_t kMax = 1u << 16;
  std::uint64_t threads = 1;
  std::size_t k = 0;
  extents = {1, 1, 1};
  do {
    const auto extent = cursor_.expect_unsigned(marked("a number of threads"), kMax);
    if (!extent) return false;
    threads = std::min(threads * *extent, kMax);
    if (k < extents.size()) extents[k++] = static_cast<std::uint32_t>(*extent);
  } while (cursor_.accept(','));
  function.max_threads = static_cast<std::uint32_t>(threads);
  return true;
}

bool ModuleParser::parse_cluster(Function& function) {
  constexpr std::uint64_t kMax = 1u << 16;
  function.bounds.cluster = {1, 1, 1};
  std::size_t k = 0;
  do {
    const auto extent = cursor_.expect_unsigned(marked("a number of blocks"), kMax);
    if (!extent) return false;
    if (k < function.bounds.cluster.size())
      function.bounds.cluster.at(k++) = static_cast<std::uint32_t>(*extent);
  } while (cursor_.accept(','));
  return true;
}

bool ModuleParser::parse_variables(StateSpace space, bool is_extern) {
  const auto attributes = parse_attributes(cursor_, space);
  if (!attributes) return false;
  do {
    auto declaration = parse_declarator(cursor_, *attributes);
    if (!declaration) return false;
    const auto index = static_cast<std::uint32_t>(module_.variables.size());
    symbols_.declare(declaration->name,
                     {declaration->is_opaque ? Symbol::Kind::opaque : Symbol::Kind::module_variable, index});
    declaration->variable.is_extern = is_extern;
    module_.variables.push_back(std::move(declaration->variable));
  } while (cursor_.accept(','));
  return cursor_.expect(';');
}

}  // namespace

Result<Module> parse(std::string_view text, std::string name) {
  constexpr std::string_view kByteOrderMark =
      "\xef\xbb\xbf";  // Editors put it there; no line and no column counts it
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return ModuleParser(text, std::move(name)).parse();
}

}  // namespace warplens::ptx
