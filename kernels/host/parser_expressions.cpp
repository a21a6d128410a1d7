#include "kernels/host/parser.h"

namespace warplens::host {

namespace {

struct BinaryOperator {
  std::string_view text;
  int precedence;
};
constexpr BinaryOperator kBinaryOperators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
    {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
constexpr std::array kAssignments{"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};

}  // namespace

std::shared_ptr<Expression> Parser::make(Kind kind, std::string text, std::vector<ExpressionPtr> operands) {
  auto result = std::make_shared<Expression>();
  result->kind = kind;
  result->text = std::move(text);
  result->operands = std::move(operands);
  result->line = token().line;
  return result;
}

ExpressionPtr Parser::expression() {
  ExpressionPtr left = assignment();
  while (is(",") && !failed_) {
    ++at_;
    left = make(Kind::binary, ",", {left, assignment()});
  }
  return left;
}

ExpressionPtr Parser::list() {
  auto result = make(Kind::list, "", {});
  result->operands = argument_list();
  return result;
}

std::pair<std::string, std::size_t> Parser::operator_here() const {
  if (token().kind != Token::Kind::punctuation) return {"", 0};
  std::string text = token().text;
  std::size_t count = 1;
  if (text == ">") {
    while (count < 3 && is(">", count) && token(count).is_joined) text += token(count++).text;
    if (is("=", count) && token(count).is_joined) text += token(count++).text;
    if (is("==", count) && token(count).is_joined) return {text, count};
  }
  return {text, count};
}

ExpressionPtr Parser::assignment() {
  if (++nesting_ >= kMaxNesting) failed_ = true;
  ExpressionPtr left = failed_ ? number("0") : conditional();
  const auto [text, count] = operator_here();
  if (!failed_ && is_any_of(text, kAssignments)) {
    at_ += count;
    left = make(Kind::assign, text, {left, is("{") ? list() : assignment()});
  }
  --nesting_;
  return left;
}

ExpressionPtr Parser::conditional() {
  ExpressionPtr left = binary(0);
  if (!failed_ && take("?")) {
    ExpressionPtr chosen = assignment();
    expect(":");
    left = make(Kind::conditional, "?", {left, chosen, assignment()});
  }
  return left;
}

ExpressionPtr Parser::binary(int min_precedence) {
  ExpressionPtr left = unary();
  while (!failed_) {
    const auto [text, count] = operator_here();
    const auto* const found =
        std::ranges::find(kBinaryOperators, std::string_view(text), &BinaryOperator::text);
    if (found == std::end(kBinaryOperators) || found->precedence <= min_precedence) break;
    at_ += count;
    left = make(Kind::binary, text, {left, binary(found->precedence)});
  }
  return left;
}

ExpressionPtr Parser::unary() {
  if (++nesting_ >= kMaxNesting) {
    failed_ = true;
    --nesting_;
    return number("0");
  }
  ExpressionPtr result = unary_here();
  --nesting_;
  return result;
}

ExpressionPtr Parser::unary_here() {
  for (const std::string_view one : {"!", "~", "-", "+", "*", "&", "++", "--"}) {
    if (take(one)) return make(Kind::unary, std::string(one), {unary()});
  }
  if (take("sizeof")) {
    if (is("(")) {
      const std::size_t begin = at_;
      ++at_;
      if (std::optional<Type> of = type();
          of && is(")") && (of->pointers > 0 || is_known(of->name) || !of->arguments.empty())) {
        ++at_;
        auto result = make(Kind::size_of_type, "", {});
        result->type = std::make_shared<Type>(*std::move(of));
        return result;
      }
      at_ = begin;
    }
    return make(Kind::size_of_value, "", {unary()});
  }
  if (take("new")) return allocation();
  if (is("(")) {
    if (ExpressionPtr cast = cast_here()) return cast;
  }
  return postfix(primary());
}

ExpressionPtr Parser::cast_here() {
  const std::size_t begin = at_;
  take("(");
  std::optional<Type> of = type();
  const bool is_type = of && is(")") && (of->pointers > 0 || is_known(of->name) || !of->arguments.empty());
  const bool has_operand =
      is_type && (token(1).kind == Token::Kind::name || token(1).kind == Token::Kind::number ||
                  token(1).kind == Token::Kind::text || is("(", 1) || is("&", 1) || is("*", 1) ||
                  is("-", 1) || is("!", 1) || is("~", 1) || is("{", 1) || is("::", 1));
  if (!has_operand) {
    at_ = begin;
    return nullptr;
  }
  take(")");
  auto result = make(Kind::cast, "", {is("{") ? list() : unary()});
  result->type = std::make_shared<Type>(*std::move(of));
  return result;
}

ExpressionPtr Parser::allocation() {
  auto result = make(Kind::allocate, "", {});
  std::optional<Type> of = type();
  if (!of) {
    failed_ = true;
    return result;
  }
  if (take("[")) {
    result->operands.push_back(expression());
    result->text = "[";
    expect("]");
  }
  if (is("(") || is("{")) {
    std::vector<ExpressionPtr> arguments = argument_list();
    if (result->text.empty()) result->operands = std::move(arguments);
  }
  result->type = std::make_shared<Type>(*std::move(of));
  return result;
}

ExpressionPtr Parser::primary() {
  const Token& here = token();
  if (take("(")) {
    ExpressionPtr inside = expression();
    expect(")");
    return inside;
  }
  if (is("[")) return lambda();
  if (is("{")) return list();
  if (here.kind == Token::Kind::number || here.kind == Token::Kind::text ||
      here.kind == Token::Kind::character) {
    ++at_;
    while (here.kind == Token::Kind::text && token().kind == Token::Kind::text) ++at_;  // "a" "b"
    if (here.kind == Token::Kind::character) {
      const char code = here.text.empty() ? '\0' : here.text[0] == '\\' ? '\0' : here.text[0];
      return make(Kind::number, std::to_string(static_cast<int>(code)), {});
    }
    return make(here.kind == Token::Kind::number ? Kind::number : Kind::text, here.text, {});
  }
  if (is("::")) ++at_;
  if (!is_name() || is_any_of(token().text, kStatementWords)) {
    failed_ = true;
    return number("0");
  }
  for (const std::string_view cast : {"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"}) {
    if (take(cast)) return named_cast();
  }
  if (ExpressionPtr constructed = construction()) return constructed;
  return named();
}

ExpressionPtr Parser::named_cast() {
  expect("<");
  std::optional<Type> of = type();
  expect(">");
  expect("(");
  auto result = make(Kind::cast, "", {expression()});
  expect(")");
  result->type = std::make_shared<Type>(std::move(of).value_or(Type{}));
  return result;
}

ExpressionPtr Parser::construction() {
  const std::size_t begin = at_;
  std::optional<Type> of = type();
  const bool is_constructed =
      of && of->pointers == 0 && !of->is_reference && (is("(") || is("{")) &&
      (is_known(of->name) || of->name.find("vector") != std::string::npos || of->name == "std::array");
  if (!is_constructed) {
    at_ = begin;
    return nullptr;
  }
  auto result = make(Kind::cast, is("{") ? "{" : "", {});
  result->operands = argument_list();
  result->type = std::make_shared<Type>(*std::move(of));
  return result;
}

ExpressionPtr Parser::named() {
  auto result = make(Kind::name, "", {});
  for (;;) {
    result->text += token().text;
    ++at_;
    if (is("<")) {
      const std::size_t begin = at_;
      std::optional<std::vector<TemplateArgument>> arguments = template_arguments();
      const bool is_list =
          arguments && (is("(") || is("<<<") || is("::") || is("{") || is(")") || is(",") || is(";"));
      if (is_list) {
        result->template_arguments = *std::move(arguments);
      } else {
        at_ = begin;
      }
    }
    if (!is("::") || !is_name(1)) return result;
    result->text += "::";
    ++at_;
  }
}

ExpressionPtr Parser::lambda() {
  auto function = std::make_shared<Function>();
  skip_brackets();
  if (is("(")) function->parameters = parameters();
  while (!at_end() && !is("{") && !is(";")) ++at_;
  if (!is("{")) failed_ = true;
  if (!failed_) function->body = block();
  auto result = make(Kind::lambda, "", {});
  result->lambda = std::move(function);
  return result;
}

ExpressionPtr Parser::postfix(ExpressionPtr left) {
  while (!failed_) {
    if (is("(")) {
      auto call = make(Kind::call, "", {left});
      for (ExpressionPtr& argument : argument_list()) call->operands.push_back(std::move(argument));
      left = call;
    } else if (take("[")) {
      left = make(Kind::index, "", {left, expression()});
      expect("]");
    } else if (is(".") || is("->")) {
      ++at_;
      take("template");
      auto member = make(Kind::member, token().text, {left});
      failed_ = failed_ || !is_name();
      ++at_;
      if (is("<")) {
        const std::size_t begin = at_;
        if (!template_arguments() || !is("(")) at_ = begin;
      }
      left = member;
    } else if (is("++") || is("--")) {
      left = make(Kind::postfix, token().text, {left});
      ++at_;
    } else if (is("<<<")) {
      left = launch(left);
    } else {
      break;
    }
  }
  return left;
}

ExpressionPtr Parser::launch(const ExpressionPtr& kernel) {
  auto result = make(Kind::launch, "", {kernel});
  take("<<<");
  auto configuration = make(Kind::list, "", {}), arguments = make(Kind::list, "", {});
  while (!at_end() && !failed_ && operator_here().first != ">>>") {
    configuration->operands.push_back(is("{") ? list() : assignment());
    if (!take(",")) break;
  }
  for (int i = 0; i < 3; ++i) expect(">");
  if (is("(")) arguments->operands = argument_list();
  result->operands.push_back(configuration);
  result->operands.push_back(arguments);
  return result;
}

}  // namespace warplens::host
