#include "kernels/ptx/lexer.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace warplens::ptx {
namespace {

enum CharacterClass : std::uint8_t { kBlank = 1, kNameStart = 2, kName = 4, kDigit = 8, kPunctuation = 16 };

constexpr std::array<std::uint8_t, 256> make_character_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\n', '\r', '\v', '\f'}) classes[static_cast<unsigned char>(c)] = kBlank;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kNameStart | kName;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kNameStart | kName;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit | kName;
  for (const char c : {'_', '$', '%'}) classes[static_cast<unsigned char>(c)] = kNameStart | kName;
  for (const char c : std::string_view("{}[]()<>,;:=+-!@|*/&^~?#"))
    classes[static_cast<unsigned char>(c)] = kPunctuation;
  return classes;
}

constexpr auto kClasses = make_character_classes();

bool is(char c, std::uint8_t wanted) {
  return (kClasses[static_cast<unsigned char>(c)] & wanted) != 0;
}

/// Whether a text is a binary operator of two characters of constant expressions.
bool is_operator_of_two(std::string_view text) {
  constexpr std::string_view kOperators[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  return std::find(std::begin(kOperators), std::end(kOperators), text.substr(0, 2)) != std::end(kOperators);
}

/// `# 12 "file"` and `#line 12 "file"`, which a preprocessor leaves: whether one stands at `position`. All of
/// its line belongs to it.
bool is_line_marker(std::string_view text, std::size_t position) {
  if (position >= text.size() || text[position] != '#') return false;
  const auto skip_blanks = [&] { position = std::min(text.find_first_not_of(" \t", position), text.size()); };
  ++position;
  skip_blanks();
  if (text.substr(position).starts_with("line")) position += 4;
  skip_blanks();
  const std::size_t digits = position;
  while (position < text.size() && is(text[position], kDigit)) ++position;
  if (position == digits) return false;
  skip_blanks();
  return position < text.size() && text[position] == '"';
}

}  // namespace

bool Lexer::skip_blanks_and_comments() {
  for (;;) {
    const char c = at(position_);
    if (is(c, kBlank)) {
      line_ += c == '\n';
      ++position_;
    } else if ((c == '/' && at(position_ + 1) == '/') || is_line_marker(text_, position_)) {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == '/' && at(position_ + 1) == '*') {
      const std::size_t end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) return false;
      for (; position_ < end + 2; ++position_) line_ += text_[position_] == '\n';
    } else {
      return true;
    }
  }
}

// A word goes on over a dot or a double colon when a name follows: `bar.sync`, `st.shared::cta.b32`; but
// `$L1:` ends before its colon.
std::size_t Lexer::end_of_word(std::size_t position) const {
  for (;;) {
    while (is(at(position), kName)) ++position;
    if (at(position) == '.' && is(at(position + 1), kName)) {
      ++position;
    } else if (at(position) == ':' && at(position + 1) == ':' && is(at(position + 2), kName)) {
      position += 2;
    } else {
      return position;
    }
  }
}

/// Whether a literal such as `.5` or `.25e1` begins there, and not a suffix such as `.2d`.
bool Lexer::is_fraction(std::size_t dot) const {
  std::size_t end = dot + 1;
  while (is(at(end), kDigit)) ++end;
  return at(dot) == '.' && end > dot + 1 && (!is(at(end), kName) || at(end) == 'e' || at(end) == 'E');
}

std::size_t Lexer::end_of_number(std::size_t position) const {
  const bool is_prefixed =
      at(position) == '0' && is(at(position + 1), kNameStart);  // 0x, 0f, 0d: an `e` in it is a digit
  for (;; ++position) {
    const char c = at(position);
    const bool is_exponent_sign =
        (c == '+' || c == '-') && !is_prefixed && (at(position - 1) == 'e' || at(position - 1) == 'E');
    if (!is(c, kName) && c != '.' && !is_exponent_sign) return position;
  }
}

Token Lexer::next() {
  Token token;
  const bool closed = skip_blanks_and_comments();
  token.line = line_;
  if (position_ >= text_.size()) return token;
  const std::size_t begin = position_;
  const char c = text_[begin];
  if (!closed) {
    token.kind = Token::Kind::invalid;
    position_ = text_.size();
  } else if (is(c, kNameStart)) {
    token.kind = Token::Kind::word;
    position_ = end_of_word(begin);
  } else if (is(c, kDigit) || is_fraction(begin)) {
    token.kind = Token::Kind::number;
    position_ = end_of_number(begin);
  } else if (c == '.' && is(at(begin + 1), kName)) {
    token.kind = Token::Kind::directive;
    ++position_;
    while (is(at(position_), kName)) ++position_;
  } else if (c == '"') {
    const std::size_t end = text_.find_first_of("\"\n", begin + 1);
    const bool is_closed = end != std::string_view::npos && text_[end] == '"';
    token.kind = is_closed ? Token::Kind::string : Token::Kind::invalid;
    position_ = is_closed ? end + 1 : text_.size();
  } else {
    token.kind = is(c, kPunctuation) ? Token::Kind::punctuation : Token::Kind::invalid;
    position_ += is_operator_of_two(text_.substr(begin)) ? 2 : 1;
  }
  token.text = text_.substr(begin, position_ - begin);
  return token;
}

void append_normalised(std::string_view text, std::string& out) {
  bool blank = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is(text[i], kBlank)) {
      blank = true;
    } else if ((text[i] == '/' && i + 1 < text.size() && text[i + 1] == '/') || is_line_marker(text, i)) {
      i = std::min(text.find('\n', i), text.size());
      blank = true;
    } else if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '*') {
      i = std::min(text.find("*/", i + 2), text.size() - 1) + 1;
      blank = true;
    } else {
      if (blank && !out.empty()) out += ' ';
      blank = false;
      out += text[i];
    }
  }
}

}  // namespace warplens::ptx
