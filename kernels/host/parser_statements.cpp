#include "kernels/host/parser.h"

namespace warplens::host {

StatementPtr Parser::block() {
  auto result = make(Statement::Kind::block);
  expect("{");
  while (!at_end() && !is("}")) result->body.push_back(statement());
  expect("}");
  return result;
}

std::shared_ptr<Statement> Parser::make(Statement::Kind kind) {
  auto result = std::make_shared<Statement>();
  result->kind = kind;
  return result;
}

StatementPtr Parser::statement() {
  const std::size_t begin = at_;
  const bool had_failed = std::exchange(failed_, false);
  StatementPtr result = ++nesting_ < kMaxNesting ? statement_here() : nullptr;
  --nesting_;
  if (result == nullptr || failed_) {
    at_ = begin;
    skip_declaration();
    if (at_ == begin) ++at_;
    result = make(Statement::Kind::empty);
  }
  failed_ = had_failed;
  return result;
}

StatementPtr Parser::statement_here() {
  using StatementKind = Statement::Kind;
  if (is("{")) return block();
  if (take(";")) return make(StatementKind::empty);
  if (take("if")) {
    take("constexpr");
    auto result = make(StatementKind::branch);
    result->value = condition();
    result->body.push_back(statement());
    result->body.push_back(take("else") ? statement() : nullptr);
    return result;
  }
  if (take("for")) return loop();
  if (take("while")) {
    auto result = make(StatementKind::loop);
    result->value = condition();
    result->body = {nullptr, statement()};
    return result;
  }
  if (take("do")) {
    auto result = make(StatementKind::loop_after);
    result->body = {nullptr, statement()};
    if (take("while")) result->value = condition();
    take(";");
    return result;
  }
  if (take("switch")) {
    auto result = make(StatementKind::selection);
    result->value = condition();
    result->body.push_back(statement());
    return result;
  }
  if (is("case") || (is("default") && is(":", 1))) {
    auto result = make(StatementKind::label);
    if (take("case")) {
      result->value = binary(0);
    } else {
      ++at_;
    }
    expect(":");
    return result;
  }
  if (take("try")) {
    StatementPtr tried = statement();
    while (take("catch")) {
      if (is("(")) skip_brackets();
      if (is("{")) skip_brackets();
    }
    return tried;
  }
  for (const auto& [word, kind] :
       {std::pair{"return", StatementKind::return_}, std::pair{"break", StatementKind::break_},
        std::pair{"continue", StatementKind::continue_}}) {
    if (!take(word)) continue;
    auto result = make(kind);
    if (!is(";")) result->value = is("{") ? list() : expression();
    expect(";");
    return result;
  }
  if (is("goto") && is_name(1)) {
    auto result = make(StatementKind::goto_);
    ++at_;
    result->value = named();
    expect(";");
    return result;
  }
  if (is_name() && is(":", 1) && !is_any_of(token().text, kStatementWords)) {
    auto result = make(StatementKind::target);
    result->value = named();
    expect(":");
    return result;
  }
  if (is("using") || is("delete") || is("throw") || is("static_assert")) {
    if (is("using") && is_name(1) && is("=", 2)) {
      ++at_;
      alias();
    } else {
      skip_declaration();
    }
    return make(StatementKind::empty);
  }
  if (take("typedef")) {
    type_definition();
    return make(StatementKind::empty);
  }
  if ((is("struct") || is("class")) && declares_struct() && !begins_declaration()) {
    structure();
    return make(StatementKind::empty);
  }
  if (begins_declaration()) {
    skip_specifiers();
    auto result = make(StatementKind::declaration);
    result->declarators = declarators(type().value_or(Type{}));
    expect(";");
    return result;
  }
  auto result = make(StatementKind::expression);
  result->value = expression();
  expect(";");
  return result;
}

ExpressionPtr Parser::condition() {
  expect("(");
  ExpressionPtr result;
  if (begins_declaration()) {  // if (cudaError_t error = ..)
    (void)type();
    result = declarator({}).initial;
  } else {
    result = expression();
  }
  expect(")");
  return result;
}

StatementPtr Parser::loop() {
  auto result = make(Statement::Kind::loop);
  expect("(");
  StatementPtr initial;
  if (begins_declaration()) {
    auto declaration = make(Statement::Kind::declaration);
    const Type of = type().value_or(Type{});
    if (is_name() && is(":", 1)) {
      result->kind = Statement::Kind::range_loop;
      Declarator element{.type = of, .name = token().text};
      result->declarators.push_back(std::move(element));
      at_ += 2;
      result->value = is("{") ? list() : expression();
      expect(")");
      result->body = {nullptr, statement()};
      return result;
    }
    declaration->declarators = declarators(of);
    initial = declaration;
  } else if (!is(";")) {
    auto value = make(Statement::Kind::expression);
    value->value = expression();
    initial = value;
  }
  expect(";");
  if (!is(";")) result->value = expression();
  expect(";");
  if (!is(")")) result->step = expression();
  expect(")");
  result->body = {initial, statement()};
  return result;
}

bool Parser::begins_declaration() {
  const std::size_t begin = at_;
  const bool had_failed = std::exchange(failed_, false);
  skip_specifiers();
  const std::optional<Type> of = type();
  const bool declares_function_pointer =
      of && is("(") && is("*", 1) && is_name(2) && is(")", 3) && is("(", 4);
  const bool result =
      of && !failed_ &&
      ((is_name() && !is_any_of(token().text, kStatementWords) &&
        (is("=", 1) || is(";", 1) || is(",", 1) || is("(", 1) || is("{", 1) || is("[", 1) || is(":", 1))) ||
       declares_function_pointer);
  at_ = begin;
  failed_ = had_failed;
  return result;
}

}  // namespace warplens::host
