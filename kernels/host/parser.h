// Reads the tokens of host code into its syntax tree. Private to kernels/host.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/host/syntax.h"

namespace warplens::host {

inline constexpr int kMaxNesting = 200;

inline constexpr std::array kTypeWords{"void",   "bool",     "char",  "short",  "int", "long",
                                       "signed", "unsigned", "float", "double", "auto"};
inline constexpr std::array kSpecifiers{"static",       "inline",       "extern",       "constexpr",
                                        "const",        "volatile",     "register",     "mutable",
                                        "virtual",      "explicit",     "friend",       "typename",
                                        "struct",       "class",        "enum",         "__global__",
                                        "__host__",     "__device__",   "__shared__",   "__forceinline__",
                                        "__inline__",   "__noinline__", "__constant__", "__managed__",
                                        "__restrict__", "__restrict",   "restrict",     "thread_local",
                                        "consteval",    "union",        "__inline",     "__grid_constant__"};
inline constexpr std::array kStatementWords{"return", "if",       "for",     "while",    "do",   "switch",
                                            "case",   "default",  "break",   "continue", "goto", "else",
                                            "delete", "throw",    "new",     "sizeof",   "try",  "catch",
                                            "using",  "operator", "template"};

bool is_any_of(std::string_view text, const auto& words) {
  return std::ranges::find(words, text) != words.end();
}

/// A recursive-descent parser. A syntax error sets `failed_`; statements and declarations recover from it.
class Parser {
 public:
  explicit Parser(const PreprocessedSource& source);
  Program run();

 private:
  using Kind = Expression::Kind;

  // Tokens
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
  void skip_brackets();
  /// Advances past the next `;`, or past a block if one comes first.
  void skip_declaration();
  /// Advances past a list of template arguments; false: there is none.
  bool skip_angles();

  // Declarations of a namespace
  void declarations();
  void declaration_of_namespace();
  [[nodiscard]] bool declares_struct() const;
  std::vector<TemplateParameter> template_parameters();
  void alias();
  void type_definition();
  void add_alias(const std::string& name, Type aliased);
  void structure(std::vector<TemplateParameter> template_parameters = {});
  void member(Struct& result);
  void enumeration();
  static ExpressionPtr number(const std::string& text);
  struct Specifiers {
    bool is_kernel = false, is_device = false, is_host = false, is_symbol = false;
  };
  Specifiers skip_specifiers();
  void declaration_or_function(std::vector<TemplateParameter> parameters);
  /// A function from its name on; null: it is no function, or is not read.
  std::shared_ptr<Function> function_at(const std::string& name);
  std::vector<Declarator> parameters();

  // Types
  /// The type here; nullopt, and nothing is taken, where there is none.
  std::optional<Type> type();
  bool type_arguments(Type& of);
  /// `<16, float>`; nullopt: it is no such list, and `failed_` is as before.
  std::optional<std::vector<TemplateArgument>> template_arguments();
  [[nodiscard]] bool is_known(const std::string& name) const;
  std::vector<Declarator> declarators(const Type& base);
  Declarator declarator(const Type& of);
  /// `(a, b)` or `{a, b}`
  std::vector<ExpressionPtr> argument_list();

  // Statements
  StatementPtr block();
  static std::shared_ptr<Statement> make(Statement::Kind kind);
  StatementPtr statement();
  StatementPtr statement_here();
  ExpressionPtr condition();
  StatementPtr loop();
  /// Whether a declaration begins here: a type and a name.
  bool begins_declaration();

  // Expressions
  std::shared_ptr<Expression> make(Kind kind, std::string text, std::vector<ExpressionPtr> operands);
  ExpressionPtr expression();
  ExpressionPtr list();
  /// The operator here, `>` and its like put together, and its tokens.
  [[nodiscard]] std::pair<std::string, std::size_t> operator_here() const;
  ExpressionPtr assignment();
  ExpressionPtr conditional();
  ExpressionPtr binary(int min_precedence);
  ExpressionPtr unary();
  ExpressionPtr unary_here();
  /// `(float*)p`; null: it is none, and nothing is taken.
  ExpressionPtr cast_here();
  ExpressionPtr allocation();
  ExpressionPtr primary();
  ExpressionPtr named_cast();
  /// `dim3(16, 16)`, `float(n)`, `std::vector<int>(n)`; null: it is none, and nothing is taken.
  ExpressionPtr construction();
  ExpressionPtr named();
  ExpressionPtr lambda();
  ExpressionPtr postfix(ExpressionPtr left);
  ExpressionPtr launch(const ExpressionPtr& kernel);

  const std::vector<Token>* tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  bool failed_ = false, is_skipping_body_ = false;
  bool declares_with_structure_ = false;  ///< `struct { int x; } point;`, of the last structure
  std::set<std::string> known_types_;
  Program program_;
};

}  // namespace warplens::host
