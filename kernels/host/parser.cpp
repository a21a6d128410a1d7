#include "kernels/host/parser.h"

namespace warplens::host {

Parser::Parser(const PreprocessedSource& source) : tokens_(&source.tokens) {
  for (const auto& [name, body] : source.constants) {
    std::vector<Token> tokens = body;
    tokens.emplace_back();
    const std::vector<Token>* const whole = std::exchange(tokens_, &tokens);
    program_.constants[name] = expression();
    tokens_ = whole;
    at_ = 0;
    failed_ = false;
  }
}

Program Parser::run() {
  declarations();
  return std::move(program_);
}

void Parser::skip_brackets() {
  int depth = 0;
  do {
    if (is("(") || is("{") || is("[")) ++depth;
    if (is(")") || is("}") || is("]")) --depth;
    ++at_;
  } while (depth > 0 && !at_end());
}

void Parser::skip_declaration() {
  while (!at_end() && !is(";") && !is("}")) {
    const bool is_block = is("{");
    if (is("(") || is("[") || is_block) {
      skip_brackets();
    } else {
      ++at_;
    }
    if (is_block && !is(";") && !is(",") && !is("=")) return;
  }
  take(";");
}

bool Parser::skip_angles() {
  if (!is("<")) return false;
  int depth = 0;
  for (const std::size_t begin = at_; !at_end() && at_ - begin < 256;) {
    if (is("(") || is("{") || is("[")) {
      skip_brackets();
      continue;
    }
    if (is(";") || is(")") || is("}") || is("]")) return false;
    depth += is("<") ? 1 : is(">") ? -1 : 0;
    ++at_;
    if (depth == 0) return true;
  }
  return false;
}

void Parser::declarations() {
  while (!at_end() && !is("}")) {
    const std::size_t begin = at_;
    declaration_of_namespace();
    failed_ = false;
    if (at_ == begin) ++at_;
  }
}

void Parser::declaration_of_namespace() {
  if (take(";")) return;
  if (is("inline") && is("namespace", 1)) ++at_;
  if (take("namespace")) {
    while (is_name() || is("::")) ++at_;
    if (take("{")) {
      declarations();
      take("}");
    } else {
      skip_declaration();
    }
    return;
  }
  if (is("extern") && token(1).kind == Token::Kind::text) {
    at_ += 2;
    if (take("{")) {
      declarations();
      take("}");
    }
    return;
  }
  std::vector<TemplateParameter> parameters;
  while (take("template")) {
    if (is("<")) {
      parameters = template_parameters();
    } else {
      return skip_declaration();  // An instance that is asked for
    }
  }
  if (take("using")) return alias();
  if (take("typedef")) return type_definition();
  if ((is("struct") || is("class") || is("union")) && declares_struct())
    return structure(std::move(parameters));
  if (is("enum") && declares_struct()) return enumeration();
  for (const TemplateParameter& parameter : parameters) {
    if (parameter.is_type) known_types_.insert(parameter.name);
  }
  declaration_or_function(std::move(parameters));
}

bool Parser::declares_struct() const {
  for (std::size_t ahead = 1; ahead < 64; ++ahead) {
    if (is("__align__", ahead) || is("alignas", ahead)) {
      while (ahead < 64 && !is(")", ahead)) ++ahead;
      continue;
    }
    if (is("{", ahead) || is(":", ahead)) return true;
    if (is(";", ahead) || is("(", ahead) || is("=", ahead) || token(ahead).kind == Token::Kind::end) break;
  }
  return false;
}

std::vector<TemplateParameter> Parser::template_parameters() {
  std::vector<TemplateParameter> parameters;
  take("<");
  while (!at_end() && !is(">")) {
    TemplateParameter parameter;
    parameter.is_type = is("typename") || is("class");
    if (parameter.is_type) {
      ++at_;
      if (is("...")) ++at_;
      if (is_name()) parameter.name = token().text, ++at_;
      if (take("=")) parameter.default_type = std::make_shared<Type>(type().value_or(Type{}));
    } else {
      if (!type()) failed_ = true;
      if (is_name()) parameter.name = token().text, ++at_;
      if (take("=")) parameter.default_value = binary(8);  // Without `>`
    }
    parameters.push_back(std::move(parameter));
    while (!at_end() && !is(",") && !is(">")) ++at_;
    take(",");
  }
  take(">");
  return parameters;
}

void Parser::alias() {  // using Real = float;
  if (!is_name() || !is("=", 1)) return skip_declaration();
  const std::string name = token().text;
  at_ += 2;
  if (std::optional<Type> aliased = type()) add_alias(name, *std::move(aliased));
  skip_declaration();
}

void Parser::type_definition() {  // typedef float Real; typedef struct { .. } Matrix;
  if ((is("struct") || is("union")) && declares_struct()) {
    structure();
    return;
  }
  if (is("enum") && declares_struct()) return enumeration();
  std::optional<Type> aliased = type();
  if (aliased && is_name() && (is(";", 1) || is("[", 1))) add_alias(token().text, *std::move(aliased));
  skip_declaration();
}

void Parser::add_alias(const std::string& name, Type aliased) {
  known_types_.insert(name);
  if (aliased.name != name) program_.aliases[name] = std::move(aliased);
}

void Parser::structure(std::vector<TemplateParameter> template_parameters) {
  Struct result{.template_parameters = std::move(template_parameters), .is_union = is("union")};
  ++at_;
  while (is("__align__") || is("alignas")) {
    ++at_;
    const std::vector<ExpressionPtr> bytes = argument_list();
    if (!bytes.empty()) result.alignment = bytes.front();
    failed_ = false;
  }
  if (is_name()) result.name = token().text, ++at_;
  known_types_.insert(result.name);
  result.has_other_members = is(":");
  while (!at_end() && !is("{") && !is(";")) ++at_;  // Bases
  take("{");
  while (!at_end() && !is("}")) {
    const std::size_t begin = at_;
    member(result);
    failed_ = false;
    if (at_ == begin) ++at_;
  }
  take("}");
  if (result.name.empty() && is_name()) result.name = token().text;  // typedef struct { } Name;
  if (is_name() && is(";", 1) && token().text != result.name) add_alias(token().text, {.name = result.name});
  if (!result.name.empty()) {
    known_types_.insert(result.name);
    program_.structs[result.name] = std::move(result);
  }
  declares_with_structure_ = !is(";");
  skip_declaration();
}

void Parser::member(Struct& result) {
  if ((is("public") || is("private") || is("protected")) && is(":", 1)) {
    at_ += 2;
    return;
  }
  if (take(";")) return;
  if (is("template") || is("using") || is("typedef") || is("friend") || is("~")) return skip_declaration();
  if ((is("struct") || is("class") || is("union")) && declares_struct()) {
    const bool is_unnamed = is("{", 1);
    structure();
    result.has_other_members = result.has_other_members || is_unnamed || declares_with_structure_;
    return;
  }
  if (is("enum") && declares_struct()) return enumeration();
  result.has_other_members = result.has_other_members || is("virtual");
  const bool is_static = is("static");
  const std::size_t begin = at_;
  skip_specifiers();
  if (take("operator")) {
    const std::optional<Type> to = type();
    const auto conversion = to && to->pointers > 0 && is("(") ? (--at_, function_at("operator*")) : nullptr;
    if (conversion != nullptr) return static_cast<void>(result.methods.emplace("operator*", conversion));
    at_ = begin;
    return skip_declaration();
  }
  if (is_name() && token().text == result.name && is("(", 1)) {
    if (const auto constructor = function_at(result.name)) result.methods.emplace(result.name, constructor);
    return;
  }
  at_ = begin;
  const std::optional<Type> of = type();
  if (!of || !is_name() || is("operator")) return skip_declaration();
  if (is("(", 1)) {
    const std::string name = token().text;
    if (const auto method = function_at(name)) result.methods.emplace(name, method);
    return;
  }
  for (Declarator& field : declarators(*of)) {
    if (!is_static) {
      result.fields.push_back(std::move(field));
    } else if (field.initial != nullptr) {
      program_.constants.emplace(field.name, field.initial);
    }
  }
  if (!take(";")) skip_declaration();
}

void Parser::enumeration() {
  ++at_;
  if (is("class") || is("struct")) ++at_;
  if (is_name()) known_types_.insert(token().text), ++at_;
  while (!at_end() && !is("{") && !is(";")) ++at_;
  take("{");
  ExpressionPtr previous;
  while (is_name()) {
    const std::string name = token().text;
    ++at_;
    ExpressionPtr value;
    if (take("=")) {
      value = assignment();
    } else if (previous == nullptr) {
      value = number("0");
    } else {
      auto next = std::make_shared<Expression>();
      next->kind = Kind::binary;
      next->text = "+";
      next->operands = {previous, number("1")};
      value = next;
    }
    previous = program_.constants[name] = value;
    if (!take(",")) break;
  }
  while (!at_end() && !is("}")) ++at_;
  take("}");
  skip_declaration();
}

ExpressionPtr Parser::number(const std::string& text) {
  auto result = std::make_shared<Expression>();
  result->text = text;
  return result;
}

Parser::Specifiers Parser::skip_specifiers() {
  Specifiers found;
  for (;;) {
    found.is_kernel = found.is_kernel || is("__global__");
    found.is_device = found.is_device || is("__device__");
    found.is_host = found.is_host || is("__host__");
    found.is_symbol = found.is_symbol || is("__device__") || is("__constant__") || is("__managed__");
    if (is("__launch_bounds__") || is("__attribute__") || is("__cluster_dims__") || is("__declspec")) {
      ++at_;
      if (is("(")) skip_brackets();
    } else if (is("[") && is("[", 1)) {
      skip_brackets();
    } else if (is_name() && is_any_of(token().text, kSpecifiers) && !is("const")) {
      ++at_;
    } else {
      return found;
    }
  }
}

void Parser::declaration_or_function(std::vector<TemplateParameter> parameters) {
  const Specifiers specifiers = skip_specifiers();
  const std::size_t begin = at_;
  const std::optional<Type> of = type();
  const Specifiers later = skip_specifiers();
  while (is_name() && is("::", 1)) at_ += 2;  // A member that is defined outside of its structure
  if (!of || !is_name()) {
    at_ = begin;
    return skip_declaration();
  }
  const bool is_kernel = specifiers.is_kernel || later.is_kernel;
  if (!is("(", 1)) {
    for (Declarator& global : declarators(*of)) {
      global.is_device_symbol = specifiers.is_symbol || later.is_symbol;
      program_.globals.push_back(std::move(global));
    }
    if (!take(";")) skip_declaration();
    return;
  }
  const std::string name = token().text;
  is_skipping_body_ =
      is_kernel || ((specifiers.is_device || later.is_device) && !specifiers.is_host && !later.is_host);
  std::shared_ptr<Function> function = function_at(name);
  is_skipping_body_ = false;
  if (function == nullptr) return;
  function->template_parameters = std::move(parameters);
  function->is_kernel = is_kernel;
  if (is_kernel) {
    program_.kernels.push_back(std::move(function));
  } else {
    (function->body != nullptr ? program_.functions : program_.declared).emplace(name, std::move(function));
  }
}

std::shared_ptr<Function> Parser::function_at(const std::string& name) {
  auto function = std::make_shared<Function>();
  function->name = name;
  ++at_;
  function->parameters = parameters();
  if (failed_) {
    skip_declaration();
    return nullptr;
  }
  while (!at_end() && !is("{") && !is(";") && !is(":") && !is("=")) {  // const, noexcept, -> type
    if (is("(")) {
      skip_brackets();
    } else {
      ++at_;
    }
  }
  if (take(":")) {
    do {
      Declarator one;
      if (is_name()) one.name = token().text, ++at_;
      skip_angles();
      if (is("(") || is("{")) one.arguments = argument_list();
      function->member_initializers.push_back(std::move(one));
    } while (take(",") && !failed_);
  }
  if (!is("{")) {
    skip_declaration();
    return function;
  }
  const std::size_t open = at_;
  if (!is_skipping_body_) function->body = block();
  at_ = open;
  skip_brackets();
  return function;
}

std::vector<Declarator> Parser::parameters() {
  std::vector<Declarator> parameters;
  expect("(");
  if (is("void") && is(")", 1)) ++at_;
  while (!at_end() && !is(")") && !failed_) {
    Declarator parameter;
    if (take("...")) break;
    std::optional<Type> of = type();
    if (!of) {
      failed_ = true;
      break;
    }
    parameter.type = *std::move(of);
    while (take("...")) parameter.is_pack = true;
    if (is("(") && is("*", 1)) {  // A pointer to a function
      at_ += 2;
      if (is_name()) parameter.name = token().text, ++at_;
      expect(")");
      if (is("(")) skip_brackets();
    }
    if (is_name()) parameter.name = token().text, ++at_;
    while (is("[")) {
      skip_brackets();
      ++parameter.type.pointers;
    }
    if (take("=")) parameter.initial = assignment();
    parameters.push_back(std::move(parameter));
    if (!take(",")) break;
  }
  take("...");
  expect(")");
  return parameters;
}

Program parse(const PreprocessedSource& source) {
  return Parser(source).run();
}

}  // namespace warplens::host
