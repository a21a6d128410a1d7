#include "kernels/ptx/declarations.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/base/texts.h"
#include "kernels/ptx/expressions.h"

namespace warplens::ptx {
namespace {

struct Initialiser {
  Variable& variable;
  std::vector<std::uint64_t> dimensions;  // 0 for the first: as many as there are values
};

bool is_opaque_type(std::string_view directive) {
  return directive == ".texref" || directive == ".samplerref" || directive == ".surfref";
}

/// ".attribute(.managed)", ".attribute(.unified(1, 2))"
bool skip_attribute(Cursor& cursor) {
  if (!cursor.expect('(')) return false;
  for (int depth = 1; depth > 0;) {
    if (cursor.peek().kind == Token::Kind::end || cursor.peek().kind == Token::Kind::invalid)
      return cursor.fail_here("`)`");
    const Token token = cursor.take();
    depth += token.is('(') - token.is(')');
  }
  return true;
}

/// Skips the initial value of a sampler, `{addr_mode_0 = wrap, filter_mode = linear}`.
bool skip_initialiser(Cursor& cursor) {
  return cursor.expect('{') && cursor.skip_to('}') && cursor.expect('}');
}

bool parse_alignment(Cursor& cursor, std::uint32_t& alignment) {
  const std::uint32_t line = cursor.peek().line;
  const auto value = cursor.expect_unsigned(marked("an alignment"), Limits::kAlignment);
  if (!value) return false;
  if (!std::has_single_bit(*value))
    return cursor.fail(line, tr("an alignment is a power of two, not {value}", "value"_a = *value));
  alignment = static_cast<std::uint32_t>(*value);
  return true;
}

/// One directive between the state space and the name.
bool parse_attribute(Cursor& cursor, Declaration& declaration, std::uint32_t& alignment) {
  Variable& variable = declaration.variable;
  const Token directive = cursor.take();
  if (directive.text == ".align") return parse_alignment(cursor, alignment);
  if (directive.text == ".attribute") return skip_attribute(cursor);
  if (directive.text == ".ptr") {  // About what the parameter points to: `.ptr .global .align 16`
    std::uint32_t alignment_of_target = 0;
    variable.pointee = space_of_directive(cursor.peek().text);
    if (variable.pointee != StateSpace::none) cursor.take();
    return !cursor.accept(".align") || parse_alignment(cursor, alignment_of_target);
  }
  if (directive.text == ".v2" || directive.text == ".v4") {
    variable.elements = variable.vector = directive.text == ".v2" ? 2 : 4;
    return true;
  }
  declaration.is_opaque |= is_opaque_type(directive.text);
  variable.type = declaration.is_opaque ? Type::b64 : type_of_directive(directive.text);
  return variable.type != Type::none ||
         cursor.fail(directive.line, tr("unknown attribute {attribute} of a variable",
                                        "attribute"_a = quoted(directive.text)));
}

bool parse_dimensions(Cursor& cursor, Initialiser& initialiser) {
  while (cursor.accept('[')) {
    if (initialiser.dimensions.size() >= Limits::kDimensions) {
      return cursor.fail(cursor.peek().line, tr("{variable} has more than {most} dimensions",
                                                "variable"_a = quoted(initialiser.variable.name),
                                                "most"_a = Limits::kDimensions));
    }
    std::uint64_t size = 0;
    if (!cursor.peek().is(']')) {
      const auto written = cursor.expect_unsigned(marked("the size of an array"), Limits::kVariableBytes);
      if (!written) return false;
      size = *written;
    } else if (!initialiser.dimensions.empty()) {
      return cursor.fail_here(tr("the size of an array"));
    }
    if (!cursor.expect(']')) return false;
    initialiser.dimensions.push_back(size);
    Variable& variable = initialiser.variable;
    if (size > 0 && variable.bytes() > Limits::kVariableBytes / size) {
      return cursor.fail(cursor.peek().line, tr("{variable} is too large: at most 2^40 bytes",
                                                "variable"_a = quoted(variable.name)));
    }
    if (initialiser.dimensions.size() > 1 || size > 0) variable.elements *= size;
  }
  return true;
}

/// One value of `element_bytes` bytes at the end of the initial bytes, or the address of something:
/// `generic(name) + 4`, `0xFF00(name)`, `name`.
bool parse_value(Cursor& cursor, Variable& variable) {
  const int element_bytes = size_of(variable.type);
  const Token token = cursor.peek();
  std::uint64_t bits = 0;
  if (begins_constant(token) || token.is('-') || token.is('!')) {
    const auto value = parse_constant(cursor);
    if (!value) return cursor.fail_here(tr("a number"));
    bits = value->bits;
    if (value->immediate_type == Type::f64 && variable.type == Type::f32)
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  } else if (!cursor.expect_word(marked("an initial value"))) {
    return false;
  }
  const bool has_address = token.kind == Token::Kind::word || cursor.peek().is('(');
  InitialAddress address{.offset = variable.initial.size(), .name = std::string(token.text)};
  if (cursor.accept('(')) {
    const auto name = cursor.expect_word(marked("the name of a variable"));
    if (!name || !cursor.expect(')')) return false;
    address.name = *name;
    address.is_generic = token.kind == Token::Kind::word;
  }
  if (has_address) {
    bits = 0;
    if (cursor.peek().is('+') || cursor.peek().is('-')) {
      const auto addend = parse_constant(cursor);
      if (!addend) return cursor.fail_here(tr("an offset"));
      address.addend = static_cast<std::int64_t>(addend->bits);
    }
    if (element_bytes == 8) {
      if (!cursor.spend(sizeof address + address.name.size(), token.line)) return false;
      variable.initial_addresses.push_back(std::move(address));
    }
  }
  if (!cursor.spend(element_bytes, token.line)) return false;
  for (int i = 0; i < element_bytes; ++i)
    variable.initial.push_back(static_cast<std::uint8_t>(i < 8 ? bits >> (8 * i) : 0));
  return true;
}

/// `{...}` for dimension `depth`: values in order, or inner braces, each of which fills one row; rows cut
/// short are zero to their end. The elements of a `.v2` or `.v4` are a dimension of their own.
bool parse_values(Cursor& cursor, Initialiser& initialiser, std::size_t depth) {
  Variable& variable = initialiser.variable;
  const std::uint32_t line = cursor.peek().line;
  if (!cursor.expect('{')) return false;
  if (depth >= initialiser.dimensions.size() && depth > 0)
    return cursor.fail(
        line, tr("too many braces in the initial value of {variable}", "variable"_a = quoted(variable.name)));
  const std::uint64_t element_bytes = size_of(variable.type);
  std::uint64_t row_bytes = element_bytes;
  for (std::size_t i = depth + 1; i < initialiser.dimensions.size(); ++i)
    row_bytes *= initialiser.dimensions[i];
  if (cursor.accept('}')) return true;
  do {
    if (cursor.peek().is('}')) break;
    if (!cursor.peek().is('{')) {
      if (!parse_value(cursor, variable)) return false;
      continue;
    }
    const std::uint64_t begin = variable.initial.size();
    if (!parse_values(cursor, initialiser, depth + 1)) return false;
    const std::uint64_t written = variable.initial.size() - begin;
    if (written > row_bytes)
      return cursor.fail(line,
                         tr("a row of {variable} has too many values", "variable"_a = quoted(variable.name)));
    if (!cursor.spend(row_bytes - written, line)) return false;
    variable.initial.resize(begin + row_bytes);
  } while (cursor.accept(','));
  return cursor.expect('}');
}

bool parse_initialiser(Cursor& cursor, Initialiser& initialiser) {
  Variable& variable = initialiser.variable;
  const std::uint32_t line = cursor.peek().line;
  if (variable.type == Type::pred) return cursor.fail(line, tr("a predicate has no initial value"));
  const bool is_open = !initialiser.dimensions.empty() && initialiser.dimensions[0] == 0;
  if (variable.vector > 1) initialiser.dimensions.push_back(variable.vector);
  if (cursor.peek().is('{') ? !parse_values(cursor, initialiser, 0) : !parse_value(cursor, variable))
    return false;
  if (is_open) {
    const std::uint64_t row_bytes = std::max<std::uint64_t>(variable.bytes(), 1);
    variable.elements *= (variable.initial.size() + row_bytes - 1) / row_bytes;
  }
  if (variable.bytes() > Limits::kInitialBytes) {
    return cursor.fail(line, tr("{variable} has initial values and {size} bytes: at most {most}",
                                "variable"_a = quoted(variable.name), "size"_a = variable.bytes(),
                                "most"_a = Limits::kInitialBytes));
  }
  if (variable.initial.size() > variable.bytes())
    return cursor.fail(
        line, tr("{variable} has more initial values than elements", "variable"_a = quoted(variable.name)));
  return true;
}

}  // namespace

Type type_of_directive(std::string_view directive) {
  for (int i = static_cast<int>(Type::pred); i <= static_cast<int>(Type::f64); ++i) {
    if (!directive.empty() && directive.substr(1) == name_of(static_cast<Type>(i)))
      return static_cast<Type>(i);
  }
  return Type::none;
}

StateSpace space_of_directive(std::string_view directive) {
  constexpr std::pair<std::string_view, StateSpace> kSpaces[] = {
      {".global", StateSpace::global},  {".shared", StateSpace::shared}, {".local", StateSpace::local},
      {".const", StateSpace::constant}, {".param", StateSpace::param},   {".reg", StateSpace::reg}};
  const auto found = std::find_if(std::begin(kSpaces), std::end(kSpaces),
                                  [&](const auto& entry) { return entry.first == directive; });
  return found == std::end(kSpaces) ? StateSpace::none : found->second;
}

std::optional<std::vector<RegisterDeclaration>> parse_registers(Cursor& cursor) {
  RegisterDeclaration shared;
  while (cursor.peek().kind == Token::Kind::directive) {
    const Token directive = cursor.take();
    if (directive.text == ".v2" || directive.text == ".v4") {
      shared.elements = directive.text == ".v2" ? 2 : 4;
    } else if ((shared.type = type_of_directive(directive.text)) == Type::none) {
      cursor.fail(directive.line, tr("unknown register type {type}", "type"_a = quoted(directive.text)));
      return std::nullopt;
    }
  }
  if (shared.type == Type::none) {
    cursor.fail_here(tr("a type such as `.b32`"));
    return std::nullopt;
  }
  std::vector<RegisterDeclaration> declarations;
  do {
    const auto name = cursor.expect_word(marked("the name of a register"));
    if (!name) return std::nullopt;
    RegisterDeclaration& one = declarations.emplace_back(shared);
    one.name = *name;
    if (!cursor.accept('<')) continue;
    one.count = cursor.expect_unsigned(marked("a number of registers"), Limits::kRegisterRange);
    if (!one.count || !cursor.expect('>')) return std::nullopt;
  } while (cursor.accept(','));
  if (!cursor.expect(';')) return std::nullopt;
  return declarations;
}

std::optional<Declaration> parse_attributes(Cursor& cursor, StateSpace space) {
  Declaration declaration;
  Variable& variable = declaration.variable;
  variable.space = space;
  std::uint32_t written_alignment = 0;
  while (cursor.peek().kind == Token::Kind::directive) {
    if (!parse_attribute(cursor, declaration, written_alignment)) return std::nullopt;
  }
  if (variable.type == Type::none) {
    cursor.fail_here(tr("a type such as `.b32`"));
    return std::nullopt;
  }
  variable.alignment =
      written_alignment > 0 ? written_alignment : static_cast<std::uint32_t>(variable.bytes());
  return declaration;
}

std::optional<Declaration> parse_declarator(Cursor& cursor, Declaration declaration) {
  const auto name = cursor.expect_word(marked("the name of a variable"));
  if (!name) return std::nullopt;
  Variable& variable = declaration.variable;
  declaration.name = *name;
  variable.name = *name;
  Initialiser initialiser{variable, {}};
  if (!parse_dimensions(cursor, initialiser)) return std::nullopt;
  const bool is_open = !initialiser.dimensions.empty() && initialiser.dimensions[0] == 0;
  if (cursor.accept('=')) {
    const bool is_read =
        declaration.is_opaque ? skip_initialiser(cursor) : parse_initialiser(cursor, initialiser);
    if (!is_read) return std::nullopt;
  } else if (is_open) {
    variable.elements = 0;
  }
  return declaration;
}

}  // namespace warplens::ptx
