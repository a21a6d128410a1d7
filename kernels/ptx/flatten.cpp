#include "kernels/ptx/flatten.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/ptx/declarations.h"
#include "kernels/ptx/lexer.h"
#include "kernels/ptx/literals.h"

namespace warplens::ptx {
namespace {

/// A brace, a label with its colon, a statement with its semicolon, or a `.loc`.
struct Piece {
  std::vector<Token> tokens;
  [[nodiscard]] const Token& first() const { return tokens.front(); }
  [[nodiscard]] bool is_label() const { return tokens.back().is(':'); }
  [[nodiscard]] bool is_declaration() const { return space_of_directive(first().text) != StateSpace::none; }
};

std::vector<Piece> pieces_of(std::string_view body) {
  std::vector<Piece> pieces;
  Lexer lexer(body);
  Token token = lexer.next();
  while (token.kind != Token::Kind::end) {
    std::vector<Token>& tokens = pieces.emplace_back().tokens;
    const auto goes_on = [&] {
      if (token.kind == Token::Kind::end) return false;
      if (tokens.front().text == ".loc") return is_of_location(token, tokens.back());
      return !(tokens.front().is('{') || tokens.front().is('}') || tokens.back().is(';') ||
               (tokens.size() == 2 && tokens.back().is(':')));
    };
    do {
      tokens.push_back(token);
      token = lexer.next();
    } while (goes_on());
  }
  return pieces;
}

struct Scope {
  std::string suffix;  ///< Of the names that it declares; empty for the body itself
  std::map<std::string_view, std::string> names;     ///< To what they become
  std::map<std::string_view, std::uint64_t> ranges;  ///< By prefix: how many registers
};

/// The body and the scopes in it, in the order in which they open. Labels are seen before they are reached.
/// `stem` begins suffixes.
std::vector<Scope> scopes_with_labels(const std::vector<Piece>& pieces, const std::string& stem) {
  std::vector<Scope> scopes(1);
  std::vector<std::size_t> open{0};
  for (const Piece& piece : pieces) {
    if (piece.first().is('{')) {
      open.push_back(scopes.size());
      scopes.push_back({.suffix = fmt::format("{}{}", stem, scopes.size()), .names = {}, .ranges = {}});
    } else if (piece.first().is('}')) {
      open.pop_back();
    } else if (piece.is_label()) {
      Scope& scope = scopes[open.back()];
      scope.names[piece.first().text] = std::string(piece.first().text) + scope.suffix;
    }
  }
  return scopes;
}

class Flattener {
 public:
  /// `text`: of the module, in which no name has a suffix like ours.
  Flattener(std::string_view text, std::string_view body) : body_(body) {
    while (text.find(stem_) != std::string_view::npos) stem_ += '_';
  }

  std::string run() {
    const std::vector<Piece> pieces = pieces_of(body_);
    scopes_ = scopes_with_labels(pieces, stem_);
    open_.push_back(scopes_.data());
    for (const Piece& piece : pieces) {
      if (piece.first().is('{')) {
        open_.push_back(&scopes_[++opened_]);
      } else if (piece.first().is('}')) {
        open_.pop_back();
      } else if (piece.is_declaration()) {
        declare(piece.tokens);
        declarations_ += renamed(piece) + "\n";
      } else {
        code_ += renamed(piece) + "\n";
        has_begun_ |= piece.first().kind != Token::Kind::directive;
      }
    }
    return "\n" + declarations_ + code_;
  }

 private:
  /// The names are the words that come first, and first after a comma, outside all brackets.
  void declare(const std::vector<Token>& tokens) {
    Scope& scope = *open_.back();
    int depth = 0;
    bool is_expected = true;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const Token& token = tokens[t];
      if (token.is('(') || token.is('[') || token.is('{')) ++depth;
      if (token.is(')') || token.is(']') || token.is('}')) --depth;
      if (depth == 0 && token.is(',')) is_expected = true;
      if (depth != 0 || !is_expected || token.kind != Token::Kind::word) continue;
      is_expected = false;
      if (is_range(tokens, t)) {
        scope.ranges[token.text] = parse_integer(tokens[t + 2].text).value_or(0);
      } else {
        const bool is_late = scope.suffix.empty() &&
                             has_begun_;  // Code before it may mean a variable of the module by that name
        scope.names[token.text] = std::string(token.text) + (is_late ? stem_ + "0" : scope.suffix);
      }
    }
  }
  /// `%r<9>`
  [[nodiscard]] static bool is_range(const std::vector<Token>& tokens, std::size_t name) {
    return name + 2 < tokens.size() && tokens[name + 1].is('<');
  }
  [[nodiscard]] static std::uint64_t number_of(std::string_view digits) {
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }

  /// All its words but an instruction's opcode may be names.
  [[nodiscard]] std::string renamed(const Piece& piece) const {
    std::string text;
    bool had_opcode = piece.is_label() || piece.first().kind == Token::Kind::directive;
    std::size_t at = begin_of(piece.first());
    for (std::size_t t = 0; t < piece.tokens.size(); ++t) {
      const Token& token = piece.tokens[t];
      text += body_.substr(at, begin_of(token) - at);
      at = begin_of(token) + token.text.size();
      const bool is_word = token.kind == Token::Kind::word;
      const bool is_guard = t > 0 && (piece.tokens[t - 1].is('@') || piece.tokens[t - 1].is('!'));
      const bool is_opcode = is_word && !is_guard && !had_opcode;
      if (!is_word || is_opcode) {
        text += token.text;
      } else if (piece.is_declaration() && is_range(piece.tokens, t)) {
        text += renamed_prefix(token.text, *open_.back());
      } else {
        text += renamed(token.text);
      }
      had_opcode |= is_opcode;
    }
    return text;
  }

  [[nodiscard]] std::string renamed(std::string_view word) const {
    const std::string_view name = word.substr(0, word.find('.')), member = word.substr(name.size());
    const std::size_t length = name.find_last_not_of("0123456789") + 1;
    const std::string_view prefix = name.substr(0, length), digits = name.substr(length);
    for (auto scope = open_.rbegin(); scope != open_.rend(); ++scope) {
      if (const auto own = (*scope)->names.find(name); own != (*scope)->names.end())
        return own->second + std::string(member);
      const auto range = (*scope)->ranges.find(prefix);
      if (range == (*scope)->ranges.end() || digits.empty() || number_of(digits) >= range->second) continue;
      return fmt::format("{}{}{}", renamed_prefix(prefix, **scope), digits, member);
    }
    return std::string(word);
  }
  [[nodiscard]] static std::string renamed_prefix(std::string_view prefix, const Scope& scope) {
    return scope.suffix.empty() ? std::string(prefix) : fmt::format("{}{}_", prefix, scope.suffix);
  }
  [[nodiscard]] std::size_t begin_of(const Token& token) const {
    return static_cast<std::size_t>(token.text.data() - body_.data());
  }

  std::string_view body_;
  std::string stem_ = "_wl";
  std::vector<Scope> scopes_;
  std::size_t opened_ = 0;
  std::vector<Scope*> open_;
  std::string declarations_, code_;
  bool has_begun_ = false;  ///< There is an instruction or a label in code_
};

}  // namespace

std::string flatten(std::string_view text, const FunctionText& place) {
  const std::string_view body = text.substr(place.body.begin, place.body.end - place.body.begin);
  return std::string(text.substr(0, place.body.begin)) + Flattener(text, body).run() +
         std::string(text.substr(place.body.end));
}

}  // namespace warplens::ptx
