// Tokens of PTX text, as views into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warplens::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,  ///< A name or an opcode with its suffixes: `%r1`, `$L__BB0_2`, `%tid.x`, `ld.global.L2::128B.f32`
    directive,    ///< `.reg`, `.b32`: a dot and one name
    number,       ///< As written: `12`, `0x1F`, `0f3F800000`, `9.0`
    string,       ///< With its quotes
    punctuation,  ///< One character, or two of an operator: `<<`, `>=`, `&&`
    invalid,      ///< A byte that begins no token, or an open comment or string
  };
  Kind kind = Kind::end;
  std::uint32_t line = 1;  ///< 1-based
  std::string_view text;

  [[nodiscard]] bool is(char punctuation) const {
    return kind == Kind::punctuation && text.size() == 1 && text[0] == punctuation;
  }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  [[nodiscard]] Token next();

 private:
  [[nodiscard]] bool skip_blanks_and_comments();  ///< False at an open comment
  [[nodiscard]] char at(std::size_t position) const {
    return position < text_.size() ? text_[position] : '\0';
  }
  [[nodiscard]] std::size_t end_of_word(std::size_t position) const;
  [[nodiscard]] bool is_fraction(std::size_t dot) const;
  [[nodiscard]] std::size_t end_of_number(std::size_t position) const;

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
};

/// `text` on one line with single blanks and without comments.
void append_normalised(std::string_view text, std::string& out);

}  // namespace warplens::ptx
