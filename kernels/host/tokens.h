// The tokens of host code behind the preprocessor: macros are expanded, branches of `#if` chosen.
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

struct Header {
  std::string path;  ///< By which what it includes is looked for
  std::string text;
};
/// A header as it is included; nullopt: it is not read. `includer`: the path of the header that includes it;
/// empty: the source does.
using HeaderReader = std::function<std::optional<Header>(const std::string& name, bool is_quoted,
                                                         const std::string& includer)>;

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
