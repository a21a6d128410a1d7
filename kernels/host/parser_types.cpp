#include "kernels/host/parser.h"

namespace warplens::host {

std::optional<Type> Parser::type() {
  const std::size_t begin = at_;
  Type result;
  const auto skip_qualifiers = [&] {
    while (is_name() && (is_any_of(token().text, kSpecifiers) || is("alignas") || is("__align__"))) {
      result.is_const = result.is_const || is("const");
      const bool is_alignment = is("alignas") || is("__align__");
      ++at_;
      if (!is_alignment) continue;
      const std::vector<ExpressionPtr> bytes = argument_list();
      if (!bytes.empty()) result.alignment = bytes.front();
    }
  };
  skip_qualifiers();
  if (is_name() && is_any_of(token().text, kTypeWords)) {
    while (is_name() && (is_any_of(token().text, kTypeWords) || is("const"))) {
      if (!is("const")) result.name += (result.name.empty() ? "" : " ") + token().text;
      result.is_const = result.is_const || is("const");
      ++at_;
    }
  } else {
    take("::");
    if (!is_name() || is_any_of(token().text, kStatementWords)) {
      at_ = begin;
      return std::nullopt;
    }
    for (;;) {
      result.name += token().text;
      ++at_;
      if (is("<") && !type_arguments(result)) {
        at_ = begin;
        return std::nullopt;
      }
      if (!is("::") || !is_name(1)) break;
      result.name += "::";
      ++at_;
    }
  }
  skip_qualifiers();
  while (is("*") || is("&") || is("&&") || is("const") || is("__restrict__") || is("__restrict") ||
         is("restrict")) {
    result.pointers += is("*") ? 1 : 0;
    result.is_reference = result.is_reference || is("&") || is("&&");
    ++at_;
  }
  return result;
}

bool Parser::type_arguments(Type& of) {
  const std::size_t begin = at_;
  std::optional<std::vector<TemplateArgument>> arguments = template_arguments();
  if (!arguments) {
    at_ = begin;
    return false;
  }
  of.arguments = *std::move(arguments);
  return true;
}

std::optional<std::vector<TemplateArgument>> Parser::template_arguments() {
  const bool had_failed = std::exchange(failed_, false);
  std::vector<TemplateArgument> arguments;
  take("<");
  while (!at_end() && !is(">") && !failed_) {
    const std::size_t begin = at_;
    TemplateArgument argument;
    std::optional<Type> of = type();
    if (of && is("[") && is("]", 1)) at_ += 2;  // unique_ptr<float[]>
    const bool is_whole = of && (is(",") || is(">"));
    const bool is_type =
        is_whole && (of->pointers > 0 || !of->arguments.empty() || of->is_const || is_known(of->name));
    if (is_type) {
      argument.type = std::make_shared<Type>(*std::move(of));
    } else {
      at_ = begin;
      argument.value = binary(8);
    }
    arguments.push_back(std::move(argument));
    if (!take(",")) break;
  }
  const bool ends = take(">") && !failed_;
  failed_ = had_failed;
  return ends ? std::optional(std::move(arguments)) : std::nullopt;
}

bool Parser::is_known(const std::string& name) const {
  constexpr std::array kKnown{"size_t",   "int8_t",        "uint8_t",  "int16_t", "uint16_t", "int32_t",
                              "uint32_t", "int64_t",       "uint64_t", "half",    "__half",   "half2",
                              "__half2",  "__nv_bfloat16", "dim3",     "uint",    "uchar",    "ushort",
                              "ulong",    "ssize_t",       "ptrdiff_t"};
  const std::string last = name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
  const std::string first_word = name.substr(0, name.find(' '));
  const bool is_vector = last.size() > 1 && last.back() >= '1' && last.back() <= '4' &&
                         is_any_of(std::string_view(last).substr(0, last.size() - 1),
                                   std::array{"char", "uchar", "short", "ushort", "int", "uint", "long",
                                              "ulong", "longlong", "ulonglong", "float", "double"});
  return is_any_of(first_word, kTypeWords) || is_any_of(last, kKnown) || is_vector ||
         known_types_.contains(last) || last.ends_with("_t");
}

std::vector<Declarator> Parser::declarators(const Type& base) {
  std::vector<Declarator> result;
  Type of = base;
  do {
    if (!result.empty()) {
      of = base;
      of.pointers = 0;
      of.is_reference = false;
      while (is("*") || is("&") || is("const") || is("__restrict__")) {
        of.pointers += is("*") ? 1 : 0;
        of.is_reference = of.is_reference || is("&");
        ++at_;
      }
    }
    result.push_back(declarator(of));
  } while (!failed_ && take(","));
  return result;
}

Declarator Parser::declarator(const Type& of) {
  Declarator one{.type = of};
  if (take("(")) {  // void (*kernel)(float*)
    while (take("*")) {
    }
    if (is_name()) one.name = token().text, ++at_;
    expect(")");
    if (is("(")) skip_brackets();
    one.type.name = "auto";
  } else if (is_name()) {
    one.name = token().text;
    ++at_;
  } else {
    failed_ = true;
    return one;
  }
  while (take("[")) {
    one.type.extents.push_back(is("]") ? nullptr : expression());
    expect("]");
  }
  if (take(":")) {
    binary(1);
    one.is_bit_field = true;
  }
  if (take("=")) {
    one.initial = is("{") ? list() : assignment();
  } else if (is("(") || is("{")) {
    one.is_braced = is("{");
    one.arguments = argument_list();
    one.has_arguments = true;
  }
  return one;
}

std::vector<ExpressionPtr> Parser::argument_list() {
  std::vector<ExpressionPtr> arguments;
  const std::string_view close = is("(") ? ")" : "}";
  ++at_;
  while (!at_end() && !is(close) && !failed_) {
    arguments.push_back(is("{") ? list() : assignment());
    if (take("...")) arguments.back() = make(Kind::expand, "", {arguments.back()});
    if (!take(",")) break;
  }
  expect(close);
  return arguments;
}

}  // namespace warplens::host
