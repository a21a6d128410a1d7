#include "kernels/ptx/statements.h"

#include <algorithm>
#include <iterator>

#include "kernels/ptx/declarations.h"

namespace warplens::ptx {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text), lexer_(text), token_(lexer_.next()) {}

  std::vector<FunctionText> functions() {
    std::vector<FunctionText> found;
    std::size_t begin = 0;
    bool in_linkage = false;
    while (token_.kind != Token::Kind::end) {
      const bool is_linkage = token_.text == ".visible" || token_.text == ".weak" || token_.text == ".extern";
      if (!in_linkage) begin = here();
      if (token_.text == ".entry" || token_.text == ".func") {
        found.push_back(function(begin));
      } else if (token_.is('{')) {
        skip_braces();
      } else {
        advance();
      }
      in_linkage = is_linkage;
    }
    return found;
  }

 private:
  [[nodiscard]] std::size_t here() const {
    return static_cast<std::size_t>(token_.text.data() - text_.data());
  }
  void advance() {
    end_ = here() + token_.text.size();
    token_ = lexer_.next();
  }
  void skip_braces() {
    int depth = 0;
    do {
      depth += token_.is('{') ? 1 : token_.is('}') ? -1 : 0;
      advance();
    } while (depth > 0 && token_.kind != Token::Kind::end);
  }
  void skip_statement() {
    while (!token_.is(';') && token_.kind != Token::Kind::end) advance();
    advance();
  }

  FunctionText function(std::size_t begin) {
    FunctionText found;
    found.is_entry = token_.text == ".entry";
    advance();
    if (!found.is_entry && token_.is('(')) {  // Return parameters come first
      while (!token_.is(')') && token_.kind != Token::Kind::end) advance();
      advance();
    }
    found.name = token_.text;
    skip_parameters();
    while (!token_.is('{') && !token_.is(';') && !ends_prototype())
      token_.text == ".pragma" ? skip_statement() : advance();
    if (token_.is('{')) {
      advance();
      body(found);
    } else if (token_.is(';')) {
      advance();
    }
    found.whole = {begin, end_};
    return found;
  }

  void skip_parameters() {
    while (!token_.is('(') && !token_.is('{') && !token_.is(';') && !ends_prototype()) advance();
    while (token_.is('(')) {
      while (!token_.is(')') && token_.kind != Token::Kind::end) advance();
      advance();
    }
  }
  [[nodiscard]] bool ends_prototype() const {
    return token_.kind == Token::Kind::end || begins_module_statement(token_.text);
  }

  void body(FunctionText& found) {
    found.body.begin = end_;
    for (int depth = 1; depth > 0 && token_.kind != Token::Kind::end;) {
      if (token_.is('{') || token_.is('}')) {
        depth += token_.is('{') ? 1 : -1;
        if (depth == 0) found.body.end = here();
        found.is_flat &= depth < 2;
        advance();
      } else if (token_.text == ".loc") {
        Token before;
        do {
          before = token_;
          advance();
        } while (is_of_location(token_, before));
      } else if (token_.kind == Token::Kind::directive || token_.is(';')) {
        found.is_flat &= found.code == 0 || space_of_directive(token_.text) == StateSpace::none;
        skip_statement();
      } else {
        instruction_or_label(found);
      }
    }
  }

  void instruction_or_label(FunctionText& found) {
    const std::size_t begin = here();
    if (found.code == 0) found.code = begin;
    const bool is_word = token_.kind == Token::Kind::word;
    advance();
    if (is_word && token_.is(':')) return advance();
    skip_statement();
    found.instructions.push_back({begin, end_});
  }

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  std::size_t end_ = 0;  ///< Of the token before
};

}  // namespace

bool begins_module_statement(std::string_view directive) {
  constexpr std::string_view kDirectives[] = {".entry",  ".func",    ".visible", ".extern",       ".weak",
                                              ".common", ".alias",   ".file",    ".address_size", ".section",
                                              ".loc",    ".version", ".target",  ".tex"};
  return space_of_directive(directive) != StateSpace::none ||
         std::find(std::begin(kDirectives), std::end(kDirectives), directive) != std::end(kDirectives);
}

bool is_of_location(const Token& token, const Token& before) {
  return token.kind == Token::Kind::number || token.is(',') || token.is('+') || before.is(',') ||
         before.text == "function_name";
}

std::vector<FunctionText> locate_functions(std::string_view text) {
  return Scanner(text).functions();
}

}  // namespace warplens::ptx
