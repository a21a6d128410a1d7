// The tokens of Python. Private to app/kernel_file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::app {

struct PythonToken {
  enum class Kind : unsigned char { name, number, string, sign, end_of_statement };
  Kind kind = Kind::sign;
  std::string_view text;      ///< Of a string, what stands between its quotes
  std::size_t at = 0;         ///< Where `text` begins in the file
  std::uint32_t line = 0;     ///< From 1
  bool is_raw = false;        ///< A string whose backslashes are its own
  bool is_formatted = false;  ///< A string of which parts are worked out when the program runs, or of bytes

  [[nodiscard]] bool is(std::string_view sign) const { return kind != Kind::string && text == sign; }
};
using PythonTokens = std::span<const PythonToken>;

struct PythonComment {
  std::string_view text;  ///< Behind the `#`
  std::uint32_t line = 0;
};

struct TokenizedPython {
  std::vector<PythonToken> tokens;
  std::vector<PythonComment> comments;
};
/// The tokens are parts of `text`, which outlives them. Brackets that do not match end with the file.
[[nodiscard]] TokenizedPython tokenize_python(std::string_view text);

/// The place behind the bracket that closes the one at `open`; the number of tokens where nothing does.
[[nodiscard]] std::size_t behind_bracket(PythonTokens tokens, std::size_t open);
/// What stands in that bracket.
[[nodiscard]] PythonTokens inside_bracket(PythonTokens tokens, std::size_t open);
/// The parts between commas outside of brackets.
[[nodiscard]] std::vector<PythonTokens> split_at_commas(PythonTokens tokens);

}  // namespace warplens::app
