// The tokens of host code behind the preprocessor: macros are expanded, branches of `#if` chosen. Private to
// kernels/host.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::host {

struct Token {
  enum class Kind : std::uint8_t { name, number, text, character, punctuation, end };
  Kind kind = Kind::end;
  std::string text;  ///< Of `>>` each `>` is a token, since it may close two lists of template arguments
  std::uint32_t line = 0;  ///< From 1; 0: of a header
  bool is_joined = false;  ///< No space stands before it
};

/// The text of a header that a source includes by that name in quotes; nullopt: it is not read.
using HeaderReader = std::function<std::optional<std::string>(const std::string& name)>;

struct PreprocessedSource {
  std::vector<Token> tokens;  ///< Ends with Kind::end
  /// Macros that name a number, `#define N (1 << 20)`: they stay names in `tokens`, as variables do, so that
  /// what is computed of N and what is passed as N are known to be the same.
  std::map<std::string, std::vector<Token>> constants;
};

/// Preprocesses as nvcc does for the host; `prelude` stands before the source. What it does not know, such as
/// the compiler's own macros, is undefined.
[[nodiscard]] PreprocessedSource preprocess(std::string_view source, const HeaderReader& read_header,
                                            std::string_view prelude = {});

}  // namespace warplens::host
