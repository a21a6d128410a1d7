#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "kernels/host/syntax.h"

namespace warplens::host {
namespace {

using Kind = Expression::Kind;

constexpr int kMaxNesting = 200;

constexpr std::array kTypeWords{"void",   "bool",     "char",  "short",  "int", "long",
                                "signed", "unsigned", "float", "double", "auto"};
constexpr std::array kSpecifiers{"static",       "inline",       "extern",       "constexpr",
                                 "const",        "volatile",     "register",     "mutable",
                                 "virtual",      "explicit",     "friend",       "typename",
                                 "struct",       "class",        "enum",         "__global__",
                                 "__host__",     "__device__",   "__shared__",   "__forceinline__",
                                 "__inline__",   "__noinline__", "__constant__", "__managed__",
                                 "__restrict__", "__restrict",   "restrict",     "thread_local",
                                 "consteval",    "union",        "__inline",     "__grid_constant__"};
constexpr std::array kStatementWords{"return", "if",       "for",     "while",    "do",   "switch",
                                     "case",   "default",  "break",   "continue", "goto", "else",
                                     "delete", "throw",    "new",     "sizeof",   "try",  "catch",
                                     "using",  "operator", "template"};

bool is_any_of(std::string_view text, const auto& words) {
  return std::ranges::find(words, text) != words.end();
}

struct BinaryOperator {
  std::string_view text;
  int precedence;
};
constexpr BinaryOperator kBinaryOperators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
    {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
constexpr std::array kAssignments{"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};

/// A recursive-descent parser. A syntax error sets `failed_`; statements and declarations recover from it.
class Parser {
 public:
  explicit Parser(const PreprocessedSource& source) : tokens_(&source.tokens) {
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

  Program run() {
    declarations();
    return std::move(program_);
  }

 private:
  // -- Tokens

  [[nodiscard]] const Token& token(std::size_t ahead = 0) const {
    return (*tokens_)[std::min(at_ + ahead, tokens_->size() - 1)];
  }
  [[nodiscard]] bool is(std::string_view text, std::size_t ahead = 0) const {
    const Token& one = token(ahead);
    return one.text == text && one.kind != Token::Kind::text && one.kind != Token::Kind::character;
  }
  [[nodiscard]] bool is_name(std::size_t ahead = 0) const { return token(ahead).kind == Token::Kind::name; }
  [[nodiscard]] bool at_end() const { return token().kind == Token::Kind::end; }
  bool take(std::string_view text) {
    if (!is(text)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text) { failed_ = !take(text) || failed_; }

  /// Advances past the bracket that closes the current one.
  void skip_brackets() {
    int depth = 0;
    do {
      if (is("(") || is("{") || is("[")) ++depth;
      if (is(")") || is("}") || is("]")) --depth;
      ++at_;
    } while (depth > 0 && !at_end());
  }
  /// Advances past the next `;`, or past a block if one comes first.
  void skip_declaration() {
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
  /// Advances past a list of template arguments; false: there is none.
  bool skip_angles() {
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

  // -- Declarations of a namespace

  void declarations() {
    while (!at_end() && !is("}")) {
      const std::size_t begin = at_;
      declaration_of_namespace();
      failed_ = false;
      if (at_ == begin) ++at_;
    }
  }

  void declaration_of_namespace() {
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

  [[nodiscard]] bool declares_struct() const {
    for (std::size_t ahead = 1; ahead < 64; ++ahead) {
      if (is("{", ahead) || is(":", ahead)) return true;
      if (is(";", ahead) || is("(", ahead) || is("=", ahead) || token(ahead).kind == Token::Kind::end) break;
    }
    return false;
  }

  std::vector<TemplateParameter> template_parameters() {
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

  void alias() {  // using Real = float;
    if (!is_name() || !is("=", 1)) return skip_declaration();
    const std::string name = token().text;
    at_ += 2;
    if (std::optional<Type> aliased = type()) add_alias(name, *std::move(aliased));
    skip_declaration();
  }

  void type_definition() {  // typedef float Real; typedef struct { .. } Matrix;
    if ((is("struct") || is("union")) && declares_struct()) {
      structure();
      return;
    }
    if (is("enum") && declares_struct()) return enumeration();
    std::optional<Type> aliased = type();
    if (aliased && is_name() && (is(";", 1) || is("[", 1))) add_alias(token().text, *std::move(aliased));
    skip_declaration();
  }

  void add_alias(const std::string& name, Type aliased) {
    known_types_.insert(name);
    if (aliased.name != name) program_.aliases[name] = std::move(aliased);
  }

  void structure(std::vector<TemplateParameter> template_parameters = {}) {
    ++at_;
    while (is("__align__") || is("alignas")) {
      ++at_;
      skip_brackets();
    }
    Struct result{.template_parameters = std::move(template_parameters)};
    if (is_name()) result.name = token().text, ++at_;
    known_types_.insert(result.name);
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
    if (is_name() && is(";", 1) && token().text != result.name)
      add_alias(token().text, {.name = result.name});
    if (!result.name.empty()) {
      known_types_.insert(result.name);
      program_.structs[result.name] = std::move(result);
    }
    skip_declaration();
  }

  void member(Struct& result) {
    if ((is("public") || is("private") || is("protected")) && is(":", 1)) {
      at_ += 2;
      return;
    }
    if (take(";")) return;
    if (is("template") || is("using") || is("typedef") || is("friend") || is("~")) return skip_declaration();
    if ((is("struct") || is("union") || is("enum")) && declares_struct()) return skip_declaration();
    const std::size_t begin = at_;
    skip_specifiers();
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
    for (Declarator& field : declarators(*of)) result.fields.push_back(std::move(field));
    if (!take(";")) skip_declaration();
  }

  void enumeration() {
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

  static ExpressionPtr number(const std::string& text) {
    auto result = std::make_shared<Expression>();
    result->text = text;
    return result;
  }

  struct Specifiers {
    bool is_kernel = false, is_device = false, is_host = false, is_symbol = false;
  };
  Specifiers skip_specifiers() {
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

  void declaration_or_function(std::vector<TemplateParameter> parameters) {
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
    } else if (function->body != nullptr) {
      program_.functions.emplace(name, std::move(function));
    }
  }

  /// A function from its name on; null: it is no function, or is not read.
  std::shared_ptr<Function> function_at(const std::string& name) {
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

  std::vector<Declarator> parameters() {
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
      while (take("...")) {
      }
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

  // -- Types

  /// The type here; nullopt, and nothing is taken, where there is none.
  std::optional<Type> type() {
    const std::size_t begin = at_;
    Type result;
    const auto skip_qualifiers = [&] {
      while (is_name() && (is_any_of(token().text, kSpecifiers))) {
        result.is_const = result.is_const || is("const");
        ++at_;
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

  bool type_arguments(Type& of) {
    const std::size_t begin = at_;
    std::optional<std::vector<TemplateArgument>> arguments = template_arguments();
    if (!arguments) {
      at_ = begin;
      return false;
    }
    of.arguments = *std::move(arguments);
    return true;
  }

  /// `<16, float>`; nullopt: it is no such list, and `failed_` is as before.
  std::optional<std::vector<TemplateArgument>> template_arguments() {
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

  [[nodiscard]] bool is_known(const std::string& name) const {
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

  std::vector<Declarator> declarators(const Type& base) {
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

  Declarator declarator(const Type& of) {
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
    if (take(":")) binary(1);  // A bit field
    if (take("=")) {
      one.initial = is("{") ? list() : assignment();
    } else if (is("(") || is("{")) {
      one.arguments = argument_list();
      one.has_arguments = true;
    }
    return one;
  }

  /// `(a, b)` or `{a, b}`
  std::vector<ExpressionPtr> argument_list() {
    std::vector<ExpressionPtr> arguments;
    const std::string_view close = is("(") ? ")" : "}";
    ++at_;
    while (!at_end() && !is(close) && !failed_) {
      arguments.push_back(is("{") ? list() : assignment());
      if (!take(",")) break;
    }
    expect(close);
    return arguments;
  }

  // -- Statements

  StatementPtr block() {
    auto result = make(Statement::Kind::block);
    expect("{");
    while (!at_end() && !is("}")) result->body.push_back(statement());
    expect("}");
    return result;
  }

  static std::shared_ptr<Statement> make(Statement::Kind kind) {
    auto result = std::make_shared<Statement>();
    result->kind = kind;
    return result;
  }

  StatementPtr statement() {
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

  StatementPtr statement_here() {
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
    if (is("using") || is("goto") || is("delete") || is("throw") || is("static_assert")) {
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

  ExpressionPtr condition() {
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

  StatementPtr loop() {
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

  /// Whether a declaration begins here: a type and a name.
  bool begins_declaration() {
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

  // -- Expressions

  std::shared_ptr<Expression> make(Kind kind, std::string text, std::vector<ExpressionPtr> operands) {
    auto result = std::make_shared<Expression>();
    result->kind = kind;
    result->text = std::move(text);
    result->operands = std::move(operands);
    result->line = token().line;
    return result;
  }

  ExpressionPtr expression() {
    ExpressionPtr left = assignment();
    while (is(",") && !failed_) {
      ++at_;
      left = make(Kind::binary, ",", {left, assignment()});
    }
    return left;
  }

  ExpressionPtr list() {
    auto result = make(Kind::list, "", {});
    result->operands = argument_list();
    return result;
  }

  /// The operator here, `>` and its like put together, and its tokens.
  [[nodiscard]] std::pair<std::string, std::size_t> operator_here() const {
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

  ExpressionPtr assignment() {
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

  ExpressionPtr conditional() {
    ExpressionPtr left = binary(0);
    if (!failed_ && take("?")) {
      ExpressionPtr chosen = assignment();
      expect(":");
      left = make(Kind::conditional, "?", {left, chosen, assignment()});
    }
    return left;
  }

  ExpressionPtr binary(int min_precedence) {
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

  ExpressionPtr unary() {
    if (++nesting_ >= kMaxNesting) {
      failed_ = true;
      --nesting_;
      return number("0");
    }
    ExpressionPtr result = unary_here();
    --nesting_;
    return result;
  }

  ExpressionPtr unary_here() {
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

  /// `(float*)p`; null: it is none, and nothing is taken.
  ExpressionPtr cast_here() {
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

  ExpressionPtr allocation() {
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

  ExpressionPtr primary() {
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

  ExpressionPtr named_cast() {
    expect("<");
    std::optional<Type> of = type();
    expect(">");
    expect("(");
    auto result = make(Kind::cast, "", {expression()});
    expect(")");
    result->type = std::make_shared<Type>(std::move(of).value_or(Type{}));
    return result;
  }

  /// `dim3(16, 16)`, `float(n)`, `std::vector<int>(n)`; null: it is none, and nothing is taken.
  ExpressionPtr construction() {
    const std::size_t begin = at_;
    std::optional<Type> of = type();
    const bool is_constructed = of && of->pointers == 0 && !of->is_reference && (is("(") || is("{")) &&
                                (is_known(of->name) || of->name.find("vector") != std::string::npos);
    if (!is_constructed) {
      at_ = begin;
      return nullptr;
    }
    auto result = make(Kind::cast, "", {});
    result->operands = argument_list();
    result->type = std::make_shared<Type>(*std::move(of));
    return result;
  }

  ExpressionPtr named() {
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

  ExpressionPtr lambda() {
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

  ExpressionPtr postfix(ExpressionPtr left) {
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

  ExpressionPtr launch(const ExpressionPtr& kernel) {
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

  const std::vector<Token>* tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  bool failed_ = false, is_skipping_body_ = false;
  std::set<std::string> known_types_;
  Program program_;
};

}  // namespace

Program parse(const PreprocessedSource& source) {
  return Parser(source).run();
}

}  // namespace warplens::host
