// Where functions and their instructions lie in the text of a module.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kernels/ptx/lexer.h"

namespace warplens::ptx {

/// Half-open range of the text.
struct TextRange {
  std::size_t begin = 0, end = 0;
};

struct FunctionText {
  std::string_view name;
  bool is_entry = false;
  TextRange whole;  ///< From the linkage directive to behind the closing brace, or behind the semicolon of a
                    ///< prototype
  TextRange body;   ///< Between the braces; empty for a prototype
  std::size_t code = 0;                 ///< Where the first instruction or label begins
  std::vector<TextRange> instructions;  ///< Each from its guard to behind its semicolon, in order
  bool is_flat = true;  ///< There are no scopes in it, and all declarations come before `code`
};

/// Whether `token` goes on with the `.loc` that `before` belongs to: that has no semicolon.
[[nodiscard]] bool is_of_location(const Token& token, const Token& before);

/// Whether a directive begins what follows a function, so that a prototype before it has ended without a
/// semicolon.
[[nodiscard]] bool begins_module_statement(std::string_view directive);

/// Locates the functions of a text that `parse` accepts. A function has as many instructions as
/// Function::instructions, or one fewer where the parser added the final `ret`.
[[nodiscard]] std::vector<FunctionText> locate_functions(std::string_view text);

}  // namespace warplens::ptx
