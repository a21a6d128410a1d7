#include "kernels/host/tokens.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>

namespace warplens::host {
namespace {

constexpr std::size_t kMaxTokens = 4u << 20;  // After expansion, in all
constexpr int kMaxIncludeDepth = 16;

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

/// The names of macros that a token came out of, which are not expanded in it again ("ISO C++",
/// [cpp.rescan]).
using HiddenNames = std::shared_ptr<const std::set<std::string>>;

struct RawToken : Token {
  bool begins_line = false;
  HiddenNames hidden = nullptr;
};

/// Splits text into tokens; comments and joined lines are gone.
class Lexer {
 public:
  Lexer(std::string_view text, bool is_header) : text_(text), is_header_(is_header) {}

  std::vector<RawToken> tokens() {
    std::vector<RawToken> tokens;
    while (skip_space()) {
      RawToken token = next();
      token.line = is_header_ ? 0 : line_;
      token.begins_line = begins_line_;
      token.is_joined = !has_space_;
      begins_line_ = has_space_ = false;
      tokens.push_back(std::move(token));
    }
    return tokens;
  }

 private:
  bool skip_space() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
        at_ += rest[1] == '\n' ? 2 : 3;
        ++line_;
      } else if (rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size() - 2);
        line_ += static_cast<std::uint32_t>(std::ranges::count(text_.substr(at_, end - at_), '\n'));
        at_ = end + 2;
      } else if (rest[0] == '\n') {
        ++line_;
        ++at_;
        begins_line_ = true;
      } else if (std::isspace(static_cast<unsigned char>(rest[0])) != 0) {
        ++at_;
      } else {
        return true;
      }
      has_space_ = true;
    }
    return false;
  }

  RawToken next() {
    const char c = text_[at_];
    RawToken token;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '.' && at_ + 1 < text_.size() &&
         std::isdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0)) {
      token.kind = Token::Kind::number;
      token.text = take_number();
    } else if (is_name_character(c)) {
      token.kind = Token::Kind::name;
      while (at_ < text_.size() && is_name_character(text_[at_])) token.text += text_[at_++];
      if (token.text == "R" && at_ < text_.size() && text_[at_] == '"') return raw_text();
    } else if (c == '"' || c == '\'') {
      token.kind = c == '"' ? Token::Kind::text : Token::Kind::character;
      token.text = take_quoted(c);
    } else {
      token.kind = Token::Kind::punctuation;
      token.text = take_punctuation();
    }
    return token;
  }

  std::string take_number() {
    std::string number;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      const bool is_sign_of_exponent = (c == '+' || c == '-') && !number.empty() &&
                                       !number.starts_with("0x") && !number.starts_with("0X") &&
                                       (number.back() == 'e' || number.back() == 'E');
      if (c == '\'') continue;  // A digit separator
      if (!is_name_character(c) && c != '.' && !is_sign_of_exponent) break;
      number += c;
    }
    return number;
  }

  std::string take_quoted(char quote) {
    std::string quoted;
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) quoted += text_[at_++];
      quoted += text_[at_];
    }
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
    return quoted;
  }

  RawToken raw_text() {
    RawToken token;
    token.kind = Token::Kind::text;
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) {
      at_ = text_.size();
      return token;
    }
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = std::min(text_.find(close, open), text_.size());
    token.text = text_.substr(open + 1, end - open - 1);
    line_ += static_cast<std::uint32_t>(std::ranges::count(token.text, '\n'));
    at_ = std::min(end + close.size(), text_.size());
    return token;
  }

  std::string take_punctuation() {
    for (const std::string_view longest :
         {"<<<", "...", "<<=", "->*", "##", "->", "++", "--", "<<", "<=", "==", "!=",
          "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "::"}) {
      if (!text_.substr(at_).starts_with(longest)) continue;
      at_ += longest.size();
      return std::string(longest);
    }
    return std::string(1, text_[at_++]);
  }

  std::string_view text_;
  bool is_header_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool begins_line_ = true, has_space_ = true;
};

struct Macro {
  bool is_function = false, is_variadic = false;
  std::vector<std::string> parameters;
  std::vector<RawToken> body;
};

/// Evaluates the integer expression of an `#if`. What it cannot read is 0.
class Condition {
 public:
  explicit Condition(const std::vector<RawToken>& tokens) : tokens_(tokens) {}
  long long value() { return binary(0); }

 private:
  struct Operator {
    std::string_view text;
    int precedence;
  };

  /// The binary operator at the place, `>` and its like put together.
  [[nodiscard]] std::string operator_here() const {
    if (at_ >= tokens_.size()) return {};
    std::string text = tokens_[at_].text;
    const bool goes_on = text == ">" && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is_joined &&
                         (tokens_[at_ + 1].text == ">" || tokens_[at_ + 1].text == "=");
    return goes_on ? text + tokens_[at_ + 1].text : text;
  }

  long long binary(int min_precedence) {
    static constexpr Operator kOperators[] = {
        {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
        {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
    long long left = unary();
    for (;;) {
      const std::string text = operator_here();
      const auto* const found = std::ranges::find(kOperators, text, &Operator::text);
      if (found == std::end(kOperators) || found->precedence <= min_precedence) return left;
      at_ += text.size() == 2 && text[0] == '>' ? 2 : 1;
      const long long right = binary(found->precedence);
      left = applied(text, left, right);
    }
  }

  static long long applied(const std::string& text, long long left, long long right) {
    const auto a = static_cast<unsigned long long>(left), b = static_cast<unsigned long long>(right);
    if (text == "||") return left != 0 || right != 0 ? 1 : 0;
    if (text == "&&") return left != 0 && right != 0 ? 1 : 0;
    if (text == "==") return left == right ? 1 : 0;
    if (text == "!=") return left != right ? 1 : 0;
    if (text == "<=") return left <= right ? 1 : 0;
    if (text == ">=") return left >= right ? 1 : 0;
    if (text == "<") return left < right ? 1 : 0;
    if (text == ">") return left > right ? 1 : 0;
    if (text == "<<") return b < 64 ? static_cast<long long>(a << b) : 0;
    if (text == ">>") return b < 64 ? static_cast<long long>(a >> b) : 0;
    if (text == "+") return static_cast<long long>(a + b);
    if (text == "-") return static_cast<long long>(a - b);
    if (text == "*") return static_cast<long long>(a * b);
    if (text == "|") return left | right;
    if (text == "^") return left ^ right;
    if (text == "&") return left & right;
    if (right == 0 || right == -1) return 0;
    return text == "/" ? left / right : left % right;
  }

  long long unary() {
    if (at_ >= tokens_.size()) return 0;
    const RawToken& token = tokens_[at_++];
    if (token.text == "!") return unary() == 0 ? 1 : 0;
    if (token.text == "-") return static_cast<long long>(0ULL - static_cast<unsigned long long>(unary()));
    if (token.text == "+") return unary();
    if (token.text == "~") return ~unary();
    if (token.text == "(") {
      const long long value = binary(0);
      if (at_ < tokens_.size()) ++at_;
      return value;
    }
    return token.kind == Token::Kind::number ? std::strtoll(token.text.c_str(), nullptr, 0) : 0;
  }

  const std::vector<RawToken>& tokens_;
  std::size_t at_ = 0;
};

class Preprocessor {
 public:
  explicit Preprocessor(const HeaderReader& read_header) : read_header_(read_header) {
    for (const auto& [name, value] :
         {std::pair{"__CUDACC__", "1"}, std::pair{"__NVCC__", "1"}, std::pair{"__linux__", "1"},
          std::pair{"__x86_64__", "1"}, std::pair{"__cplusplus", "201703"}, std::pair{"__GNUC__", "12"},
          std::pair{"CUDART_VERSION", "13000"}, std::pair{"CUDA_VERSION", "13000"},
          std::pair{"__CUDACC_VER_MAJOR__", "13"}}) {
      RawToken number;
      number.kind = Token::Kind::number;
      number.text = value;
      macros_[name] = {.body = {number}};
    }
  }

  PreprocessedSource run(std::string_view source, std::string_view prelude) {
    read(prelude, true, 0);
    read(source, false, 0);
    PreprocessedSource result;
    result.tokens.reserve(output_.size() + 1);
    for (RawToken& token : output_) result.tokens.push_back(std::move(token));
    result.tokens.emplace_back();
    for (const auto& [name, macro] : macros_) {
      if (constants_.contains(name)) result.constants[name] = {macro.body.begin(), macro.body.end()};
    }
    return result;
  }

 private:
  void read(std::string_view text, bool is_header, int depth) {
    const std::vector<RawToken> tokens = Lexer(text, is_header).tokens();
    std::vector<RawToken> pending;  // Of lines between directives: a macro's arguments may go over several
    for (std::size_t i = 0; i < tokens.size() && output_.size() < kMaxTokens;) {
      std::size_t end = i + 1;
      while (end < tokens.size() && !tokens[end].begins_line) ++end;
      if (tokens[i].text == "#" && tokens[i].begins_line) {
        flush(pending);
        directive({tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                   tokens.begin() + static_cast<std::ptrdiff_t>(end)},
                  depth);
      } else if (is_active()) {
        pending.insert(pending.end(), tokens.begin() + static_cast<std::ptrdiff_t>(i),
                       tokens.begin() + static_cast<std::ptrdiff_t>(end));
      }
      i = end;
    }
    flush(pending);
  }

  void flush(std::vector<RawToken>& pending) {
    std::vector<RawToken> expanded = this->expanded(std::move(pending));
    output_.insert(output_.end(), std::make_move_iterator(expanded.begin()),
                   std::make_move_iterator(expanded.end()));
    pending.clear();
  }

  [[nodiscard]] bool is_active() const {
    return std::ranges::all_of(branches_, [](const Branch& branch) { return branch.is_chosen; });
  }

  void directive(const std::vector<RawToken>& line, int depth) {
    if (line.empty()) return;
    const std::string& name = line[0].text;
    const std::vector<RawToken> rest(line.begin() + 1, line.end());
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      const bool is_true = is_active() && condition(name, rest);
      branches_.push_back({.is_chosen = is_true, .was_chosen = is_true || !is_active()});
    } else if (name == "elif" || name == "else") {
      if (branches_.empty()) return;
      Branch& branch = branches_.back();
      branch.is_chosen = false;
      branch.is_chosen = !branch.was_chosen && (name == "else" || condition("if", rest));
      branch.was_chosen = branch.was_chosen || branch.is_chosen;
    } else if (name == "endif") {
      if (!branches_.empty()) branches_.pop_back();
    } else if (is_active()) {
      if (name == "define") define(rest);
      if (name == "undef" && !rest.empty()) macros_.erase(rest[0].text);
      if (name == "include") include(rest, depth);
    }
  }

  bool condition(const std::string& kind, const std::vector<RawToken>& tokens) {
    if (tokens.empty()) return false;
    if (kind != "if") return macros_.contains(tokens[0].text) == (kind == "ifdef");
    std::vector<RawToken> plain;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].text != "defined") {
        plain.push_back(tokens[i]);
        continue;
      }
      const bool has_parenthesis = i + 1 < tokens.size() && tokens[i + 1].text == "(";
      i += has_parenthesis ? 2 : 1;
      RawToken number;
      number.kind = Token::Kind::number;
      number.text = i < tokens.size() && macros_.contains(tokens[i].text) ? "1" : "0";
      plain.push_back(number);
      i += has_parenthesis ? 1 : 0;
    }
    keeps_constants_ = false;
    plain = expanded(std::move(plain));
    keeps_constants_ = true;
    return Condition(plain).value() != 0;
  }

  void define(const std::vector<RawToken>& line) {
    if (line.empty()) return;
    Macro macro;
    std::size_t i = 1;
    if (i < line.size() && line[i].text == "(" && line[i].is_joined) {
      macro.is_function = true;
      for (++i; i < line.size() && line[i].text != ")"; ++i) {
        if (line[i].text == "...") macro.is_variadic = true;
        if (line[i].kind == Token::Kind::name) macro.parameters.push_back(line[i].text);
      }
      ++i;
    }
    for (; i < line.size(); ++i) macro.body.push_back(line[i]);
    const std::string& name = line[0].text;
    const bool is_new = !macros_.contains(name) && !was_defined_.contains(name);
    was_defined_.insert(name);
    if (is_new && is_number(macro)) {
      constants_.insert(name);
    } else {
      constants_.erase(name);  // Its value depends on the place
    }
    macros_[name] = std::move(macro);
  }

  /// Whether a macro is a number, or an expression in parentheses of numbers and of other such macros:
  /// other_elements may mean something else between the operators of the place where they stand.
  [[nodiscard]] bool is_number(const Macro& macro) const {
    if (macro.is_function || macro.body.empty()) return false;
    int depth = 0;
    for (std::size_t i = 0; i + 1 < macro.body.size(); ++i) {
      depth += macro.body[i].text == "(" ? 1 : macro.body[i].text == ")" ? -1 : 0;
      if (depth == 0) return false;
    }
    return std::ranges::all_of(macro.body, [&](const RawToken& token) {
      constexpr std::string_view kOperators = "+-*/%()<<";
      return token.kind == Token::Kind::number ||
             (token.kind == Token::Kind::name && constants_.contains(token.text)) ||
             (token.kind == Token::Kind::punctuation &&
              kOperators.find(token.text) != std::string_view::npos);
    });
  }

  void include(const std::vector<RawToken>& named, int depth) {
    const bool is_quoted = !named.empty() && named[0].kind == Token::Kind::text;
    std::string name = is_quoted ? named[0].text : std::string();
    for (std::size_t i = 1; !is_quoted && i < named.size() && named[i].text != ">"; ++i)
      name += named[i].text;
    if (!read_header_ || name.empty() || depth >= kMaxIncludeDepth) return;
    const std::optional<Header> header = read_header_(name, is_quoted, includer_);
    if (!header || !included_.insert(header->path).second) return;
    const std::string includer = std::exchange(includer_, header->path);
    read(header->text, true, depth + 1);
    includer_ = includer;
  }

  std::vector<RawToken> expanded(std::vector<RawToken> tokens) {
    std::ranges::reverse(tokens);
    std::vector<RawToken>& rest = tokens;  // Its end comes first
    std::vector<RawToken> result;
    std::size_t steps = 0;
    while (!rest.empty() && ++steps < kMaxTokens) {
      RawToken token = std::move(rest.back());
      rest.pop_back();
      const auto macro = token.kind == Token::Kind::name ? macros_.find(token.text) : macros_.end();
      const bool is_hidden = token.hidden != nullptr && token.hidden->contains(token.text);
      const bool is_used = macro != macros_.end() && !is_hidden &&
                           !(keeps_constants_ && constants_.contains(token.text)) &&
                           (!macro->second.is_function || (!rest.empty() && rest.back().text == "("));
      if (!is_used) {
        result.push_back(std::move(token));
        continue;
      }
      std::vector<RawToken> body = replacement(macro->second, rest);
      auto hidden = token.hidden == nullptr ? std::make_shared<std::set<std::string>>()
                                            : std::make_shared<std::set<std::string>>(*token.hidden);
      hidden->insert(token.text);
      for (RawToken& one : body) {
        one.line = token.line;
        if (one.hidden == nullptr) one.hidden = hidden;
      }
      if (rest.size() + body.size() > kMaxTokens) break;
      rest.insert(rest.end(), std::make_move_iterator(body.rbegin()), std::make_move_iterator(body.rend()));
    }
    return result;
  }

  /// The body of a macro with its arguments, which are taken off `rest`, in the places of its parameters.
  std::vector<RawToken> replacement(const Macro& macro, std::vector<RawToken>& rest) {
    if (!macro.is_function) return macro.body;
    std::vector<std::vector<RawToken>> arguments(1);
    rest.pop_back();
    for (int depth = 0; !rest.empty();) {
      RawToken token = std::move(rest.back());
      rest.pop_back();
      if (token.text == ")" && depth == 0) break;
      depth += token.text == "(" ? 1 : token.text == ")" ? -1 : 0;
      const bool is_of_rest = macro.is_variadic && arguments.size() > macro.parameters.size();
      if (token.text == "," && depth == 0 && !is_of_rest) {
        arguments.emplace_back();
      } else {
        arguments.back().push_back(std::move(token));
      }
    }
    std::vector<RawToken> body;
    for (std::size_t i = 0; i < macro.body.size(); ++i) {
      const RawToken& token = macro.body[i];
      const auto named = std::ranges::find(macro.parameters, token.text);
      const auto index = token.text == "__VA_ARGS__"
                             ? macro.parameters.size()
                             : static_cast<std::size_t>(named - macro.parameters.begin());
      const bool is_text = token.text == "#" && i + 1 < macro.body.size();
      if (is_text) {
        body.push_back(token);
        body.back().kind = Token::Kind::text;
        body.back().text = macro.body[++i].text;
      } else if (token.text == "##" && !body.empty() && i + 1 < macro.body.size()) {
        const RawToken& next = macro.body[++i];
        const auto of_next = std::ranges::find(macro.parameters, next.text);
        const auto at = static_cast<std::size_t>(of_next - macro.parameters.begin());
        if (of_next == macro.parameters.end()) {
          body.back().text += next.text;
        } else if (at < arguments.size() && !arguments[at].empty()) {
          body.back().text += arguments[at][0].text;
        }
      } else if (token.kind == Token::Kind::name && index < arguments.size() &&
                 (named != macro.parameters.end() || token.text == "__VA_ARGS__")) {
        std::vector<RawToken> argument = expanded(arguments[index]);
        body.insert(body.end(), argument.begin(), argument.end());
      } else {
        body.push_back(token);
      }
    }
    return body;
  }

  struct Branch {
    bool is_chosen = false, was_chosen = false;
  };

  const HeaderReader& read_header_;
  std::map<std::string, Macro> macros_;
  std::set<std::string> constants_, was_defined_, included_;
  std::string includer_;  ///< The path of the header that is read
  std::vector<Branch> branches_;
  std::vector<RawToken> output_;
  bool keeps_constants_ = true;
};

}  // namespace

PreprocessedSource preprocess(std::string_view source, const HeaderReader& read_header,
                              std::string_view prelude) {
  return Preprocessor(read_header).run(source, prelude);
}

}  // namespace warplens::host
