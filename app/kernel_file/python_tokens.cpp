#include "app/kernel_file/python_tokens.h"

#include <algorithm>
#include <cctype>

namespace warplens::app {
namespace {

using TokenKind = PythonToken::Kind;

bool begins_python_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80);
}

bool goes_on_python_name(char c) {
  return begins_python_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool opens_bracket(const PythonToken& token) {
  return token.is("(") || token.is("[") || token.is("{");
}

bool closes_bracket(const PythonToken& token) {
  return token.is(")") || token.is("]") || token.is("}");
}

class PythonReader {
 public:
  explicit PythonReader(std::string_view text) : text_(text) {}

  TokenizedPython read() {
    while (at_ < text_.size()) step();
    end_statement();
    return std::move(read_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      if (depth_ == 0) end_statement();
      ++line_;
      ++at_;
    } else if (c == '\\' && next() == '\n') {
      ++line_;
      at_ += 2;
    } else if (c == '#') {
      read_comment();
    } else if (begins_python_name(c) || c == '"' || c == '\'') {
      read_word();
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      const std::size_t from = at_;
      while (at_ < text_.size() && (goes_on_python_name(text_[at_]) || text_[at_] == '.')) ++at_;
      add(TokenKind::number, from, at_);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
      ++at_;
    } else if (c == ';' && depth_ == 0) {
      end_statement();
      ++at_;
    } else {
      add(TokenKind::sign, at_, at_ + 1);
      ++at_;
      if (opens_bracket(read_.tokens.back())) ++depth_;
      if (closes_bracket(read_.tokens.back())) depth_ = std::max(depth_ - 1, 0);
    }
  }

  [[nodiscard]] char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }

  void add(TokenKind kind, std::size_t from, std::size_t to) {
    read_.tokens.push_back({.kind = kind, .text = text_.substr(from, to - from), .at = from, .line = line_});
  }

  void end_statement() {
    if (read_.tokens.empty() || read_.tokens.back().kind == TokenKind::end_of_statement) return;
    add(TokenKind::end_of_statement, at_, at_);
  }

  void read_comment() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    read_.comments.push_back({text_.substr(at_ + 1, end - at_ - 1), line_});
    at_ = end;
  }

  /// A name, or a string with the letters before it.
  void read_word() {
    const std::size_t from = at_;
    while (at_ < text_.size() && goes_on_python_name(text_[at_])) ++at_;
    constexpr std::size_t kLongestPrefix = 2;
    const bool is_string =
        at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'') && at_ - from <= kLongestPrefix;
    if (!is_string) return add(TokenKind::name, from, at_);
    const auto has = [prefix = text_.substr(from, at_ - from)](char letter) {
      return std::ranges::any_of(prefix, [&](char c) { return (c | 0x20) == letter; });
    };
    read_string(has('r'), has('f') || has('b') || has('t'));
  }

  void read_string(bool is_raw, bool is_formatted) {
    const char quote = text_[at_];
    const bool is_long = text_.substr(at_, 3) == std::string(3, quote);
    at_ += is_long ? 3 : 1;
    const std::size_t from = at_;
    const std::uint32_t line = line_;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        line_ += text_[at_ + 1] == '\n' ? 1 : 0;
        at_ += 2;
        continue;
      }
      if (!is_long && text_[at_] == '\n') break;  // It was not closed
      if (text_[at_] == quote && (!is_long || text_.substr(at_, 3) == std::string(3, quote))) break;
      line_ += text_[at_] == '\n' ? 1 : 0;
      ++at_;
    }
    at_ = std::min(at_, text_.size());
    read_.tokens.push_back({.kind = TokenKind::string,
                            .text = text_.substr(from, at_ - from),
                            .at = from,
                            .line = line,
                            .is_raw = is_raw,
                            .is_formatted = is_formatted});
    if (at_ < text_.size() && text_[at_] == quote) at_ += is_long ? 3 : 1;
  }

  std::string_view text_;
  TokenizedPython read_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  int depth_ = 0;
};

}  // namespace

TokenizedPython tokenize_python(std::string_view text) {
  return PythonReader(text).read();
}

std::size_t behind_bracket(PythonTokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (opens_bracket(tokens[i])) ++depth;
    if (closes_bracket(tokens[i]) && --depth == 0) return i + 1;
  }
  return tokens.size();
}

PythonTokens inside_bracket(PythonTokens tokens, std::size_t open) {
  const std::size_t end = behind_bracket(tokens, open);
  const bool is_closed = end > open + 1 && closes_bracket(tokens[end - 1]);
  return tokens.subspan(open + 1, end - open - (is_closed ? 2 : 1));
}

std::vector<PythonTokens> split_at_commas(PythonTokens tokens) {
  std::vector<PythonTokens> parts;
  std::size_t from = 0;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (opens_bracket(tokens[i])) ++depth;
    if (closes_bracket(tokens[i])) --depth;
    if (depth != 0 || !tokens[i].is(",")) continue;
    parts.push_back(tokens.subspan(from, i - from));
    from = i + 1;
  }
  if (from < tokens.size()) parts.push_back(tokens.subspan(from));
  return parts;
}

}  // namespace warplens::app
